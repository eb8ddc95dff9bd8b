package rcp

import (
	"strconv"

	"volley/internal/jsonrpc"
)

// Codes of RCP beyond JSON-RPC's own (section 12).
const (
	notInitialized    jsonrpc.Code = -32001
	versionMismatch   jsonrpc.Code = -32002
	capabilityMissing jsonrpc.Code = -32003
	unknownMethod     jsonrpc.Code = -32004
	optionUnsupported jsonrpc.Code = -32005
	cancelled         jsonrpc.Code = -32006

	backendUnavailable jsonrpc.Code = -32010
	rateLimited        jsonrpc.Code = -32011
	payloadTooLarge    jsonrpc.Code = -32013
	timeout            jsonrpc.Code = -32014
	notFound           jsonrpc.Code = -32015
)

// invalid blames one field of params (section 12.1: data.field).
func invalid(field, why string) *jsonrpc.Error {
	return &jsonrpc.Error{
		Code:    jsonrpc.InvalidParams,
		Message: field + " " + why,
		Data:    named("field", field),
	}
}

// unsupported blames an option's value (section 12.1: data.option).
func unsupported(option, why string) *jsonrpc.Error {
	return &jsonrpc.Error{
		Code:    optionUnsupported,
		Message: option + " " + why,
		Data:    named("option", option),
	}
}

func overLimit(code jsonrpc.Code, what string, limit, size int) *jsonrpc.Error {
	data := strconv.AppendInt([]byte(`{"limit":`), int64(limit), 10)
	data = strconv.AppendInt(append(data, `,"size":`...), int64(size), 10)
	return &jsonrpc.Error{
		Code:    code,
		Message: what + ": " + strconv.Itoa(size) + ", the limit is " + strconv.Itoa(limit),
		Data:    append(data, '}'),
	}
}

func named(key, value string) []byte {
	data := append([]byte(`{"`+key), `":`...)
	return append(jsonrpc.AppendString(data, value), '}')
}
