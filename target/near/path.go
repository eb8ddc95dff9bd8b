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
func parsePath(params []byte) (*request, *jsonrpc.Error) {
	var room [2][]byte
	parts, _, err := jsonrpc.Split(params, room[:0])
	if err != nil || len(parts) != 2 {
		return nil, argsFailure("invalid type: sequence, expected struct RpcQueryRequest")
	}
	path, isPath := textOf(parts[0])
	data, isData := textOf(parts[1])
	if !isPath || !isData {
		return nil, argsFailure("invalid type: sequence, expected struct RpcQueryRequest")
	}
	command, rest, found := bytes.Cut(path, []byte("/"))
	if !found {
		return nil, parseFailure("Not enough query parameters provided")
	}
	account, extra, hasExtra := bytes.Cut(rest, []byte("/"))
	r := &request{ref: blockRef{kind: optimistic}, accountID: account}
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
				return nil, parseFailure("Invalid public key")
			}
		}
	case "contract":
		r.op = opViewState
		if e := checkPathData(path, data); e != nil {
			return nil, e
		}
	case "call":
		r.op = opCallFunction
		if !hasExtra {
			return nil, parseFailure("Method name is missing")
		}
		if e := checkPathData(path, data); e != nil {
			return nil, e
		}
	default:
		return nil, parseFailure("Unknown path " + string(command))
	}
	return r, nil
}

// checkPathData decodes data for its errors alone: no account has state, and no
// account has a contract to hand the arguments to.
func checkPathData(path, data []byte) *jsonrpc.Error {
	_, err := decodeBase58(nil, data, max(maxPathData-len(path), 0))
	switch {
	case errors.Is(err, errTooLarge):
		return parseFailure("Query data size is too large")
	case err != nil:
		return parseFailure(err.Error())
	}
	return nil
}
