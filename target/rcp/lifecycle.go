package rcp

import (
	"runtime/debug"

	"volley/internal/jsonrpc"
)

// protocolVersion is the highest this node speaks, and the only one there is.
const protocolVersion = 1

func buildVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "devel"
}

// ping echoes a nonce byte for byte (section 7.15).
func ping(params, dst []byte) ([]byte, *jsonrpc.Error) {
	nonce := jsonrpc.Member(params, "nonce")
	switch {
	case nonce == nil:
		return append(dst, `{}`...), nil
	case !isString(nonce) && !isNumber(nonce):
		return dst, invalid("nonce", "is neither a string nor a number")
	}
	dst = append(dst, `{"nonce":`...)
	dst = append(dst, nonce...)
	return append(dst, '}'), nil
}
