package near

import "testing"

func TestCommentsBecomeSpaces(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"none", `{"a": 1}`, `{"a": 1}`},
		{"slashes", "{ // a\n\"b\": 1}", "{     \n\"b\": 1}"},
		{"hash", "{ # a\n}", "{    \n}"},
		{"hash at the end", `{}#x`, `{}  `},
		{"block", `{/* a */"b":1}`, `{       "b":1}`},
		{"block over lines", "{/* a\r\n b */}", "{    \r\n     }"},
		{"stars", `{/***/}`, `{     }`},
		{"slash star slash is not closed", `{/*/}`, `{/*/}`},
		{"not in a string", `{"a": "// # /* x */"}`, `{"a": "// # /* x */"}`},
		{"not after an escaped quote", `{"a\"//": "\\"} // x`, `{"a\"//": "\\"}     `},
		{"a comment within a comment", "// /* \n/* // */1", "      \n        1"},
		{"never closed", `{} /* x`, `{} /* x`},
		{"a lone slash", `{} / x`, `{} / x`},
		{"string never closed", `{"a // b`, `{"a // b`},
	} {
		if got := string(blankComments([]byte(c.in))); got != c.want {
			t.Errorf("%s: %q became %q, want %q", c.name, c.in, got, c.want)
		}
	}
}

func FuzzComments(f *testing.F) {
	f.Add([]byte("{\"a\": \"//\"} // é\n/* # */ # x"))
	f.Fuzz(func(t *testing.T, text []byte) {
		got := blankComments(text)
		if len(got) != len(text) {
			t.Fatalf("%q became %q: offsets moved", text, got)
		}
		for i := range got {
			if got[i] != text[i] && (got[i] != ' ' || text[i] == '\n') {
				t.Fatalf("%q became %q: byte %d is neither what it was nor blank", text, got, i)
			}
		}
		if again := blankComments(got); string(again) != string(got) {
			t.Fatalf("%q still held comments", got)
		}
	})
}
