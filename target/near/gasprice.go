package near

import "volley/internal/jsonrpc"

// parseGasPrice decodes gas_price's params: a block id or null, which is the
// head, by name or in an array of one.
func (r *request) parseGasPrice(params []byte, kind jsonrpc.Kind) *jsonrpc.Error {
	r.op = opGasPrice
	var id []byte
	switch kind {
	case jsonrpc.Object:
		for name, value := range jsonrpc.Members(params) {
			if string(name) == "block_id" {
				id = value
			}
		}
	case jsonrpc.Array:
		var one bool
		if id, one = only(params); !one {
			return wrongParams(params, "struct RpcGasPriceRequest")
		}
	default:
		return wrongParams(params, "struct RpcGasPriceRequest")
	}
	ref, err := parseMaybeBlockID(id)
	if err != nil {
		return argsFailure(err.Error())
	}
	r.ref = ref
	return nil
}

func (d *Dialect) gasPrice(r *request, dst []byte) ([]byte, *jsonrpc.Error) {
	if _, err := d.header(&r.ref); err != nil {
		return dst, err
	}
	return append(dst, `{"gas_price":"`+gasPrice+`"}`...), nil
}
