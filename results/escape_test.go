package results_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"volley/results"
)

func TestEscape(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"", ""},
		{"plain text, with ünïcode and 日本語", "plain text, with ünïcode and 日本語"},
		{"red \x1b[31malert\x1b[0m", `red \x1b[31malert\x1b[0m`},
		{"bell\x07 backspace\x08 delete\x7f", `bell\a backspace\b delete\x7f`},
		{"two\r\nlines\tand a tab", `two\r\nlines\tand a tab`},
		{"C1 \u009b31m", `C1 \u009b31m`},
		{"turned \u202eround", `turned \u202eround`},
		{"zero\u200bwidth", `zero\u200bwidth`},
		{"a byte \xff, a half \xe2\x82", `a byte \xff, a half \xe2\x82`},
		{"replacement \ufffd is a character", "replacement \ufffd is a character"},
		{"\xef", `\xef`},
		{`back\slash`, `back\slash`},
	} {
		if got := results.Escape(tt.in); got != tt.want {
			t.Errorf("%q: got %s, want %s", tt.in, got, tt.want)
		}
	}
}

func FuzzEscape(f *testing.F) {
	f.Add("a\x1b[2J")
	f.Add("\xef\xbf")
	f.Fuzz(func(t *testing.T, s string) {
		got := results.Escape(s)
		if !utf8.ValidString(got) || strings.ContainsFunc(got, func(r rune) bool { return !unicode.IsPrint(r) }) {
			t.Errorf("%q became %q", s, got)
		}
		if results.Escape(got) != got {
			t.Errorf("%q does not stay as it is", got)
		}
	})
}

func ExampleEscape() {
	fmt.Println(results.Escape("\x1b[2Jcleared"))
	// Output: \x1b[2Jcleared
}
