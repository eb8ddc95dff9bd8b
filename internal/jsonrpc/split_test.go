package jsonrpc

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestSplit(t *testing.T) {
	for _, c := range []struct {
		body, members string // members joined by |
		batch         bool
	}{
		{`[]`, ``, true},
		{"\t[ \r\n] ", ``, true},
		{`{}`, `{}`, false},
		{" {\"id\" : 1}\n", `{"id" : 1}`, false},
		{`7`, `7`, false},
		{`"]"`, `"]"`, false},
		{`[1,2]`, `1|2`, true},
		{" [ 1 , \"a,b]\" ,\n{ \"x\" : [ ] } , [ ] ,null,true , false,-0.5e+10 ]\r", `1|"a,b]"|{ "x" : [ ] }|[ ]|null|true|false|-0.5e+10`, true},
		{`["\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00\ud800"]`, `"\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00\ud800"`, true},
		{`["é😀, well past eight bytes"]`, `"é😀, well past eight bytes"`, true},
	} {
		members, batch, err := Split([]byte(c.body), nil)
		if got := string(bytes.Join(members, []byte("|"))); err != nil || batch != c.batch || got != c.members {
			t.Errorf("Split(%q) = %q, batch %v, %v; want %q, batch %v", c.body, got, batch, err, c.members, c.batch)
		}
	}
}

