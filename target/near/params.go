package near

import (
	"fmt"
	"strings"

	"volley/internal/jsonrpc"
)

// parseQuery decodes the params of a query: an object, or the old form of two
// strings, a path and data. Members that a request type does not know are
// passed over; of a member given twice the last counts.
func (r *request) parseQuery(params []byte, kind jsonrpc.Kind) *jsonrpc.Error {
	switch kind {
	case jsonrpc.Array:
		return r.parsePath(params)
	case jsonrpc.Object:
	default:
		return wrongParams(params, "struct RpcQueryRequest")
	}
	var f queryFields
	f.read(params)
	if err := f.query(r); err != nil {
		return argsFailure(err.Error())
	}
	return nil
}

// parseStructured is parse for the methods that answer as query does, with
// structured errors; ok is false for any other method. Their params are a
// query's without the request type, by name only.
func (r *request) parseStructured(method, params []byte, kind jsonrpc.Kind) (label string, err *jsonrpc.Error, ok bool) {
	switch string(method) {
	case "EXPERIMENTAL_view_account":
		r.op, label = opViewAccount, "EXPERIMENTAL_view_account"
	case "EXPERIMENTAL_view_code":
		r.op, label = opViewCode, "EXPERIMENTAL_view_code"
	case "EXPERIMENTAL_view_state":
		r.op, label = opViewState, "EXPERIMENTAL_view_state"
	case "EXPERIMENTAL_view_access_key":
		r.op, label = opViewAccessKey, "EXPERIMENTAL_view_access_key"
	case "EXPERIMENTAL_view_access_key_list":
		r.op, label = opViewAccessKeyList, "EXPERIMENTAL_view_access_key_list"
	case "EXPERIMENTAL_view_gas_key_nonces":
		r.op, label = opViewGasKeyNonces, "EXPERIMENTAL_view_gas_key_nonces"
	case "EXPERIMENTAL_call_function":
		r.op, label = opCallFunction, "EXPERIMENTAL_call_function"
	default:
		return "", nil, false
	}
	r.structured = true
	if kind != jsonrpc.Object {
		return label, wrongParams(params, "a map"), true
	}
	var f queryFields
	f.read(params)
	ref, bad := f.ref.parse()
	if r.ref = ref; bad == nil {
		bad = f.request(r)
	}
	if bad != nil {
		return label, argsFailure(bad.Error()), true
	}
	return label, nil, true
}

// queryFields are the raw values of a query's params; nil where absent.
type queryFields struct {
	ref                                                                                             refFields
	requestType, accountID, publicKey, methodName, argsBase64, prefixBase64, includeProof, codeHash []byte
}

func (f *queryFields) read(params []byte) {
	for name, value := range jsonrpc.Members(params) {
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
		case "code_hash":
			f.codeHash = value
		default:
			f.ref.set(name, value)
		}
	}
}

// requestTypes are the request types by their operation. What a proof is asked
// for has the request type of what it is asked of.
var requestTypes = [queries]string{
	opViewAccount:             "view_account",
	opViewCode:                "view_code",
	opViewState:               "view_state",
	opViewAccessKey:           "view_access_key",
	opViewAccessKeyList:       "view_access_key_list",
	opViewGasKeyNonces:        "view_gas_key_nonces",
	opCallFunction:            "call_function",
	opViewGlobalCode:          "view_global_contract_code",
	opViewGlobalCodeByAccount: "view_global_contract_code_by_account_id",
}

func (f *queryFields) query(r *request) (err error) {
	if r.ref, err = f.ref.parse(); err != nil {
		return err
	}
	requestType, err := stringField("request_type", f.requestType)
	if err != nil {
		return err
	}
	for op, name := range requestTypes {
		if name != "" && name == string(requestType) {
			r.op = operation(op)
			return f.request(r)
		}
	}
	var names []string
	for _, name := range requestTypes {
		if name != "" {
			names = append(names, "`"+name+"`")
		}
	}
	return fmt.Errorf("unknown variant `%s`, expected one of %s", requestType, strings.Join(names, ", "))
}

// request reads the fields of r.op.
func (f *queryFields) request(r *request) (err error) {
	switch r.op {
	case opViewState:
		if r.prefix, err = base64Field("prefix_base64", f.prefixBase64); err == nil {
			r.op, err = f.proof()
		}
	case opViewAccessKey, opViewGasKeyNonces:
		var text []byte
		if text, err = stringField("public_key", f.publicKey); err == nil {
			r.publicKey, err = parsePublicKey(text)
		}
	case opCallFunction:
		if r.methodName, err = stringField("method_name", f.methodName); err == nil {
			r.args, err = base64Field("args_base64", f.argsBase64)
		}
	case opViewGlobalCode:
		r.codeHash, err = hashField("code_hash", f.codeHash)
		return err
	}
	if err != nil {
		return err
	}
	r.accountID, err = stringField("account_id", f.accountID)
	return err
}

func (f *queryFields) proof() (operation, error) {
	switch string(f.includeProof) {
	case "", "false":
		return opViewState, nil
	case "true":
		return opViewStateWithProof, nil
	}
	return 0, fmt.Errorf("invalid type: %s, expected a boolean", described(f.includeProof))
}
