package rcp

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"volley/internal/jsonrpc"
	"volley/target"
)

// newToken gives the token of a new session over a connection of its own.
func newToken(t *testing.T, d *Dialect, session string) (token string, e *jsonrpc.Error) {
	t.Helper()
	call := request(d.Connect(target.HTTP), initializing)
	call.Session = session
	if e := d.Admit(t.Context(), call); e != nil {
		return "", e
	}
	out, e := d.Run(t.Context(), call, nil)
	if e != nil {
		return "", e
	}
	var result struct {
		Meta struct{ Session, Conformance string } `json:"_meta"`
	}
	if err := json.Unmarshal(out, &result); err != nil || result.Meta.Conformance == "" {
		t.Fatalf("%v: %s", err, out)
	}
	return result.Meta.Session, nil
}

// admitting gives what a request with this header comes to at the gate.
func admitting(t *testing.T, d *Dialect, session, text string) jsonrpc.Code {
	t.Helper()
	call := request(d.Connect(target.HTTP), text)
	call.Session = session
	if e := d.Admit(t.Context(), call); e != nil {
		return e.Code
	}
	_, e := d.Run(t.Context(), call, nil)
	return code(e)
}

const embedOne = `{"id":1,"method":"embed","params":{"inputs":["a"]}}`

func TestTokenSessions(t *testing.T) {
	d := newDialect(t, `{"session":"token","documents":0}`)
	if got := admitting(t, d, "", embedOne); got != notInitialized {
		t.Errorf("without a token: code %d", got)
	}
	if got := admitting(t, d, "guessed", embedOne); got != notInitialized {
		t.Errorf("with a token that nobody gave: code %d", got)
	}
	one, e := newToken(t, d, "")
	two, e2 := newToken(t, d, "stale")
	if e != nil || e2 != nil || one == "" || one == two {
		t.Fatalf("tokens %q and %q, %v, %v", one, two, e, e2)
	}
	for _, token := range []string{one, two} {
		if got := admitting(t, d, token, embedOne); got != 0 {
			t.Errorf("with a token: code %d", got)
		}
	}
	if _, e := newToken(t, d, one); code(e) != jsonrpc.InvalidRequest {
		t.Errorf("initialize in a session: code %d", code(e))
	}
	if got := admitting(t, d, "", `{"id":1,"method":"info"}`); got != 0 {
		t.Errorf("info without a token: code %d", got)
	}
	if got := admitting(t, d, one, `{"id":1,"method":"shutdown"}`); got != 0 {
		t.Errorf("shutdown: code %d", got)
	}
	if got := admitting(t, d, one, embedOne); got != notInitialized {
		t.Errorf("after shutdown: code %d", got)
	}
	if got := admitting(t, d, two, embedOne); got != 0 {
		t.Errorf("after another's shutdown: code %d", got)
	}
	for _, params := range []string{`{}`, `{"protocolVersion":0}`} {
		admitting(t, d, "", `{"id":1,"method":"initialize","params":`+params+`}`)
	}
	if n := len(d.tokens.used); n != 1 {
		t.Errorf("%d tokens are out, want 1: a failed initialize gives none", n)
	}
}

func TestTokensExpireAndAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDialect(t, `{"session":"token","session_limit":2,"session_idle_seconds":60,"documents":0}`)
		one, _ := newToken(t, d, "")
		time.Sleep(30 * time.Second) // of fake time
		two, _ := newToken(t, d, "")
		_, e := newToken(t, d, "")
		if code(e) != rateLimited || string(e.Data) != `{"retryable":true,"retryAfterMs":30000}` {
			t.Errorf("over the limit: code %d, data %s", code(e), e.Data)
		}
		time.Sleep(29 * time.Second)
		if got := admitting(t, d, one, embedOne); got != 0 {
			t.Errorf("a second before its end: code %d", got)
		}
		time.Sleep(31 * time.Second)
		if got := admitting(t, d, two, embedOne); got != notInitialized {
			t.Errorf("idle for a minute: code %d", got)
		}
		if got := admitting(t, d, one, embedOne); got != 0 {
			t.Errorf("used half a minute ago: code %d", got)
		}
		three, e := newToken(t, d, "")
		if e != nil || admitting(t, d, three, embedOne) != 0 {
			t.Errorf("there is room again: %v", e)
		}
		time.Sleep(time.Hour)
		if _, e := newToken(t, d, ""); e != nil || len(d.tokens.used) != 1 {
			t.Errorf("%v; %d tokens are out, want 1", e, len(d.tokens.used))
		}
	})
}