func TestSplit_refuses(t *testing.T) {
	for _, c := range []struct {
		body   string
		offset int
		reason string
	}{
		{"", 0, "empty body"},
		{" \r\n", 3, "empty body"},
		{"\ufeff{}", 0, "byte order mark before the JSON text"},
		{"{} {}", 3, "trailing data after the JSON text"},
		{"[]]", 2, "trailing data after the JSON text"},
		{"[1]\x00", 3, "trailing data after the JSON text"},
		{"\v1", 0, "expected a value"},
		{"[", 1, "unexpected end of text"},
		{"[1", 2, "unexpected end of text"},
		{"[1,", 3, "unexpected end of text"},
		{"[1,]", 3, "expected a value"},
		{"[,1]", 1, "expected a value"},
		{"[1 2]", 3, "expected a comma or a closing bracket"},
		{"[1}", 2, "expected a comma or a closing bracket"},
		{"[[1}]", 3, "expected a comma or a closing bracket"},
		{"{", 1, "unexpected end of text"},
		{`{"a"`, 4, "unexpected end of text"},
		{`{"a":`, 5, "unexpected end of text"},
		{`{"a":1`, 6, "unexpected end of text"},
		{`{"a":1,}`, 7, "expected a member name in double quotes"},
		{`{a:1}`, 1, "expected a member name in double quotes"},
		{`{"a" 1}`, 5, "expected a colon after the member name"},
		{`{"a":1]`, 6, "expected a comma or a closing brace"},
		{`{"a":}`, 5, "expected a value"},
		{"01", 1, "invalid number"},
		{"-", 1, "unexpected end of text"},
		{"-a", 1, "invalid number"},
		{"1.", 2, "unexpected end of text"},
		{"[1.]", 3, "invalid number"},
		{"[1e+]", 4, "invalid number"},
		{"[.5]", 1, "expected a value"},
		{"[+1]", 1, "expected a value"},
		{"[NaN]", 1, "expected a value"},
		{"[nan]", 2, "invalid literal (not true, false or null)"},
		{"[truE]", 4, "invalid literal (not true, false or null)"},
		{"tru", 3, "unexpected end of text"},
		{`"abc`, 4, "unexpected end of text"},
		{`"abc\`, 5, "unexpected end of text"},
		{`"abc\"`, 6, "unexpected end of text"},
		{`"\u12`, 5, "unexpected end of text"},
		{`"\u12g4"`, 5, "invalid escape in a string"},
		{`"\x41"`, 2, "invalid escape in a string"},
		{`"\U0041"`, 2, "invalid escape in a string"},
		{"\"a\nb\"", 2, "control character in a string"},
		{"\"0123456789\x1f\"", 11, "control character in a string"},
		{"\"a\xffb\"", 2, "invalid UTF-8"},
		{"\"0123456789\xc3\"", 11, "invalid UTF-8"},
		{"\"\xed\xa0\x80\"", 1, "invalid UTF-8"},
		{"[\xff]", 1, "expected a value"},
	} {
		members, _, err := Split([]byte(c.body), make([][]byte, 3))
		var bad *SyntaxError
		if !errors.As(err, &bad) || len(members) != 0 {
			t.Errorf("Split(%q) = %q, %v; want no members and a *SyntaxError", c.body, members, err)
			continue
		}
		if !strings.Contains(err.Error(), c.reason) {
			t.Errorf("Split(%q): %v does not tell %q", c.body, err, c.reason)
		}
		if bad.Offset != c.offset || bad.Reason != c.reason {
			t.Errorf("Split(%q): %q at %d; want %q at %d", c.body, bad.Reason, bad.Offset, c.reason, c.offset)
		}
	}
}

func TestSplit_depth(t *testing.T) {
	for _, wrap := range []struct{ before, after string }{{"", ""}, {"[", "]"}, {`[7,{"a":`, "}]"}} {
		levels := strings.Count(wrap.before, "[") + strings.Count(wrap.before, "{")
		for _, c := range []struct {
			depth int
			ok    bool
		}{{1, true}, {63, true}, {64, true}, {65, true}, {128, true}, {129, true}, {MaxDepth, true}, {MaxDepth + 1, false}} {
			body := []byte(wrap.before + string(nested(c.depth-min(levels, c.depth))) + wrap.after)
			_, _, err := Split(body, nil)
			if (err == nil) != c.ok {
				t.Errorf("depth %d within %q: %v", c.depth, wrap.before, err)
			}
			if json.Valid(body) != c.ok {
				t.Errorf("depth %d within %q: encoding/json disagrees", c.depth, wrap.before)
			}
		}
	}
}

func TestSplit_reusesMembers(t *testing.T) {
	room := make([][]byte, 0, 8)
	members, _, err := Split([]byte(`[1,2]`), room)
	if err != nil || &members[:1][0] != &room[:1][0] {
		t.Errorf("members were not put into the slice given: %q, %v", members, err)
	}
	if cap(members[0]) != len(members[0]) {
		t.Errorf("appending to a member would write into the body: cap %d of %q", cap(members[0]), members[0])
	}
}

func TestSplit_allocatesNothing(t *testing.T) {
	body, room := requestOf(100), make([][]byte, 0, 100)
	if n := testing.AllocsPerRun(10, func() { room, _, _ = Split(body, room) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzSplit(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		members, batch, err := Split(body, nil)
		if want := json.Valid(body) && utf8.Valid(body); (err == nil) != want {
			t.Fatalf("Split: %v; encoding/json and utf8 accept it: %v", err, want)
		}
		var bad *SyntaxError
		if errors.As(err, &bad) && (bad.Offset < 0 || bad.Offset > len(body)) {
			t.Fatalf("offset %d outside a body of %d", bad.Offset, len(body))
		}
		if err != nil {
			return
		}
		if !batch {
			if want := bytes.Trim(body, " \t\r\n"); len(members) != 1 || !bytes.Equal(members[0], want) {
				t.Fatalf("members %q, want %q", members, want)
			}
			return
		}
		var want []json.RawMessage
		if err := json.Unmarshal(body, &want); err != nil || len(want) != len(members) {
			t.Fatalf("%d members, want %d (%v)", len(members), len(want), err)
		}
		for i := range want {
			if !bytes.Equal(members[i], want[i]) {
				t.Fatalf("member %d is %q, want %q", i, members[i], want[i])
			}
		}
	})
}

func BenchmarkSplit(b *testing.B) {
	for _, c := range []struct {
		name string
		body []byte
	}{{"requests", requestOf(100)}, {"replies", replyOf(100)}} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.body)))
			b.ReportAllocs()
			members := make([][]byte, 0, 100)
			for b.Loop() {
				members, _, _ = Split(c.body, members)
			}
		})
		b.Run(c.name+"/encoding-json", func(b *testing.B) {
			b.SetBytes(int64(len(c.body)))
			b.ReportAllocs()
			var members []json.RawMessage
			for b.Loop() {
				members = members[:0]
				if err := json.Unmarshal(c.body, &members); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
