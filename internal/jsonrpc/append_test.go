package jsonrpc

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestAppendResult(t *testing.T) {
	for id, want := range map[string]string{
		"":       `[{"jsonrpc":"2.0","result":{},"id":null}`,
		"1.50":   `[{"jsonrpc":"2.0","result":{},"id":1.50}`,
		`"\u00"`: `[{"jsonrpc":"2.0","result":{},"id":"\u00"}`,
	} {
		raw := []byte(id)
		if id == "" {
			raw = nil
		}
		got := AppendResultEnd(append(AppendResultStart([]byte("[")), "{}"...), raw)
		if string(got) != want {
			t.Errorf("id %q: %s, want %s", id, got, want)
		}
	}
}

func TestAppendError(t *testing.T) {
	for _, c := range []struct {
		e    Error
		id   string
		want string
	}{
		{Error{Code: InvalidRequest, Message: "Invalid Request"}, "",
			`{"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid Request"},"id":null}`},
		{Error{Name: "HANDLER_ERROR", Cause: []byte(`{"info":{},"name":"X"}`), Code: -32000, Message: "Server \"error\"", Data: []byte(`"d"`)}, `"a"`,
			`{"jsonrpc":"2.0","error":{"name":"HANDLER_ERROR","cause":{"info":{},"name":"X"},"code":-32000,"message":"Server \"error\"","data":"d"},"id":"a"}`},
		{Error{Code: 1, Data: []byte("null")}, "7",
			`{"jsonrpc":"2.0","error":{"code":1,"message":"","data":null},"id":7}`},
	} {
		var id []byte
		if c.id != "" {
			id = []byte(c.id)
		}
		if got := AppendError([]byte("["), &c.e, id); string(got) != "["+c.want {
			t.Errorf("got  %s\nwant [%s", got, c.want)
		}
	}
}

func TestAppendString(t *testing.T) {
	for s, want := range map[string]string{
		"":                       `""`,
		"plain":                  `"plain"`,
		`a"b\c/<&>`:              `"a\"b\\c/<&>"`,
		"\b\f\n\r\t\x00\x1f\x7f": `"\b\f\n\r\t\u0000\u001f` + "\x7f\"",
		"é😀\ufffd\u2028":         "\"é😀\ufffd\u2028\"",
		"\xffa\xc3":              "\"\ufffda\ufffd\"",
	} {
		if got := string(AppendString([]byte("x"), s)); got != "x"+want {
			t.Errorf("AppendString(%q) = %s, want x%s", s, got, want)
		}
	}
}

func TestUnquote(t *testing.T) {
	for _, c := range []struct {
		token, want string
		ok          bool
	}{
		{`""`, "", true},
		{`"a b"`, "a b", true},
		{`"\"\\\/\b\f\n\r\t"`, "\"\\/\b\f\n\r\t", true},
		{`"\u00e9\u20AC\ud83d\ude00!"`, "é€😀!", true},
		{`"\ud83d"`, "\ufffd", true},
		{`"\ud83d\u0041"`, "\ufffdA", true},
		{`"\ud83d\ud83d\ude00"`, "\ufffd😀", true},
		{`"\ude00\ud83d"`, "\ufffd\ufffd", true},
		{`"a`, "", false},
		{`a"`, "", false},
		{`"a"b`, "", false},
		{`"\x"`, "", false},
		{`1`, "", false},
		{``, "", false},
	} {
		if got, ok := Unquote([]byte(c.token)); got != c.want || ok != c.ok {
			t.Errorf("Unquote(%s) = %q, %v; want %q, %v", c.token, got, ok, c.want, c.ok)
		}
	}
}

func FuzzString(f *testing.F) {
	for _, s := range []string{"", "plain", `"\ud83d\ude00"`, `"\u00e9\n"`, "\"é\xff\"", "a\"\\\x01\u2028", `"\ud83d\ud83d\ude00"`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		token := AppendString(nil, s)
		var want string
		if err := json.Unmarshal(token, &want); err != nil {
			t.Fatalf("%s: %v", token, err)
		}
		if got, ok := Unquote(token); !ok || got != want || got != strings.ToValidUTF8(got, "") || len([]rune(got)) != len([]rune(s)) {
			t.Fatalf("%q came back as %q (%v)", s, got, ok)
		}
		got, ok := Unquote([]byte(s))
		if _, _, err := Split([]byte(s), nil); ok && (err != nil || json.Unmarshal([]byte(s), &want) != nil || got != want) {
			t.Fatalf("Unquote(%s) = %q, encoding/json %q (%v)", s, got, want, err)
		}
	})
}
