package target_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"strings"
	"testing"

	"volley/internal/jsonrpc"
	"volley/target"
)

// dialed is a TCP connection to a node, which ends with the test.
func dialed(t *testing.T, base string) *net.TCPConn {
	t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(base, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c.(*net.TCPConn)
}

// TestAnswerOutlivesTheBody: a client that reads nothing before it has sent all
// sees the refusal of what it has sent.
func TestAnswerOutlivesTheBody(t *testing.T) {
	const size = 10<<20 + 1
	body := strings.Repeat(" ", size)
	chunk := strings.Repeat(" ", 1<<20)
	chunked := strings.Repeat("100000\r\n"+chunk+"\r\n", 12) + "0\r\n\r\n"
	plain := strings.Replace(head, "application/json", "text/plain", 1)
	for _, tt := range []struct{ name, sent, want string }{
		{"too long", head + "Content-Length: " + itoa(size) + "\r\n\r\n" + body, "413 the body is over 10485760 bytes"},
		{"too long, in chunks", head + "Transfer-Encoding: chunked\r\n\r\n" + chunked, "413 the body is over 10485760 bytes"},
		{"not JSON", plain + "Content-Length: " + itoa(size) + "\r\n\r\n" + body, "415 the content type must be application/json"},
		{"no such page", strings.Replace(head, "POST / ", "POST /nothing ", 1) + "Content-Length: " + itoa(size) + "\r\n\r\n" + body,
			"404 no such page; JSON-RPC is spoken at /"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := dialed(t, serve(t, generic(t, "")))
			if _, err := io.WriteString(c, tt.sent); err != nil {
				t.Fatal(err)
			}
			r := bufio.NewReader(c)
			if got := answer(r); got != tt.want {
				t.Errorf("got %s", got)
			}
			if _, err := r.ReadByte(); err != io.EOF {
				t.Errorf("the connection ended with %v", err)
			}
		})
	}
}

// TestClientThatHasGone: where calls end with their client, it has gone when it
// resets the connection or closes it.
func TestClientThatHasGone(t *testing.T) {
	running, ended := make(chan struct{}, 1), make(chan error, 1)
	d := altered{
		Dialect: dialect(t, ""),
		policy:  func(p *target.Policy) { p.CancelOnDisconnect = true },
		admit:   func(context.Context, *target.Call) *jsonrpc.Error { return nil },
		run: func(ctx context.Context, _ *target.Call, dst []byte) ([]byte, *jsonrpc.Error) {
			running <- struct{}{}
			<-ctx.Done()
			ended <- ctx.Err()
			return append(dst, "1"...), nil
		},
	}
	base := serve(t, target.New(d, target.Options{}))

	reset := dialed(t, base)
	write(t, reset, posted(request("a", "[]", "1")))
	<-running
	if err := reset.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if err := reset.SetLinger(0); err != nil {
		t.Fatal(err)
	}
	reset.Close()
	if err := <-ended; err != context.Canceled {
		t.Errorf("after a reset: %v", err)
	}

	closed := dialed(t, base)
	write(t, closed, posted(request("a", "[]", "2")))
	<-running
	closed.Close()
	if err := <-ended; err != context.Canceled {
		t.Errorf("after a close: %v", err)
	}
}
