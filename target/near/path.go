package near

import (
	"bytes"
	"errors"

	"volley/internal/jsonrpc"
)

// maxPathData is how many bytes the path and the decoded data of the old form
// may have together.
const maxPathData = 10 << 10

// parsePath decodes the old, positional form of a query: a path such as
// "account/near" and base58 data. It is read at optimistic finality, and its
// errors stand without the opening that other params' errors have.
func (r *request) parsePath(params []byte) *jsonrpc.Error {
	var room [2][]byte
	parts, _, err := jsonrpc.Split(params, room[:0])
	if err != nil || len(parts) != 2 {
		return wrongParams(params, "struct RpcQueryRequest")
	}
	path, isPath := textOf(parts[0])
	data, isData := textOf(parts[1])
	if !isPath || !isData {
		return wrongParams(params, "struct RpcQueryRequest")
	}
	command, rest, found := bytes.Cut(path, []byte("/"))
	if !found {
		return parseFailure("Not enough query parameters provided")
	}
	account, extra, hasExtra := bytes.Cut(rest, []byte("/"))
	r.ref, r.accountID = blockRef{kind: optimistic}, account
	var bad *jsonrpc.Error
	switch string(command) {
	case "account":
		r.op = opViewAccount
	case "code":
		r.op = opViewCode
	case "access_key":
		r.op = opViewAccessKeyList
		if hasExtra {
			r.op = opViewAccessKey
			if r.publicKey, err = parsePublicKey(extra); err != nil {
				return parseFailure("Invalid public key")
			}
		}
	case "contract":
		r.op = opViewState
		r.prefix, bad = pathData(path, data)
	case "call":
		r.op = opCallFunction
		if !hasExtra {
			return parseFailure("Method name is missing")
		}
		r.methodName = extra
		r.args, bad = pathData(path, data)
	default:
		return parseFailure("Unknown path " + string(command))
	}
	return bad
}

// pathData decodes the data of a path that reads any.
func pathData(path, data []byte) ([]byte, *jsonrpc.Error) {
	decoded, err := decodeBase58(nil, data, max(maxPathData-len(path), 0))
	switch {
	case errors.Is(err, errTooLarge):
		return nil, parseFailure("Query data size is too large")
	case err != nil:
		return nil, parseFailure(err.Error())
	}
	return decoded, nil
}
