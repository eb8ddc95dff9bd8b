package target_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"volley/internal/jsonrpc"
	"volley/target"
	"volley/target/wirecase"
)

// FuzzBody: any body is answered by valid JSON or by 204 and nothing; an array
// reply has one entry for each member that is no valid notification, which is
// counted here with encoding/json.
func FuzzBody(f *testing.F) {
	for _, file := range []string{"jsonrpc-batch", "near-batch", "rcp-batch"} {
		suite, err := wirecase.Load("testdata/vectors/" + file + ".json")
		if err != nil {
			f.Fatal(err)
		}
		for _, c := range suite.Cases {
			if c.Request.BodyRepeat == nil {
				f.Add(c.Request.Bytes())
			}
		}
	}
	for _, body := range []string{
		request("sum", "[1,2.5,-3e2]", "1"), request("sum", `[1e308,1e308]`, "1"), request("subtract", `{"minuend":1,"subtrahend":2}`, "1"),
		request("fail", `{"code":1,"message":"\u0000","data":[1]}`, `"\ud800"`), request("fail", `{"code":1.5,"message":"x"}`, "1"),
		"[" + notification("echo", "5") + "," + notification("fail", "{}") + "]", "[[[]]]", `[{"jsonrpc":"2.0","method":"echo","id":1,"id":1}]`,
	} {
		f.Add([]byte(body))
	}
	d := dialect(f, "")
	n := target.New(altered{Dialect: d, admit: func(ctx context.Context, c *target.Call) *jsonrpc.Error {
		if m := string(c.Method); m == "sleep" || m == "burn" { // would only wait
			return &jsonrpc.Error{Code: jsonrpc.MethodNotFound, Message: "Method not found"}
		}
		return d.Admit(ctx, c)
	}}, target.Options{})
	f.Fuzz(func(t *testing.T, body []byte) {
		r := httptest.NewRequest("POST", "/", bytes.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		n.Handler().ServeHTTP(w, r)
		if w.Code == http.StatusNoContent {
			if w.Body.Len() != 0 || answersDue(body) != 0 {
				t.Errorf("204 to %q with %q", body, w.Body)
			}
			return
		}
		reply := w.Body.Bytes()
		if w.Code != http.StatusOK || !json.Valid(reply) {
			t.Fatalf("%d to %q: %q", w.Code, body, reply)
		}
		var entries []json.RawMessage
		if reply[0] == '[' {
			if err := json.Unmarshal(reply, &entries); err != nil || len(entries) != answersDue(body) {
				t.Fatalf("%v, want %d entries to %q, got %q", err, answersDue(body), body, reply)
			}
		} else {
			entries = []json.RawMessage{reply}
		}
		for _, e := range entries {
			var answer map[string]json.RawMessage
			if err := json.Unmarshal(e, &answer); err != nil || len(answer) != 3 || answer["id"] == nil ||
				string(answer["jsonrpc"]) != `"2.0"` || (answer["result"] == nil) == (answer["error"] == nil) {
				t.Fatalf("no response object in the answer to %q: %q", body, e)
			}
		}
	})
}

// answersDue counts the members of a body that are to be answered.
func answersDue(body []byte) int {
	var members []json.RawMessage
	if json.Unmarshal(body, &members) != nil {
		members = []json.RawMessage{body}
	}
	due := len(members)
	for _, m := range members {
		if isNotification(m) {
			due--
		}
	}
	return due
}

func isNotification(member []byte) bool {
	dec := json.NewDecoder(bytes.NewReader(member))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return false
	}
	seen := map[string]json.RawMessage{}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return false
		}
		var value json.RawMessage
		if dec.Decode(&value) != nil {
			return false
		}
		if _, twice := seen[name.(string)]; twice && strings.Contains(" jsonrpc id method params ", " "+name.(string)+" ") {
			return false
		}
		seen[name.(string)] = value
	}
	var version, method string
	if seen["id"] != nil || seen["result"] != nil || seen["error"] != nil ||
		json.Unmarshal(seen["jsonrpc"], &version) != nil || version != "2.0" ||
		json.Unmarshal(seen["method"], &method) != nil || string(seen["method"]) == "null" {
		return false
	}
	p := seen["params"]
	return p == nil || p[0] == '{' || p[0] == '[' || p[0] == 'n'
}

// FuzzStream: whatever comes in, every line that goes out is one JSON text.
func FuzzStream(f *testing.F) {
	f.Add([]byte(request("echo", "[1]", "1") + "\n\n[]\r\n[" + notification("echo", "{}") + "]\nx"))
	f.Add([]byte(request("echo", "[\r1]", "1")))
	n := generic(f, `{"body_limit": 100}`)
	f.Fuzz(func(t *testing.T, in []byte) {
		if bytes.Contains(in, []byte("s")) && (bytes.Contains(in, []byte("sleep")) || bytes.Contains(in, []byte("burn"))) || bytes.Contains(in, []byte(`\u`)) {
			t.Skip("would only wait")
		}
		var out bytes.Buffer
		if err := n.ServeStream(t.Context(), bytes.NewReader(in), &out); err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(out.Bytes()) {
			if line[len(line)-1] != '\n' || !json.Valid(line) {
				t.Fatalf("%q gave %q", in, line)
			}
		}
		if got, most := bytes.Count(out.Bytes(), []byte("\n")), 1+bytes.Count(in, []byte("\n")); got > most {
			t.Fatalf("%d lines in gave %d", most, got)
		}
	})
}