// Members after initialize are in its session; the next body on the connection
// is not, but by the header.
func TestTokenWithinABatch(t *testing.T) {
	url := overTCP(t, `{"session":"token","documents":3}`)
	send := func(session, body string) []int {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/rcp", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		if session != "" {
			req.Header.Set("RCP-Session", session)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		var all []struct {
			Error struct{ Code int }
		}
		if err := json.NewDecoder(resp.Body).Decode(&all); err != nil {
			t.Fatal(err)
		}
		var codes []int
		for _, r := range all {
			codes = append(codes, r.Error.Code)
		}
		return codes
	}
	const batch = "[" + embedOne + "," + initializing + "," + embedOne + "," + initializing + `,{"id":2,"method":"shutdown"},` + embedOne + "]"
	if got, want := send("", batch), []int{-32001, 0, 0, -32600, 0, -32001}; !slices.Equal(got, want) {
		t.Errorf("codes %v, want %v", got, want)
	}
	if got, want := send("", "["+embedOne+"]"), []int{-32001}; !slices.Equal(got, want) {
		t.Errorf("the next body: %v, want %v", got, want)
	}
}

// A stream needs no token, and is given none.
func TestTokensAreForHTTP(t *testing.T) {
	d := newDialect(t, `{"session":"token","documents":0}`)
	c := d.Connect(target.Stdio)
	if _, e := do(t, d, c, embedOne); code(e) != notInitialized {
		t.Errorf("before initialize: code %d", code(e))
	}
	out, e := do(t, d, c, initializing)
	if e != nil || bytes.Contains(out, []byte(`"session":`)) {
		t.Errorf("%v: %s", e, out)
	}
	if _, e := do(t, d, c, embedOne); e != nil {
		t.Errorf("after it: code %d", e.Code)
	}
}

// A token is what a cancel is found by, too.
func TestCancelByToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDialect(t, `{"session":"token","documents":0,"slots":1,"service":{"embed":"1h"}}`)
		token, _ := newToken(t, d, "")
		other, _ := newToken(t, d, "")
		call := embedding1(d.Connect(target.HTTP), "1")
		call.Session = token
		var s started
		s.run(t, d, "it", call)
		cancelling(t, d, d.Connect(target.HTTP), other, "1")
		s.expect(t, "another session's", nil, "it")
		cancelling(t, d, d.Connect(target.HTTP), token, "1")
		s.expect(t, "its own session's", map[string]jsonrpc.Code{"it": cancelled}, "it")
		s.done.Wait()
	})
}

// The client's own deadline is kept while a call waits for its slot, too.
func TestDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDialect(t, slow)
		c := d.Connect(target.HTTP)
		for _, row := range []struct {
			meta string
			want jsonrpc.Code
			took time.Duration
		}{
			{`{"deadlineMs":1500}`, timeout, 1500 * time.Millisecond},
			{`{"deadlineMs":0}`, timeout, 0},
			{`{"deadlineMs":3600001}`, 0, time.Hour},
			{`{"deadlineMs":-1}`, 0, time.Hour},
			{`{"deadlineMs":"soon"}`, 0, time.Hour},
			{`{"deadlineMs":9007199254740991}`, 0, time.Hour},
			{`7`, 0, time.Hour},
		} {
			begun := time.Now()
			_, e := do(t, d, c, `{"id":1,"method":"embed","params":{"inputs":["a"],"_meta":`+row.meta+`}}`)
			if took := time.Since(begun); code(e) != row.want || took != row.took { // fake time: exact
				t.Errorf("%s: code %d after %v, want %d after %v", row.meta, code(e), took, row.want, row.took)
			}
		}
	})
}
