package wirecase_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"volley/target/wirecase"
)

func TestLoadReadsEverySuite(t *testing.T) {
	files, err := filepath.Glob("../testdata/vectors/*.json")
	if err != nil || len(files) != 4 {
		t.Fatalf("suites: %v, %v", files, err)
	}
	for _, f := range files {
		if _, err := wirecase.Load(f); err != nil {
			t.Error(err)
		}
	}
}

func TestLoadRefuses(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"a misspelt expectation", `{"cases":[{"name":"a","request":{"method":"GET"},"want":{"status":200,"entires":[]}}]}`, "entires"},
		{"no name", `{"cases":[{"request":{"method":"GET"},"want":{"status":200}}]}`, "no name"},
		{"one name twice", `{"cases":[{"name":"a","in":["1"]},{"name":"a","in":["1"]}]}`, "two cases"},
		{"nothing sent", `{"cases":[{"name":"a"}]}`, "sends nothing"},
		{"no status", `{"cases":[{"name":"a","request":{"method":"GET"}}]}`, "no status"},
		{"no cases", `{}`, "no cases"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "suite.json")
			if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := wirecase.Load(path); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want an error with %q", err, tt.want)
			}
		})
	}
}

// TestCheckTellsDifferences feeds one line to one expectation.
func TestCheckTellsDifferences(t *testing.T) {
	for _, tt := range []struct{ want, got, err string }{
		{`{"single":{"id":1}}`, `{"jsonrpc":"2.0","result":0,"id":1}`, ""},
		{`{"single":{"id":1}}`, `{"jsonrpc":"2.0","result":0,"id":1.0}`, ""},
		{`{"single":{"id_raw":"1"}}`, `{"jsonrpc":"2.0","result":0,"id":1.0}`, "bytes"},
		{`{"single":{"id":9007199254740993}}`, `{"jsonrpc":"2.0","result":0,"id":9007199254740992}`, "id:"},
		{`{"single":{"id":"1"}}`, `{"jsonrpc":"2.0","result":0,"id":1}`, "id:"},
		{`{"single":{"id":null,"code":-32600}}`, `{"jsonrpc":"2.0","error":{"code":-32600,"message":""},"id":null}`, ""},
		{`{"single":{"id":null,"code":-32600}}`, `{"jsonrpc":"2.0","error":{"code":-32600,"message":""},"id":1}`, "id:"},
		{`{"single":{"id":null,"code":-32600}}`, `{"jsonrpc":"2.0","error":{"code":-32601,"message":""},"id":null}`, "code:"},
		{`{"single":{"id":1,"code":-32600}}`, `{"jsonrpc":"2.0","result":1,"id":1}`, "got a result"},
		{`{"single":{"id":1}}`, `{"jsonrpc":"2.0","error":{"code":1,"message":""},"id":1}`, "want a result"},
		{`{"single":{"id":1}}`, `{"jsonrpc":"2.0","result":1}`, "no id"},
		{`{"single":{"id":1}}`, `{"jsonrpc":"2.0","result":1,"error":null,"id":1}`, "exactly one"},
		{`{"single":{"id":1}}`, `{"jsonrpc":"2.0","result":1,"id":1,"more":1}`, "4 members"},
		{`{"single":{"id":1}}`, `{"result":1,"id":1}`, "jsonrpc"},
		{`{"single":{"id":1}}`, `[{"jsonrpc":"2.0","result":1,"id":1}]`, "response object"},
		{`{"single":{"id":1,"code":1,"message":"a"}}`, `{"jsonrpc":"2.0","error":{"code":1,"message":"b"},"id":1}`, "message:"},
		{`{"single":{"id":1,"code":1,"name":"A"}}`, `{"jsonrpc":"2.0","error":{"code":1,"message":"b"},"id":1}`, "name:"},
		{`{"single":{"id":1,"code":1,"cause":"A"}}`, `{"jsonrpc":"2.0","error":{"code":1,"message":"b","cause":{"name":"A","info":{}}},"id":1}`, ""},
		{`{"single":{"id":1,"code":1,"cause":{"name":"A"}}}`, `{"jsonrpc":"2.0","error":{"code":1,"message":"b","cause":{"name":"B"}},"id":1}`, "cause:"},
		{`{"single":{"id":1,"result":{"a":[1,2]}}}`, `{"jsonrpc":"2.0","result":{"a":[1.0,2]},"id":1}`, ""},
		{`{"single":{"id":1,"result":{"a":[1,2]}}}`, `{"jsonrpc":"2.0","result":{"a":[2,1]},"id":1}`, "result:"},
		{`{"single":{"id":1,"has":["a"]}}`, `{"jsonrpc":"2.0","result":{"b":1},"id":1}`, `no "a"`},
		{`{"entries":[{},{"id":1}]}`, `[{"jsonrpc":"2.0","result":1,"id":1},{"jsonrpc":"2.0","result":1,"id":2}]`, ""},
		{`{"entries":[{"id":1},{"id":1}]}`, `[{"jsonrpc":"2.0","result":1,"id":1},{"jsonrpc":"2.0","result":1,"id":2}]`, "did not come"},
		{`{"entries":[{"id":1}]}`, `[{"jsonrpc":"2.0","result":1,"id":1},{"jsonrpc":"2.0","result":1,"id":2}]`, "want 1 entries, got 2"},
		{`{"entries":[{"id":1}]}`, `{"jsonrpc":"2.0","result":1,"id":1}`, "want an array"},
	} {
		t.Run(tt.want+" "+tt.got, func(t *testing.T) {
			var c wirecase.Case
			if err := json.Unmarshal([]byte(`{"out":[`+tt.want+`]}`), &c); err != nil {
				t.Fatal(err)
			}
			err := c.CheckLines([]byte(tt.got + "\n"))
			if (tt.err == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Errorf("got %v, want an error with %q", err, tt.err)
			}
		})
	}
}

