package rcp

import (
	"strconv"
	"strings"

	"volley/internal/jsonrpc"
)

// idKey gives equal keys to ids that are equal by value: strings after
// decoding, numbers exactly, so 1, 1.0 and 10e-1 are one id and 2^53+1 is not
// 2^53. A number whose exponent has more than 18 digits keeps its own spelling.
func idKey(id []byte) string {
	if isString(id) {
		text, _ := jsonrpc.Unquote(id)
		return "s" + text
	}
	return "n" + canonicalNumber(string(id))
}

// canonicalNumber writes a JSON number as digits that neither begin nor end
// with a zero, and a power of ten.
func canonicalNumber(token string) string {
	unsigned, negative := strings.CutPrefix(token, "-")
	mantissa, power := unsigned, "0"
	if i := strings.IndexAny(unsigned, "eE"); i >= 0 {
		mantissa, power = unsigned[:i], unsigned[i+1:]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	kept := strings.TrimRight(digits, "0")
	if kept == "" {
		return "0"
	}
	exponent, err := strconv.ParseInt(power, 10, 64)
	if err != nil || exponent >= 1e18 || exponent <= -1e18 {
		return token
	}
	exponent += int64(len(digits)-len(kept)) - int64(len(fraction))
	if negative {
		kept = "-" + kept
	}
	return kept + "e" + strconv.FormatInt(exponent, 10)
}
