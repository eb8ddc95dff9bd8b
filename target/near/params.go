package near

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"volley/internal/jsonrpc"
)

// operation is what a request asks for: a query by its request type, or
// another method.
type operation uint8

const (
	opViewAccount operation = iota
	opViewCode
	opViewState
	opViewStateWithProof
	opViewAccessKey
	opViewAccessKeyList
	opCallFunction
	opBlock
	opStatus
	opHealth
	operations
)

// labels are the per-method metrics labels, as nearcore's: a query counts under
// its request type, and under labelQuery where its params do not decode.
var labels = [operations]string{
	opViewAccount:        "query_view_account",
	opViewCode:           "query_view_code",
	opViewState:          "query_view_state",
	opViewStateWithProof: "query_view_state_with_proof",
	opViewAccessKey:      "query_view_access_key",
	opViewAccessKeyList:  "query_view_access_key_list",
	opCallFunction:       "query_call_function",
	opBlock:              "block",
	opStatus:             "status",
	opHealth:             "health",
}

const (
	labelQuery       = "query"
	labelUnsupported = "UNSUPPORTED_METHOD"
)

// request is a call's params, decoded. Slices alias the params, save where
// those hold escapes.
type request struct {
	op        operation
	ref       blockRef // of a query and of block
	accountID []byte   // of a query; not yet checked against the account id rules
	publicKey string   // of opViewAccessKey, with its curve
}

// parseQuery decodes the params of a query: an object, or the old form of two
// strings, a path and data. Members that a request type does not know are
// passed over; of a member given twice the last counts.
func parseQuery(params []byte, kind jsonrpc.Kind) (*request, *jsonrpc.Error) {
	var f queryFields
	switch kind {
	case jsonrpc.Array:
		return parsePath(params)
	case jsonrpc.Object:
		f.read(params)
	default:
		return nil, argsFailure("invalid type: null, expected struct RpcQueryRequest")
	}
	r, err := f.request()
	if err != nil {
		return nil, argsFailure(err.Error())
	}
	return r, nil
}

// queryFields are the raw values of a query's params; nil where absent.
type queryFields struct {
	ref                                                                                   refFields
	requestType, accountID, publicKey, methodName, argsBase64, prefixBase64, includeProof []byte
}

func (f *queryFields) read(params []byte) {
	for name, value := range members(params) {
		switch string(name) {
		case "request_type":
			f.requestType = value
		case "account_id":
			f.accountID = value
		case "public_key":
			f.publicKey = value
		case "method_name":
			f.methodName = value
		case "args_base64":
			f.argsBase64 = value
		case "prefix_base64":
			f.prefixBase64 = value
		case "include_proof":
			f.includeProof = value
		default:
			f.ref.set(name, value)
		}
	}
}

func (f *queryFields) request() (*request, error) {
	ref, err := f.ref.parse()
	if err != nil {
		return nil, err
	}
	requestType, err := stringField("request_type", f.requestType)
	if err != nil {
		return nil, err
	}
	r := &request{ref: ref}
	switch string(requestType) {
	case "view_account":
		r.op = opViewAccount
	case "view_code":
		r.op = opViewCode
	case "view_state":
		r.op, err = f.viewState()
	case "view_access_key":
		r.op = opViewAccessKey
		r.publicKey, err = f.key()
	case "view_access_key_list":
		r.op = opViewAccessKeyList
	case "call_function":
		r.op = opCallFunction
		err = f.checkCall()
	default:
		err = fmt.Errorf("unknown variant `%s`, expected one of `view_account`, `view_code`, `view_state`, "+
			"`view_access_key`, `view_access_key_list`, `call_function`", requestType)
	}
	if err != nil {
		return nil, err
	}
	r.accountID, err = stringField("account_id", f.accountID)
	return r, err
}

func (f *queryFields) viewState() (operation, error) {
	if err := base64Field("prefix_base64", f.prefixBase64); err != nil {
		return 0, err
	}
	switch string(f.includeProof) {
	case "", "false":
		return opViewState, nil
	case "true":
		return opViewStateWithProof, nil
	}
	return 0, fmt.Errorf("invalid type: %s, expected a boolean", described(f.includeProof))
}

func (f *queryFields) key() (string, error) {
	text, err := stringField("public_key", f.publicKey)
	if err != nil {
		return "", err
	}
	return parsePublicKey(text)
}

// checkCall looks at the arguments for their errors alone: no account has a
// contract to hand them to.
func (f *queryFields) checkCall() error {
	if _, err := stringField("method_name", f.methodName); err != nil {
		return err
	}
	return base64Field("args_base64", f.argsBase64)
}

