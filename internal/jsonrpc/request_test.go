package jsonrpc

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
)

func TestParseRequest(t *testing.T) {
	for _, c := range []struct {
		why, member string
		want        Request
	}{
		{"a call",
			`{"jsonrpc":"2.0","id":1,"method":"query","params":{"a":[1,{"id":2}]}}`,
			Request{Version: []byte(`"2.0"`), ID: []byte("1"), IDKind: Number, Method: []byte("query"), MethodKind: String, Params: []byte(`{"a":[1,{"id":2}]}`), ParamsKind: Object}},
		{"a notification, spaced out",
			"{ \"jsonrpc\" : \"2.0\" ,\n\t\"method\" : \"query\" , \"params\" : [ ] }",
			Request{Version: []byte(`"2.0"`), Method: []byte("query"), MethodKind: String, Params: []byte("[ ]"), ParamsKind: Array}},
		{"ids stay the bytes they were",
			`{"id":1.50}`,
			Request{ID: []byte("1.50"), IDKind: Number}},
		{"a null id is an id",
			`{"id":null}`,
			Request{ID: []byte("null"), IDKind: Null}},
		{"a string id keeps its quotes and escapes",
			`{"id":"\u0061"}`,
			Request{ID: []byte(`"\u0061"`), IDKind: String}},
		{"names may be escaped, a method is decoded",
			`{"\u0069d":true,"m\u0065thod":"\u0071uery\"","params":"x"}`,
			Request{ID: []byte("true"), IDKind: Bool, Method: []byte(`query"`), MethodKind: String, Params: []byte(`"x"`), ParamsKind: String}},
		{"names count in lower case only",
			`{"ID":1,"Method":"m"}`,
			Request{Unknown: true}},
		{"a method that is no string",
			`{"method":7}`,
			Request{MethodKind: Number}},
		{"an empty method is a string",
			`{"method":""}`,
			Request{Method: []byte{}, MethodKind: String}},
		{"the last of a doubled name counts",
			`{"id":1,"\u0069d":2}`,
			Request{ID: []byte("2"), IDKind: Number, Duplicate: true}},
		{"a doubled method",
			`{"method":1,"method":"m"}`,
			Request{Method: []byte("m"), MethodKind: String, Duplicate: true}},
		{"a doubled version",
			`{"jsonrpc":"2.0","jsonrpc":"2.0"}`,
			Request{Version: []byte(`"2.0"`), Duplicate: true}},
		{"doubled params",
			`{"params":1,"params":null}`,
			Request{Params: []byte("null"), ParamsKind: Null, Duplicate: true}},
		{"unknown members may come twice",
			`{"x":1,"x":2}`,
			Request{Unknown: true}},
		{"a response", `{"result":1,"id":1}`, Request{ID: []byte("1"), IDKind: Number, HasResult: true}},
		{"an error", `{"error":null}`, Request{HasResult: true}},
		{"nothing", `{}`, Request{}},
		{"an array", `[]`, Request{NotAnObject: true}},
		{"a number", `1`, Request{NotAnObject: true}},
		{"no text at all", ``, Request{NotAnObject: true}},
		{"a broken name", `{"id`, Request{NotAnObject: true}},
		{"a broken value", `{"id":"`, Request{NotAnObject: true}},
		{"a broken object", `{"id":1`, Request{NotAnObject: true}},
	} {
		if got := ParseRequest([]byte(c.member)); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: ParseRequest(%s)\n got %+v\nwant %+v", c.why, c.member, got, c.want)
		}
	}
}

func TestParseRequest_allocatesNothing(t *testing.T) {
	members, _, err := Split(requestOf(1), nil)
	if err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(10, func() { ParseRequest(members[0]) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzParseRequest(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		ParseRequest(body)
		members, _, err := Split(body, nil)
		if err != nil {
			return
		}
		for _, m := range members {
			compareRequest(t, m, ParseRequest(m))
		}
	})
}

// compareRequest compares with what a plain decoder finds; it cannot see
// doubled names.
func compareRequest(t *testing.T, member []byte, r Request) {
	t.Helper()
	want, ok := objectOf(member)
	if r.NotAnObject == ok {
		t.Fatalf("%s: NotAnObject is %v", member, r.NotAnObject)
	}
	if !ok {
		return
	}
	raw := func(name string, got []byte) {
		if w, has := want[name]; has != (got != nil) || !bytes.Equal(w, got) {
			t.Fatalf("%s: %q is %q, want %q", member, name, got, w)
		}
	}
	raw("jsonrpc", r.Version)
	raw("id", r.ID)
	raw("params", r.Params)
	var method string
	if w := want["method"]; kindOf(w) != r.MethodKind {
		t.Fatalf("%s: MethodKind is %v", member, r.MethodKind)
	} else if r.MethodKind == String && (json.Unmarshal(w, &method) != nil || method != string(r.Method)) {
		t.Fatalf("%s: Method is %q, want %q", member, r.Method, method)
	}
	_, result := want["result"]
	_, fails := want["error"]
	if r.HasResult != (result || fails) {
		t.Fatalf("%s: HasResult is %v", member, r.HasResult)
	}
	for _, name := range []string{"jsonrpc", "id", "method", "params", "result", "error"} {
		delete(want, name)
	}
	if r.Unknown != (len(want) > 0) {
		t.Fatalf("%s: Unknown is %v", member, r.Unknown)
	}
}

func BenchmarkParseRequest(b *testing.B) {
	members, _, err := Split(requestOf(100), nil)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(members[50])))
	b.ReportAllocs()
	for b.Loop() {
		if r := ParseRequest(members[50]); r.MethodKind != String {
			b.Fatal("no method")
		}
	}
}
