package nullnode

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

var rules = Answers{
	Rules: []Rule{
		{Has: []string{`"method":"query"`, `"request_type":"view_account"`}, Result: []byte(`{"amount":"1"}`)},
		{Has: []string{`"method":"query"`}, Result: []byte(`{"values":[]}`)},
	},
	Result: []byte(`0`),
}

// TestAnswers: every entry with an id is answered by the first rule that fits, in
// order; a body that asks for nothing gets nothing.
func TestAnswers(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"single", `{"jsonrpc":"2.0","id":7,"method":"echo","params":[1]}`, `{"jsonrpc":"2.0","id":7,"result":0}`},
		{"no params", `{"jsonrpc":"2.0","id":7}`, `{"jsonrpc":"2.0","id":7,"result":0}`},
		{"batch of one", `[{"jsonrpc":"2.0","id":7,"method":"echo"}]`, `[{"jsonrpc":"2.0","id":7,"result":0}]`},
		{
			"batch, by rules",
			`[{"jsonrpc":"2.0","id":18446744073709551615,"method":"query","params":{"account_id":"a","request_type":"view_account"}},` +
				`{"jsonrpc":"2.0","id":2,"method":"query","params":{"request_type":"view_state"}},{"jsonrpc":"2.0","id":3,"method":"status"}]`,
			`[{"jsonrpc":"2.0","id":18446744073709551615,"result":{"amount":"1"}},{"jsonrpc":"2.0","id":2,"result":{"values":[]}},{"jsonrpc":"2.0","id":3,"result":0}]`,
		},
		{
			"notifications between requests",
			`[{"jsonrpc":"2.0","method":"query","params":{"request_type":"view_account"}},{"jsonrpc":"2.0","id":2,"method":"echo"},{"jsonrpc":"2.0","method":"x"}]`,
			`[{"jsonrpc":"2.0","id":2,"result":0}]`,
		},
		{"notification", `{"jsonrpc":"2.0","method":"x"}`, ``},
		{"notifications", `[{"jsonrpc":"2.0","method":"x"},{"jsonrpc":"2.0","method":"y"}]`, ``},
		{"an id among the params", `{"jsonrpc":"2.0","id":1,"method":"x","params":{"id":5}}`, `{"jsonrpc":"2.0","id":1,"result":0}`},
		{"nothing", ``, ``},
		{"no request", `what`, ``},
	} {
		if got := rules.appendAnswers(nil, []byte(c.body)); string(got) != c.want {
			t.Errorf("%s: %s\nwant %s", c.name, got, c.want)
		}
	}
	var zero Answers
	if got := zero.appendAnswers(nil, []byte(`{"jsonrpc":"2.0","id":7}`)); string(got) != `{"jsonrpc":"2.0","id":7,"result":null}` {
		t.Errorf("without a rule: %s", got)
	}
}

func request(head, body string) string {
	return fmt.Sprintf("POST / HTTP/1.1\r\nHost: x\r\n%sContent-Length: %d\r\n\r\n%s", head, len(body), body)
}

// TestExchange: requests in one piece, in pieces of any length, and behind one another.
func TestExchange(t *testing.T) {
	const body = `[{"jsonrpc":"2.0","id":7,"method":"query"}]`
	const answer = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 49\r\n\r\n" + `[{"jsonrpc":"2.0","id":7,"result":{"values":[]}}]`
	for piece := 1; piece < 300; piece += 7 {
		x := exchange{answers: &rules}
		feed(&x, []byte(strings.Repeat(request("", body), 3)), piece)
		if got, want := string(x.out), strings.Repeat(answer, 3); got != want || x.last || x.have != 0 {
			t.Fatalf("in pieces of %d: %s\nwant %s", piece, got, want)
		}
	}
}

// feed gives an exchange bytes in pieces, as reads would.
func feed(x *exchange, b []byte, piece int) {
	for len(b) > 0 && !x.last {
		n := copy(x.room(), b[:min(piece, len(b))])
		b = b[n:]
		x.received(n)
	}
}

// TestWhatEndsAConnection: the client's wish, and what makes no sense.
func TestWhatEndsAConnection(t *testing.T) {
	const body = `{"jsonrpc":"2.0","id":7}`
	for _, c := range []struct {
		name, in      string
		answers, ends bool
	}{
		{"nothing of it", request("Connection: keep-alive\r\n", body), true, false},
		{"asked for", request("connection: Close\r\n", body), true, true},
		{"no length that is one", "POST / HTTP/1.1\r\nContent-Length: many\r\n\r\n", false, true},
		{"a length below nothing", "POST / HTTP/1.1\r\nContent-Length: -5\r\n\r\n", false, true},
		{"a length beyond all bounds", "POST / HTTP/1.1\r\nContent-Length: 999999999999\r\n\r\n", false, true},
		{"chunks", "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", false, true},
	} {
		x := exchange{answers: &rules}
		feed(&x, []byte(c.in), 1<<20)
		if answered := len(x.out) > 0; answered != c.answers || x.last != c.ends {
			t.Errorf("%s: answered %t, ended %t", c.name, answered, x.last)
		}
	}
}

// TestServe: over real connections, one after the other and at once, until it is told
// to end.
func TestServe(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- Serve(ctx, listener, &rules) }()

	client := &http.Client{Transport: &http.Transport{}}
	url := "http://" + listener.Addr().String()
	failed := make(chan error)
	const clients = 8
	for k := range clients {
		go func() {
			for i := range 50 {
				id := k*1000 + i
				long := strings.Repeat("x", i*2000)
				text := fmt.Sprintf(`[{"jsonrpc":"2.0","id":%d,"method":"echo","params":[%q]}]`, id, long)
				if err := call(client, url, text, fmt.Sprintf(`[{"jsonrpc":"2.0","id":%d,"result":0}]`, id)); err != nil {
					failed <- err
					return
				}
			}
			failed <- nil
		}()
	}
	for range clients {
		if err := <-failed; err != nil {
			t.Error(err)
		}
	}
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("Serve: %v", err)
	}
	client.CloseIdleConnections()
}

func call(c *http.Client, url, body, want string) error {
	resp, err := c.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err == nil && string(got) != want {
		err = errors.New("got " + string(got) + ", want " + want)
	}
	return err
}

// FuzzExchange: in whatever pieces bytes come, the answers are the same.
func FuzzExchange(f *testing.F) {
	f.Add([]byte(request("", `[{"jsonrpc":"2.0","id":7,"method":"query"}]`)+request("connection: close\r\n", `{"jsonrpc":"2.0","id":`)), 3)
	f.Add([]byte("\r\n\r\nC\n\r\n\r\n"), 1)
	f.Fuzz(func(t *testing.T, b []byte, piece int) {
		if piece < 1 || len(b) > 1<<16 {
			return
		}
		x, y := exchange{answers: &rules}, exchange{answers: &rules}
		feed(&x, b, piece)
		feed(&y, b, len(b))
		if !bytes.Equal(x.out, y.out) || x.last != y.last {
			t.Fatalf("in pieces of %d: %q, ended %t\nat once: %q, ended %t", piece, x.out, x.last, y.out, y.last)
		}
	})
}
