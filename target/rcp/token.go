package rcp

import (
	"math"
	"strconv"
)

func isString(token []byte) bool { return len(token) > 0 && token[0] == '"' }
func isObject(token []byte) bool { return len(token) > 0 && token[0] == '{' }
func isArray(token []byte) bool  { return len(token) > 0 && token[0] == '[' }
func isNumber(token []byte) bool {
	return len(token) > 0 && (token[0] == '-' || '0' <= token[0] && token[0] <= '9')
}

// integer reads a number with an integral value within 53 bits (section 4.6);
// 1.0 and 1e0 are the integer 1, as in JSON Schema.
func integer(token []byte) (int64, bool) {
	if !isNumber(token) {
		return 0, false
	}
	f, err := strconv.ParseFloat(string(token), 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) >= 1<<53 {
		return 0, false
	}
	return int64(f), true
}
