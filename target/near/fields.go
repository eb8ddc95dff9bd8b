package near

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"

	"volley/internal/jsonrpc"
)

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

func base64Field(name string, token []byte) ([]byte, error) {
	text, err := stringField(name, token)
	if err != nil {
		return nil, err
	}
	decoded := make([]byte, base64.StdEncoding.DecodedLen(len(text)))
	n, err := base64.StdEncoding.Strict().Decode(decoded, text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return decoded[:n], nil
}

var errHash = errors.New("invalid value: a hash of 32 bytes in base58 was expected")

// hashField reads a hash in base58.
func hashField(name string, token []byte) (hash [hashSize]byte, err error) {
	text, err := stringField(name, token)
	if err != nil {
		return hash, err
	}
	hash, ok := parseHash(text)
	if !ok {
		return hash, fmt.Errorf("%s: %w", name, errHash)
	}
	return hash, nil
}

func parseHash(text []byte) (hash [hashSize]byte, ok bool) {
	decoded, err := decodeBase58(hash[:0], text, hashSize)
	return hash, err == nil && len(decoded) == hashSize
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

// wrongParams is the failure of params that are not what a method takes, worded
// as serde does. Missing ones are null.
func wrongParams(params []byte, expected string) *jsonrpc.Error {
	if params == nil {
		params = []byte("null")
	}
	return argsFailure("invalid type: " + described(params) + ", expected " + expected)
}

func unsigned(token []byte) (uint64, bool) {
	n, err := strconv.ParseUint(string(token), 10, 64)
	return n, err == nil
}

// textOf is the text of a JSON string token; ok is false for any other token.
// It allocates only where the string holds escapes.
func textOf(token []byte) (text []byte, ok bool) {
	if len(token) < 2 || token[0] != '"' {
		return nil, false
	}
	if bytes.IndexByte(token, '\\') < 0 {
		return token[1 : len(token)-1], true
	}
	s, ok := jsonrpc.Unquote(token)
	return []byte(s), ok
}
