package rcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
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

// What the config leaves out is neither advertised nor called, and the level
// does not say more than is there.
func TestCapabilitiesSwitch(t *testing.T) {
	for _, row := range []struct {
		capabilities, level string
	}{
		{`["embed"]`, "L0"},
		{`["rerank","index","sparseEmbed"]`, "L0"},
		{`["retrieve"]`, "L0"},
		{`["retrieve","filter","citations"]`, "L1"},
		{`["retrieve","filter","citations","multiVector"]`, "L2"},
		{`["embed","retrieve","filter","citations","pagination","rerank","index","sparseEmbed","multiVector"]`, "L2"},
	} {
		d := newDialect(t, `{"documents":3,"capabilities":`+row.capabilities+`}`)
		var named []string
		if err := json.Unmarshal([]byte(row.capabilities), &named); err != nil {
			t.Fatal(err)
		}
		got := result[struct {
			Capabilities map[string]map[string]any
			Meta         struct{ Conformance string } `json:"_meta"`
		}](t, d, initializing)
		var keys []string
		for key := range got.Capabilities {
			if key != "x-volley" {
				keys = append(keys, key)
			}
		}
		slices.Sort(keys)
		slices.Sort(named)
		if !slices.Equal(keys, named) || got.Meta.Conformance != row.level {
			t.Errorf("%s: advertised %v, level %s, want %s", row.capabilities, keys, got.Meta.Conformance, row.level)
		}
		if r := got.Capabilities["retrieve"]; r != nil && r["rerankBuiltin"] != slices.Contains(named, "rerank") {
			t.Errorf("%s: rerankBuiltin is %v", row.capabilities, r["rerankBuiltin"])
		}
		if i := got.Capabilities["index"]; i != nil && i["writable"] != true {
			t.Errorf("%s: index is %v", row.capabilities, i)
		}
		for method, needs := range map[string]string{
			"embed": "embed", "embed/sparse": "sparseEmbed", "embed/multi": "multiVector", "rerank": "rerank",
			"retrieve": "retrieve", "index/add": "index", "index/delete": "index",
		} {
			want := capabilityMissing
			if slices.Contains(named, needs) {
				want = jsonrpc.InvalidParams
			}
			if _, e := do(t, d, d.Connect(target.HTTP), `{"id":1,"method":"`+method+`","params":{}}`); code(e) != want {
				t.Errorf("%s: %s: code %d, want %d", row.capabilities, method, code(e), want)
			}
		}
	}
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

// A stream whose input has ended in the middle of work owes every answer, to a
// reader that comes late and takes them byte by byte too.
func TestEndOfInputOwesAnswers(t *testing.T) {
	node := target.New(newDialect(t, `{"documents":3,"slots":1}`), target.Options{})
	const lines = 100
	in := initializing + "\n" + strings.Repeat(embedOne+"\n", lines) + `[` + embedOne + `,{"id":2,"method":"retrieve","params":{"query":"a","k":1}}]` // without its \n
	read := make(chan struct{})
	r, w := io.Pipe()
	served := make(chan error, 1)
	go func() {
		served <- node.ServeStream(t.Context(), io.MultiReader(strings.NewReader(in), endOfInput(read)), w)
		w.Close()
	}()
	head := make([]byte, 1) // the stream stands still until it is read from
	if _, err := r.Read(head); err != nil {
		t.Fatal(err)
	}
	rest := iotest.OneByteReader(r)
	answered := 0
	for scanner := bufio.NewScanner(io.MultiReader(bytes.NewReader(head), rest)); scanner.Scan(); answered++ {
		if bytes.Contains(scanner.Bytes(), []byte(`"error"`)) {
			t.Errorf("line %d: %.200s", answered, scanner.Bytes())
		}
	}
	<-read
	if err := <-served; err != nil || answered != lines+2 {
		t.Errorf("%d answers, want %d; %v", answered, lines+2, err)
	}
}

// endOfInput tells that the input's end was read.
func endOfInput(read chan<- struct{}) io.Reader {
	return readerFunc(func([]byte) (int, error) {
		close(read)
		return 0, io.EOF
	})
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// A line of 64 MiB is taken when the config lets it.
func TestLongLine(t *testing.T) {
	node := target.New(newDialect(t, `{"documents":0,"body_limit":68000000}`), target.Options{})
	line := `{"id":1,"method":"ping","params":{"nonce":"` + strings.Repeat("x", 64<<20) + `"}}` + "\n" + `{"id":2,"method":"ping"}` + "\n"
	var out bytes.Buffer
	if err := node.ServeStream(t.Context(), strings.NewReader(line), &out); err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(out.Bytes(), []byte("\n")); n != 2 || out.Len() < 64<<20 || bytes.Contains(out.Bytes(), []byte(`"error"`)) {
		t.Errorf("%d lines of %d bytes", n, out.Len())
	}
}
