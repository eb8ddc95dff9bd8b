package target

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"strconv"
	"time"

	"volley/internal/jsonrpc"
)

func sum(c *Call, dst []byte) ([]byte, *jsonrpc.Error) {
	numbers, err := elements(c)
	if err != nil {
		return dst, invalidParams("want an array of numbers")
	}
	return appendTotal(dst, numbers, false)
}

func subtract(c *Call, dst []byte) ([]byte, *jsonrpc.Error) {
	operands, err := elements(c)
	if c.ParamsKind == jsonrpc.Object {
		var named struct {
			Minuend    json.RawMessage `json:"minuend"`
			Subtrahend json.RawMessage `json:"subtrahend"`
		}
		err = json.Unmarshal(c.Params, &named)
		if named.Minuend != nil && named.Subtrahend != nil {
			operands = [][]byte{named.Minuend, named.Subtrahend}
		}
	}
	if err != nil || len(operands) != 2 {
		return dst, invalidParams(`want [a, b] or {"minuend": a, "subtrahend": b}`)
	}
	return appendTotal(dst, operands, true)
}

var errNoArray = errors.New("no array")

func elements(c *Call) ([][]byte, error) {
	if c.ParamsKind != jsonrpc.Array {
		return nil, errNoArray
	}
	members, _, err := jsonrpc.Split(c.Params, nil)
	return members, err
}

// longestInteger bounds the digits that are summed exactly, so that no caller
// buys more arithmetic than its bytes are worth.
const longestInteger = 1000

// appendTotal adds the numbers up, or takes the others from the first. Integers
// give an exact integer; with a fraction or an exponent among them the sum is a
// float64's.
func appendTotal(dst []byte, numbers [][]byte, minus bool) ([]byte, *jsonrpc.Error) {
	exact, float := new(big.Int), 0.0
	integers := true
	var term big.Int
	for i, token := range numbers {
		x, err := strconv.ParseFloat(string(token), 64)
		if err != nil || !isNumber(token) {
			return dst, invalidParams("want numbers, each within the range of a float64")
		}
		integers = integers && len(token) <= longestInteger && isInteger(token)
		if integers {
			term.SetString(string(token), 10)
		}
		if minus && i > 0 {
			exact.Sub(exact, &term)
			float -= x
			continue
		}
		exact.Add(exact, &term)
		float += x
	}
	if integers {
		return exact.Append(dst, 10), nil
	}
	if math.IsInf(float, 0) || math.IsNaN(float) {
		return dst, invalidParams("the result is out of a float64's range")
	}
	return strconv.AppendFloat(dst, float, 'g', -1, 64), nil
}

// isNumber tells a JSON value's kind by its first byte; ParseFloat alone would
// take more than JSON's numbers.
func isNumber(token []byte) bool {
	return len(token) > 0 && (token[0] == '-' || token[0] >= '0' && token[0] <= '9')
}

func isInteger(token []byte) bool {
	for _, b := range token {
		if b == '.' || b == 'e' || b == 'E' {
			return false
		}
	}
	return true
}

// Bounds of what one call may ask for.
const (
	longestSleep = time.Hour
	longestBurn  = time.Minute
)

func (g *generic) sleep(ctx context.Context, c *Call, dst []byte) ([]byte, *jsonrpc.Error) {
	d, ok := span(c, "ms", time.Millisecond, longestSleep)
	if !ok {
		return dst, invalidParams(`want {"ms": n} or [n], from 0 to an hour`)
	}
	if g.execution.Wait(ctx, d) != nil {
		return dst, &errStopping
	}
	return append(dst, "null"...), nil
}

func burn(ctx context.Context, c *Call, dst []byte) ([]byte, *jsonrpc.Error) {
	d, ok := span(c, "us", time.Microsecond, longestBurn)
	if !ok {
		return dst, invalidParams(`want {"us": n} or [n], from 0 to a minute`)
	}
	if _, err := burnCPU(ctx, d); err != nil {
		return dst, &errStopping
	}
	return append(dst, "null"...), nil
}

// span reads a time from params, positional or by name.
func span(c *Call, name string, unit, most time.Duration) (time.Duration, bool) {
	var token []byte
	if numbers, err := elements(c); err == nil && len(numbers) == 1 {
		token = numbers[0]
	} else if c.ParamsKind == jsonrpc.Object {
		var named map[string]json.RawMessage
		if json.Unmarshal(c.Params, &named) == nil {
			token = named[name]
		}
	}
	if !isNumber(token) {
		return 0, false
	}
	x, err := strconv.ParseFloat(string(token), 64)
	d := x * float64(unit)
	return time.Duration(d), err == nil && d >= 0 && d <= float64(most)
}

// fail answers the error that the params describe.
func fail(c *Call) *jsonrpc.Error {
	var wanted struct {
		Code    *int64          `json:"code"`
		Message *string         `json:"message"`
		Data    json.RawMessage `json:"data"`
	}
	if c.ParamsKind != jsonrpc.Object || json.Unmarshal(c.Params, &wanted) != nil || wanted.Code == nil || wanted.Message == nil {
		return invalidParams(`want {"code": a whole number, "message": a string}, and data if there is any`)
	}
	return &jsonrpc.Error{Code: jsonrpc.Code(*wanted.Code), Message: *wanted.Message, Data: wanted.Data}
}
