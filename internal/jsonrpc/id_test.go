package jsonrpc

import (
	"bytes"
	"encoding/json"
	"math/big"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestSameID(t *testing.T) {
	huge := strings.Repeat("9", 100000)
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{`1`, `1`, true},
		{`1`, `2`, false},
		{`1`, `1.0`, true},
		{`1`, `1.10`, false},
		{`1`, `10`, false},
		{`1.50`, `1.5`, true},
		{`1e3`, `1000`, true},
		{`1E+3`, `1000.000`, true},
		{`10.5e2`, `1050`, true},
		{`0.00105e6`, `1050`, true},
		{`105e-5`, `0.00105`, true},
		{`1`, `-1`, false},
		{`-1.0`, `-1`, true},
		{`0`, `-0.0e7`, true},
		{`0`, `0.001`, false},
		{`9007199254740993`, `9007199254740992`, false},
		{`9007199254740993`, `9007199254740993.0`, true},
		{`9007199254740993`, `90071992547409.93e2`, true},
		{`1e999999999`, `1e999999999`, true},
		{`1e999999999`, `10e999999998`, true},
		{`1e999999999`, `1e999999998`, false},
		{`1e999999999`, `1e-999999999`, false},
		{`1e1000000000000000000000`, `10e999999999999999999999`, true},
		{`1e1000000000000000000000`, `1e999999999999999999999`, false},
		{`1e-1000000000000000000000`, `0.1e-999999999999999999999`, true},
		{`1e` + huge, `10e` + huge, false},
		{`1e` + huge, `1e0` + huge, true},
		{`1e` + huge, `1`, false},
		{`0e` + huge, `0`, true},
		{huge, huge + ".0", true},
		{`"a"`, `"a"`, true},
		{`"a"`, `"\u0061"`, true},
		{`"/"`, `"\/"`, true},
		{`"a"`, `"ab"`, false},
		{`"a"`, `"A"`, false},
		{`""`, `""`, true},
		{`"\ud83d\ude00"`, `"😀"`, true},
		{`"\ud800"`, `"\uD800"`, true},
		{`"\ud800"`, `"\ud801"`, false},
		{`"\ud800"`, `"\ufffd"`, false},
		{`"\n"`, `"\u000A"`, true},
		{`1`, `"1"`, false},
		{`null`, `null`, true},
		{`null`, `"null"`, false},
		{`true`, `false`, false},
		{`null`, ``, false},
		{``, ``, false},
		{`"a`, `"b"`, false},
		{`1x`, `1.0`, false},
	} {
		if got := SameID([]byte(c.a), []byte(c.b)); got != c.same {
			t.Errorf("SameID(%.40s, %.40s) = %v", c.a, c.b, got)
		}
		if got := SameID([]byte(c.b), []byte(c.a)); got != c.same {
			t.Errorf("SameID(%.40s, %.40s) = %v", c.b, c.a, got)
		}
	}
}

func FuzzSameID(f *testing.F) {
	for _, pair := range [][2]string{
		{"1", "1.0"}, {"1e3", "1000"}, {"-0", "0"}, {"0.00105E+6", "1050"}, {"9007199254740993", "9007199254740992"}, {"1e999999999", "1"},
		{`"a"`, `"\u0061"`}, {`"\ud83d\ude00"`, `"😀"`}, {`"\ud800"`, `"\ufffd"`}, {"null", "null"}, {"1.50", "true"},
		{"1e1000000000000000000000", "10e999999999999999999999"},
	} {
		f.Add([]byte(pair[0]), []byte(pair[1]))
	}
	f.Fuzz(func(t *testing.T, a, b []byte) {
		same := SameID(a, b)
		if SameID(b, a) != same {
			t.Fatal("not symmetric")
		}
		if (kindOf(a) != Absent) != SameID(a, a) {
			t.Fatal("not the same as itself")
		}
		x, y := plainNumber(a), plainNumber(b)
		if x != nil && y != nil && same != (x.Cmp(y) == 0) {
			t.Fatalf("SameID is %v; math/big has %v and %v", same, x, y)
		}
		var s, u string
		if plainString(a, &s) && plainString(b, &u) && !strings.Contains(s+u, "\ufffd") && same != (s == u) {
			t.Fatalf("SameID is %v; encoding/json has %q and %q", same, s, u)
		}
	})
}

func plainString(token []byte, s *string) bool {
	return kindOf(token) == String && token[len(token)-1] == '"' && utf8.Valid(token) && json.Unmarshal(token, s) == nil
}

// plainNumber is a number token's value by math/big; nil for what is no number
// and for an exponent that math/big had better not write out.
func plainNumber(token []byte) *big.Rat {
	if kindOf(token) != Number || !json.Valid(token) || !isDigit(token[len(token)-1]) {
		return nil
	}
	if e := bytes.IndexAny(token, "eE"); e >= 0 {
		if n, err := strconv.Atoi(string(token[e+1:])); err != nil || n > 5000 || n < -5000 {
			return nil
		}
	}
	r, _ := new(big.Rat).SetString(string(token))
	return r
}

func BenchmarkSameID(b *testing.B) {
	x, y := []byte("9007199254740993"), []byte("9007199254740993.0")
	b.ReportAllocs()
	for b.Loop() {
		if !SameID(x, y) {
			b.Fatal("not the same")
		}
	}
}