// refFields are the raw values of a block reference; nil where absent.
type refFields struct{ blockID, finality, checkpoint []byte }

func (f *refFields) set(name, value []byte) {
	switch string(name) {
	case "block_id":
		f.blockID = value
	case "finality":
		f.finality = value
	case "sync_checkpoint":
		f.checkpoint = value
	}
}

var errNoReference = errors.New("no variant of enum BlockReference found in flattened data")

// parse reads the one reference that must be there. Where there are several,
// block_id comes before finality and finality before sync_checkpoint: nearcore
// looks at members in alphabetical order.
func (f *refFields) parse() (blockRef, error) {
	switch {
	case f.blockID != nil:
		return parseBlockID(f.blockID)
	case f.finality != nil:
		return parseVariant(f.finality, optimistic, "optimistic", "near-final", "final")
	case f.checkpoint != nil:
		return parseVariant(f.checkpoint, genesis, "genesis", "earliest_available")
	}
	return blockRef{}, errNoReference
}

// parseVariant reads a name, one of those that are expected; they stand for
// first and the kinds after it.
func parseVariant(token []byte, first refKind, expected ...string) (blockRef, error) {
	text, ok := textOf(token)
	if !ok {
		return blockRef{}, fmt.Errorf("invalid type: %s, expected string", described(token))
	}
	for i, name := range expected {
		if string(text) == name {
			return blockRef{kind: first + refKind(i)}, nil
		}
	}
	return blockRef{}, fmt.Errorf("unknown variant `%s`, expected one of `%s`", text, strings.Join(expected, "`, `"))
}

var errBlockID = errors.New("data did not match any variant of untagged enum BlockId")

// parseBlockID reads a height or a base58 hash.
func parseBlockID(token []byte) (blockRef, error) {
	if text, ok := textOf(token); ok {
		var room [hashSize]byte
		hash, err := decodeBase58(room[:0], text, hashSize)
		if err != nil || len(hash) != hashSize {
			return blockRef{}, errBlockID
		}
		return blockRef{kind: byHash, hash: [hashSize]byte(hash)}, nil
	}
	height, err := strconv.ParseUint(string(token), 10, 64)
	if err != nil {
		return blockRef{}, errBlockID
	}
	return blockRef{kind: byHeight, height: height}, nil
}

func stringField(name string, token []byte) ([]byte, error) {
	if token == nil {
		return nil, fmt.Errorf("missing field `%s`", name)
	}
	text, ok := textOf(token)
	if !ok {
		return nil, fmt.Errorf("invalid type: %s, expected a string", described(token))
	}
	return text, nil
}

func base64Field(name string, token []byte) error {
	text, err := stringField(name, token)
	if err != nil {
		return err
	}
	decoded := make([]byte, base64.StdEncoding.DecodedLen(len(text)))
	if _, err := base64.StdEncoding.Strict().Decode(decoded, text); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// described names a JSON value as serde does in its errors.
func described(token []byte) string {
	switch token[0] {
	case 'n':
		return "null"
	case 't', 'f':
		return fmt.Sprintf("boolean `%s`", token)
	case '"':
		text, _ := textOf(token)
		return fmt.Sprintf("string %s", jsonrpc.AppendString(nil, string(text)))
	case '[':
		return "sequence"
	case '{':
		return "map"
	}
	if bytes.ContainsAny(token, ".eE") {
		return fmt.Sprintf("floating point `%s`", token)
	}
	return fmt.Sprintf("integer `%s`", token)
}

// parsePublicKey reads "ed25519:" or "secp256k1:" and base58, or base58 alone,
// which is an ed25519 key; it yields the key with its curve.
func parsePublicKey(text []byte) (string, error) {
	curve, digits, found := bytes.Cut(text, []byte(":"))
	if !found {
		curve, digits = []byte("ed25519"), text
	}
	size := 0
	switch string(curve) {
	case "ed25519":
		size = 32
	case "secp256k1":
		size = 64
	default:
		return "", fmt.Errorf("unknown key type '%s'", curve)
	}
	var room [64]byte
	key, err := decodeBase58(room[:0], digits, size)
	switch {
	case errors.Is(err, errTooLarge):
		return "", fmt.Errorf("invalid key length: expected the input of %d bytes, but it is longer", size)
	case err != nil:
		return "", fmt.Errorf("invalid key data: %w", err)
	case len(key) != size:
		return "", fmt.Errorf("invalid key length: expected the input of %d bytes, but %d was given", size, len(key))
	}
	return string(curve) + ":" + string(digits), nil
}