func TestCheckLines(t *testing.T) {
	one, two := `{"jsonrpc":"2.0","result":1,"id":1}`+"\n", `{"jsonrpc":"2.0","result":1,"id":2}`+"\n"
	var c wirecase.Case
	if err := json.Unmarshal([]byte(`{"out":[{"single":{"id":1}},{"single":{"id":2}}]}`), &c); err != nil {
		t.Fatal(err)
	}
	for out, ok := range map[string]bool{
		one + two: true, two + one: true, one: false, one + one: false, one + two + one: false,
		one + strings.TrimSpace(two): false, one + "oops\n": false,
	} {
		if err := c.CheckLines([]byte(out)); (err == nil) != ok {
			t.Errorf("%q: %v", out, err)
		}
	}
}

func TestDoSendsWhatTheCaseSaysAndNoMore(t *testing.T) {
	var seen http.Header
	var body string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		seen, body = r.Header, string(b)
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `[{"jsonrpc":"2.0","result":1,"id":1}]`)
	}))
	defer srv.Close()
	c := wirecase.Case{
		Request: wirecase.Request{Method: "POST", Path: "/x", Headers: map[string]string{"X-A": "b"},
			BodyRepeat: &wirecase.Repeat{Prefix: "[", Item: "1", Sep: ",", Count: 3, Suffix: "]"}},
		Want: wirecase.Want{Status: 200, Entries: []wirecase.Entry{{ID: json.RawMessage("1")}}},
	}
	if err := c.Do(context.Background(), srv.URL); err != nil {
		t.Fatal(err)
	}
	if body != "[1,1,1]" || seen.Get("X-A") != "b" || seen.Get("Content-Type") != "" || seen.Get("User-Agent") != "" {
		t.Errorf("body %q, headers %v", body, seen)
	}
	c.Want.Status = 204
	if err := c.Do(context.Background(), srv.URL); err == nil || !strings.Contains(err.Error(), "status: want 204, got 200") {
		t.Errorf("got %v", err)
	}
	c.Want = wirecase.Want{Status: 200, Empty: true}
	if err := c.Do(context.Background(), srv.URL); err == nil || !strings.Contains(err.Error(), "want no body") {
		t.Errorf("got %v", err)
	}
}
