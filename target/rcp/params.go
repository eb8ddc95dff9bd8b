package rcp

import (
	"strconv"

	"volley/internal/jsonrpc"
)

// texts decodes an array parameter whose elements are strings or text content
// blocks (section 4.8). limit is the most elements it may have.
func texts(field string, array []byte, limit int) ([]string, *jsonrpc.Error) {
	if !isArray(array) {
		return nil, invalid(field, "is not an array of texts")
	}
	n := 0
	for range jsonrpc.Elements(array) {
		n++
	}
	switch {
	case n == 0:
		return nil, invalid(field, "is empty")
	case n > limit:
		return nil, overLimit(jsonrpc.InvalidParams, "too many "+field, limit, n)
	}
	all := make([]string, 0, n)
	for e := range jsonrpc.Elements(array) {
		s, fault := text(e, func() string { return field + "[" + strconv.Itoa(len(all)) + "]" })
		if fault != nil {
			return nil, fault
		}
		all = append(all, s)
	}
	return all, nil
}

// text decodes a string or a content block. A block of another type than text
// is an option that this server does not have (section 4.8); an object without
// a type is taken by its text.
func text(token []byte, field func() string) (string, *jsonrpc.Error) {
	if isObject(token) {
		if kind := jsonrpc.Member(token, "type"); kind != nil {
			name, _ := jsonrpc.Unquote(kind)
			if !isString(kind) {
				return "", invalid(field()+".type", "is not a string")
			}
			if name != "text" {
				return "", unsupported(field()+".type", "is not text, the only modality here")
			}
		}
		token = jsonrpc.Member(token, "text")
	}
	if !isString(token) {
		return "", invalid(field(), "is neither a string nor a content block with a text")
	}
	s, _ := jsonrpc.Unquote(token)
	return s, nil
}

// optional gives the text of a string parameter; asked is false when it is missing.
func optional(params []byte, field string) (value string, asked bool, fault *jsonrpc.Error) {
	token := jsonrpc.Member(params, field)
	if token == nil {
		return "", false, nil
	}
	if isString(token) {
		if s, ok := jsonrpc.Unquote(token); ok {
			return s, true, nil
		}
	}
	return "", false, invalid(field, "is not a string")
}

// either gives the first of two spellings of a parameter that is there, and its
// name; the first name when neither is.
func either(params []byte, name, synonym string) (string, []byte) {
	if v := jsonrpc.Member(params, name); v != nil {
		return name, v
	}
	if v := jsonrpc.Member(params, synonym); v != nil {
		return synonym, v
	}
	return name, nil
}

// present gives an object's member; nil when it is missing or null, which are
// one where no null is defined (section 4.6).
func present(object []byte, name string) []byte {
	v := jsonrpc.Member(object, name)
	if string(v) == "null" {
		return nil
	}
	return v
}

// flag gives the value of a boolean parameter, otherwise when it is missing.
func flag(params []byte, field string, otherwise bool) (bool, *jsonrpc.Error) {
	switch token := present(params, field); string(token) {
	case "":
		return otherwise, nil
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return false, invalid(field, "is neither true nor false")
}

// count gives the value of an integer parameter of at least one, otherwise when
// it is missing; one over limit is that limit, as section 7.7 clamps.
func count(object []byte, name, field string, otherwise, limit int) (int, *jsonrpc.Error) {
	token := present(object, name)
	if token == nil {
		return otherwise, nil
	}
	n, ok := integer(token)
	if !ok || n < 1 {
		return 0, invalid(field, "is not a positive integer")
	}
	return int(min(n, int64(limit))), nil
}

// number gives the value of a numeric parameter; asked is false when it is missing.
func number(object []byte, name, field string) (value float64, asked bool, fault *jsonrpc.Error) {
	token := present(object, name)
	if token == nil {
		return 0, false, nil
	}
	if isNumber(token) {
		if v, err := strconv.ParseFloat(string(token), 64); err == nil {
			return v, true, nil
		}
	}
	return 0, false, invalid(field, "is not a number")
}
