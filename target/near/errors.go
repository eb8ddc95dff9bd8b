package near

import "volley/internal/jsonrpc"

// serverError is nearcore's code of every handler and internal error.
const serverError jsonrpc.Code = -32000

// The kinds of error that nearcore tells apart (the error object's name).
const (
	requestValidationError = "REQUEST_VALIDATION_ERROR"
	handlerError           = "HANDLER_ERROR"
	internalError          = "INTERNAL_ERROR"
)

// Causes that decide the HTTP status of a singleton's answer.
const (
	unknownBlock = "UNKNOWN_BLOCK"
	timeoutError = "TIMEOUT_ERROR"
)

// parseFailure is the answer to params that do not decode.
func parseFailure(text string) *jsonrpc.Error {
	quoted := jsonrpc.AppendString(nil, text)
	return &jsonrpc.Error{
		Name:    requestValidationError,
		Cause:   validationCause("PARSE_ERROR", "error_message", quoted),
		Code:    jsonrpc.ParseError,
		Message: "Parse error",
		Data:    quoted,
	}
}

// argsFailure is parseFailure for params of a named form: nearcore puts what
// its decoder said behind a fixed opening.
func argsFailure(text string) *jsonrpc.Error { return parseFailure("Failed parsing args: " + text) }

// methodNotFound is the answer to a singleton's unknown method.
func methodNotFound(method []byte) *jsonrpc.Error {
	quoted := jsonrpc.AppendString(nil, string(method))
	return &jsonrpc.Error{
		Name:    requestValidationError,
		Cause:   validationCause("METHOD_NOT_FOUND", "method_name", quoted),
		Code:    jsonrpc.MethodNotFound,
		Message: "Method not found",
		Data:    quoted,
	}
}

func validationCause(name, member string, quoted []byte) []byte {
	cause := append([]byte(`{"name":"`), name...)
	cause = append(cause, `","info":{"`...)
	cause = append(cause, member...)
	cause = append(cause, `":`...)
	cause = append(cause, quoted...)
	return append(cause, `}}`...)
}

// handlerFailure is a method's own error; info is its cause's info, a JSON
// object, or nil for a cause without one. Members stand in alphabetical order,
// as nearcore sends them.
func handlerFailure(cause string, info []byte, text string) *jsonrpc.Error {
	return handlerFailureData(cause, info, jsonrpc.AppendString(nil, text))
}

// handlerFailureData is handlerFailure for data that are no text.
func handlerFailureData(cause string, info, data []byte) *jsonrpc.Error {
	full := []byte{'{'}
	if info != nil {
		full = append(append(append(full, `"info":`...), info...), ',')
	}
	full = append(append(append(full, `"name":"`...), cause...), `"}`...)
	return &jsonrpc.Error{
		Name:    handlerError,
		Cause:   full,
		Code:    serverError,
		Message: "Server error",
		Data:    data,
	}
}

// internalFailure is the answer to a call that the node itself could not do.
func internalFailure(text string) *jsonrpc.Error {
	cause := append([]byte(`{"info":{"error_message":`), jsonrpc.AppendString(nil, text)...)
	return &jsonrpc.Error{
		Name:    internalError,
		Cause:   append(cause, `},"name":"INTERNAL_ERROR"}`...),
		Code:    serverError,
		Message: "Server error",
		Data:    jsonrpc.AppendString(nil, "The node reached its limits. Try again later. More details: "+text),
	}
}

// causeName is the name within an error's cause; "" where it has none.
func causeName(e *jsonrpc.Error) string {
	for name, value := range jsonrpc.Members(e.Cause) {
		if string(name) == "name" {
			text, _ := textOf(value)
			return string(text)
		}
	}
	return ""
}

// blockInfo is the info of a cause that tells the block that was read and,
// unless member is "", one thing more about the request.
func blockInfo(b *block, member, value string) []byte {
	info := append([]byte{'{'}, b.read...)
	if member != "" {
		info = append(info, `,"`...)
		info = append(info, member...)
		info = append(info, `":`...)
		info = jsonrpc.AppendString(info, value)
	}
	return append(info, '}')
}
