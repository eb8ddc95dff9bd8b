package scenario

import (
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"
)

// scalarType is what a scalar is under YAML 1.2's core schema.
type scalarType uint8

const (
	isString scalarType = iota
	isNull
	isBool
	isInt
	isFloat
	isInfinite // .inf and .nan, which JSON has no word for
	isDoubtful // 017: an octal number to some readers, a decimal one to others
)

var (
	decimalInt  = regexp.MustCompile(`^[-+]?[0-9]+$`)
	basedInt    = regexp.MustCompile(`^0o[0-7]+$|^0x[0-9a-fA-F]+$`)
	floatNumber = regexp.MustCompile(`^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$`)
	infinite    = regexp.MustCompile(`^[-+]?\.(inf|Inf|INF)$|^\.(nan|NaN|NAN)$`)
	leadingZero = regexp.MustCompile(`^[-+]?0[0-9]`)
)

// resolve tells the type of a scalar (YAML 1.2.2, section 10.3.2).
func resolve(text string, quoted bool) scalarType {
	switch {
	case quoted:
		return isString
	case text == "" || text == "~" || text == "null" || text == "Null" || text == "NULL":
		return isNull
	case text == "true" || text == "True" || text == "TRUE" || text == "false" || text == "False" || text == "FALSE":
		return isBool
	case infinite.MatchString(text):
		return isInfinite
	case leadingZero.MatchString(text) && floatNumber.MatchString(text):
		return isDoubtful
	case decimalInt.MatchString(text), basedInt.MatchString(text):
		return isInt
	case floatNumber.MatchString(text):
		return isFloat
	}
	return isString
}

var jsonNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)

// jsonNumberText writes a YAML number as JSON without touching its value: the
// text itself wherever JSON allows it.
func jsonNumberText(text string) string {
	if jsonNumber.MatchString(text) {
		return text
	}
	if basedInt.MatchString(text) {
		n, _ := new(big.Int).SetString(text, 0)
		return n.String()
	}
	text = strings.TrimPrefix(text, "+")
	sign := ""
	if strings.HasPrefix(text, "-") {
		sign, text = "-", text[1:]
	}
	mantissa, exponent := text, ""
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		mantissa, exponent = text[:i], text[i:]
	}
	if strings.HasPrefix(mantissa, ".") {
		mantissa = "0" + mantissa
	}
	return sign + strings.TrimSuffix(mantissa, ".") + exponent
}

// finite reads a decimal number that is neither infinite nor NaN.
func finite(text string) (float64, bool) {
	if !floatNumber.MatchString(text) {
		return 0, false
	}
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil && !math.IsInf(v, 0)
}

// decimal writes a number so that it reads back as the same float64.
func decimal(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
