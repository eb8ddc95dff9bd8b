package jsonrpc

import (
	"bytes"
	"strconv"
)

// SameID tells whether two ids, each a JSON value, are the same: strings by the
// characters that they stand for, numbers by their exact value (1.0 is 1, and
// 9007199254740993 is not 9007199254740992), all else by their bytes. An absent
// id (nil) is the same as no other, not even as another absent one.
func SameID(a, b []byte) bool {
	kind := kindOf(a)
	switch {
	case kind != kindOf(b) || kind == Absent:
		return false
	case bytes.Equal(a, b):
		return true
	case kind == Number:
		return sameNumber(a, b)
	case kind == String:
		return isString(a) && isString(b) && sameText(a[1:len(a)-1], b[1:len(b)-1])
	}
	return false
}

func isString(token []byte) bool {
	end, _, f := skipString(token, 0)
	return f == none && end == len(token)
}

func sameNumber(a, b []byte) bool {
	x, ok := parseDecimal(a)
	y, ok2 := parseDecimal(b)
	switch {
	case !ok || !ok2:
		return false
	case x.zero() || y.zero():
		return x.zero() && y.zero()
	}
	return x.neg == y.neg && sameDigits(x.digits, y.digits) && samePower(x, y)
}

// decimal is a number taken apart: 0.digits x 10^(point+exponent). It is bounded
// by its token, whatever its exponent.
type decimal struct {
	neg      bool
	digits   []byte // from the first to the last that is not 0; may hold a decimal point
	point    int
	expNeg   bool
	exponent []byte // decimal digits without leading zeros
}

func parseDecimal(token []byte) (d decimal, ok bool) {
	if kindOf(token) != Number {
		return d, false
	}
	if end, f := skipNumber(token, 0); f != none || end != len(token) {
		return d, false
	}
	if token[0] == '-' {
		d.neg, token = true, token[1:]
	}
	if e := bytes.IndexAny(token, "eE"); e >= 0 {
		d.exponent, token = token[e+1:], token[:e]
		d.expNeg = d.exponent[0] == '-'
		d.exponent = bytes.TrimLeft(d.exponent, "+-0")
	}
	d.point = bytes.IndexByte(token, '.')
	if d.point < 0 {
		d.point = len(token)
	}
	d.digits = bytes.TrimLeft(token, "0.")
	if lost := len(token) - len(d.digits); lost <= d.point {
		d.point -= lost
	} else {
		d.point = d.point + 1 - lost
	}
	d.digits = bytes.TrimRight(d.digits, "0.")
	return d, true
}

func (d decimal) zero() bool { return len(d.digits) == 0 }

// sameDigits compares digits regardless of where a decimal point stands.
func sameDigits(a, b []byte) bool {
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] == '.':
			a = a[1:]
		case b[0] == '.':
			b = b[1:]
		case a[0] != b[0]:
			return false
		default:
			a, b = a[1:], b[1:]
		}
	}
	return len(a) == len(b)
}

// samePower tells whether point+exponent are equal. Digit by digit it adds up how
// far the exponents differ; once that is more than any point can make good it
// only grows, so an exponent of any length costs no more than reading it.
func samePower(a, b decimal) bool {
	const far = 1 << 50
	diff := int64(0)
	for n := max(len(a.exponent), len(b.exponent)); n > 0; n-- {
		diff = diff*10 + a.exponentDigit(n) - b.exponentDigit(n)
		if diff > far || diff < -far {
			return false
		}
	}
	return diff == int64(b.point)-int64(a.point)
}

// exponentDigit is the nth digit of the exponent from its end, with its sign.
func (d decimal) exponentDigit(n int) int64 {
	if n > len(d.exponent) {
		return 0
	}
	digit := int64(d.exponent[len(d.exponent)-n] - '0')
	if d.expNeg {
		return -digit
	}
	return digit
}

// integer yields the value of a number token that is an integer, however it is
// written, and fits.
func integer(token []byte) (int64, bool) {
	if n, err := strconv.ParseInt(string(token), 10, 64); err == nil {
		return n, kindOf(token) == Number
	}
	d, ok := parseDecimal(token)
	if !ok || d.zero() {
		return 0, ok
	}
	if len(d.exponent) > 18 { // further than any token's digits could make good
		return 0, false
	}
	exponent, _ := strconv.ParseInt("0"+string(d.exponent), 10, 64)
	if d.expNeg {
		exponent = -exponent
	}
	digits := bytes.ReplaceAll(d.digits, []byte("."), nil)
	zeros := int64(d.point) + exponent - int64(len(digits))
	if zeros < 0 || int64(len(digits))+zeros > 19 {
		return 0, false
	}
	digits = append(digits, "0000000000000000000"[:zeros]...)
	if d.neg {
		digits = append([]byte("-"), digits...)
	}
	n, err := strconv.ParseInt(string(digits), 10, 64)
	return n, err == nil
}

// plainInteger yields the value of a token of nothing but digits that fits.
func plainInteger(token []byte) (n uint64, ok bool) {
	if len(token) == 0 || len(token) > 20 {
		return 0, false
	}
	for _, c := range token {
		digit := uint64(c - '0')
		if digit > 9 || len(token) == 20 && n > (1<<64-1-digit)/10 {
			return 0, false
		}
		n = n*10 + digit
	}
	return n, true
}
