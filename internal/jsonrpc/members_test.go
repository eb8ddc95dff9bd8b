package jsonrpc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// TestMembers: names as their text, values as they stand, where both begin, and
// an end where the text is no JSON any more.
func TestMembers(t *testing.T) {
	for object, want := range map[string]string{
		`{}`:                             "",
		` { } `:                          "",
		`{"a":1}`:                        "a=1@1,5",
		` {"a" : {"b":[1,2]} , "c":"}"}`: `a={"b":[1,2]}@2,8 c="}"@22,26`,
		`{"a":1,"a":null}`:               "a=1@1,5 a=null@7,11",
		`{"\u0061\n":"\""}`:              "a\n=\"\\\"\"@1,12",
		`{"":[]}`:                        "=[]@1,4",
		`[1]`:                            "",
		`5`:                              "",
		``:                               "",
		`{`:                              "",
		`{"a"`:                           "",
		`{"a":`:                          "",
		`{"a":1`:                         "a=1@1,5",
		`{"a":1,`:                        "a=1@1,5",
		`{"a":1 "b":2}`:                  "a=1@1,5",
		`{"a":1,"b":tru}`:                "a=1@1,5",
	} {
		var got []string
		for w := Over([]byte(object)); w.Next(); {
			got = append(got, fmt.Sprintf("%s=%s@%d,%d", w.Name, w.Value, w.NameAt, w.ValueAt))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s\ngot  %q\nwant %q", object, got, want)
		}
	}
}

// TestMember: of a name that comes twice the last counts.
func TestMember(t *testing.T) {
	object := []byte(`{"a":1,"b":[{"a":3}],"a":2,"n":null}`)
	for name, want := range map[string]string{"a": "2", "b": `[{"a":3}]`, "n": "null", "c": ""} {
		if got := Member(object, name); string(got) != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// TestElements: as they stand; a caller may stop early.
func TestElements(t *testing.T) {
	for array, want := range map[string]string{
		`[]`: "", ` [ 1 , [2,3] ,"]",{} ] `: `1|[2,3]|"]"|{}|`, `[1`: "1|", `[1,`: "1|", `{"a":1}`: "", ``: "", `[,1]`: "",
	} {
		got := ""
		for e := range Elements([]byte(array)) {
			got += string(e) + "|"
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", array, got, want)
		}
	}
	for e := range Elements([]byte(`[1,2]`)) {
		if string(e) != "1" {
			t.Errorf("went on to %s", e)
		}
		break
	}
	for name := range Members([]byte(`{"a":1,"b":2}`)) {
		if string(name) != "a" {
			t.Errorf("went on to %s", name)
		}
		break
	}
}

// FuzzWalk: of a JSON text the walks find what encoding/json finds; of any text
// what they find lies in it, in order, and is JSON.
func FuzzWalk(f *testing.F) {
	for _, s := range []string{`{"a":1,"b":{"c":[]}}`, `[1,"x",{"a":null}]`, `{"\ud800":1}`, `{"a":1,"a":2}`, `{"a"`, `[[`, "{\"\xff\":1}"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		last := 0
		found := map[string][]byte{}
		for w := Over(text); w.Next(); {
			if w.NameAt < last || w.ValueAt <= w.NameAt || !bytes.HasPrefix(text[w.ValueAt:], w.Value) || !json.Valid(w.Value) {
				t.Fatalf("%q: member %q %q at %d, %d", text, w.Name, w.Value, w.NameAt, w.ValueAt)
			}
			last = w.ValueAt + len(w.Value)
			found[string(w.Name)] = w.Value
		}
		var elements [][]byte
		for e := range Elements(text) {
			if !json.Valid(e) {
				t.Fatalf("%q: element %q", text, e)
			}
			elements = append(elements, e)
		}
		if _, _, err := Split(text, nil); err != nil {
			return
		}
		var object map[string]json.RawMessage
		if json.Unmarshal(text, &object) == nil {
			if len(object) != len(found) {
				t.Fatalf("%q: %d names, want %d", text, len(found), len(object))
			}
			for name, value := range object {
				if !bytes.Equal(found[name], value) || !bytes.Equal(Member(text, name), value) {
					t.Fatalf("%q: %q is %q, want %q", text, name, found[name], value)
				}
			}
		}
		var array []json.RawMessage
		if json.Unmarshal(text, &array) == nil {
			if len(array) != len(elements) {
				t.Fatalf("%q: %d elements, want %d", text, len(elements), len(array))
			}
			for i := range array {
				if !bytes.Equal(array[i], elements[i]) {
					t.Fatalf("%q: element %d is %q, want %q", text, i, elements[i], array[i])
				}
			}
		}
	})
}
