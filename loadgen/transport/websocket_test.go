package transport

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
)

func wsEndpoint(t *testing.T, c WebSocketConfig) *WebSocket {
	t.Helper()
	if c.Route == nil {
		c.Route = routeByID
	}
	e, err := NewWebSocket(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

// wsNode serves WebSockets with serve, each until it returns, and gives the URL.
func wsNode(t *testing.T, serve func(*websocket.Conn, *http.Request)) string {
	t.Helper()
	return "ws" + strings.TrimPrefix(wsServer(t, (*httptest.Server).Start, serve).URL, "http")
}

func wsServer(t *testing.T, start func(*httptest.Server), serve func(*websocket.Conn, *http.Request)) *httptest.Server {
	t.Helper()
	var serving sync.WaitGroup
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		serving.Add(1)
		defer serving.Done()
		conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{"jsonrpc"}})
		if err != nil {
			t.Error(err)
			return
		}
		conn.SetReadLimit(-1)
		serve(conn, r)
		conn.CloseNow()
	}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	start(s)
	t.Cleanup(func() { s.Close(); serving.Wait() })
	return s
}

// takeOrders serves orders as the node of the other transports does.
func takeOrders(conn *websocket.Conn, _ *http.Request) {
	var held [][]byte
	tell := func(message []byte) { conn.Write(context.Background(), websocket.MessageText, message) }
	for {
		_, message, err := conn.Read(context.Background())
		if err != nil {
			return
		}
		var o order
		json.Unmarshal(message, &o)
		switch o.Do {
		case "hang":
		case "die":
			return
		case "goodbye":
			conn.Close(4001, "enough\x1b[31m")
			return
		case "large":
			tell(fmt.Appendf(nil, `{"id":%d,"pad":"%s"}`, o.ID, strings.Repeat("y", 1<<20)))
		case "null id":
			tell([]byte(`{"id":null}`))
		case "hold":
			held = append(held, message)
		case "release": // the held ones backwards, then this
			for _, h := range slices.Backward(held) {
				tell(h)
			}
			held = nil
			tell(message)
		case "binary":
			conn.Write(context.Background(), websocket.MessageBinary, append([]byte(" \n"), message...))
		default:
			tell(message)
		}
	}
}

func wsOrders(t *testing.T) string { return wsNode(t, takeOrders) }

// awaited waits until n calls of the endpoint's first WebSocket wait for an answer.
func awaited(e *WebSocket, n int) {
	s := e.streams[0]
	for {
		s.turn <- struct{}{} // who is among them has also written
		s.mu.Lock()
		waiting := len(s.waiting)
		s.mu.Unlock()
		<-s.turn
		if waiting == n {
			return
		}
		runtime.Gosched()
	}
}

func TestWebSocketUpgrade(t *testing.T) {
	asked := make(chan *http.Request, 1)
	serve := func(conn *websocket.Conn, r *http.Request) { asked <- r; takeOrders(conn, r) }
	header := http.Header{"X-Key": {"k"}, "Sec-Websocket-Protocol": {"jsonrpc"}}
	check := func(t *testing.T, c HTTPConfig) {
		t.Helper()
		c.Header = header
		e := wsEndpoint(t, WebSocketConfig{HTTPConfig: c})
		for i := range 3 {
			reply := mustEcho(t, opened(t, e), orderOf(uint64(i+1), "echo", 0))
			if reply.Connected != (i == 0) || reply.Connected != (reply.Connecting > 0) {
				t.Errorf("call %d: connected %v in %v", i, reply.Connected, reply.Connecting)
			}
		}
		r := <-asked
		user, password, _ := r.BasicAuth()
		if r.RequestURI != "/rpc?key=1" || r.Header.Get("X-Key") != "k" || r.Header.Get("Sec-Websocket-Protocol") != "jsonrpc" || r.Header.Get("Content-Type") != "" {
			t.Errorf("the node was asked for %s with %v", r.RequestURI, r.Header)
		}
		if c.TLS == nil && !strings.Contains(c.URL, "unix") && (user != "me" || password != "pass") {
			t.Errorf("user %q, password %q", user, password)
		}
	}
	t.Run("ws", func(t *testing.T) {
		check(t, HTTPConfig{URL: strings.Replace(wsNode(t, serve), "ws://", "ws://me:pass@", 1) + "/rpc?key=1"})
	})
	t.Run("http", func(t *testing.T) {
		check(t, HTTPConfig{URL: strings.Replace(wsNode(t, serve), "ws://", "http://me:pass@", 1) + "/rpc?key=1"})
	})
	t.Run("wss", func(t *testing.T) {
		s := wsServer(t, (*httptest.Server).StartTLS, serve)
		check(t, HTTPConfig{URL: strings.Replace(s.URL, "https://", "wss://", 1) + "/rpc?key=1", TLS: &TLS{CA: authority(s)}})
	})
	t.Run("a Unix socket", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "s")
		l, err := net.Listen("unix", path)
		if err != nil {
			t.Fatal(err)
		}
		wsServer(t, func(s *httptest.Server) { s.Listener.Close(); s.Listener = l; s.Start() }, serve)
		check(t, HTTPConfig{URL: "http+unix://" + strings.ReplaceAll(path, "/", "%2F") + "/rpc?key=1"})
	})
}

func TestWebSocketRoutesAnswersInAnyOrder(t *testing.T) {
	e := wsEndpoint(t, WebSocketConfig{HTTPConfig: HTTPConfig{URL: wsOrders(t)}})
	var calls []<-chan result
	var sent []Request
	for id := uint64(10); id <= 50; id += 10 {
		req := orderOf(id+3, "hold", int(id))
		req.FirstID, req.LastID = id, id+9 // a batch's answer may begin with any of its ids
		sent = append(sent, req)
		calls = append(calls, doing(t, opened(t, e), req))
		awaited(e, len(calls))
	}
	mustEcho(t, opened(t, e), orderOf(1, "release", 0))
	for i, call := range calls {
		if got := <-call; got.err != nil || !bytes.Equal(got.reply.Body, sent[i].Body) {
			t.Errorf("call %d: %v, %s", i, got.err, got.reply.Body)
		}
	}
}

func TestWebSocketAnswers(t *testing.T) {
	e := wsEndpoint(t, WebSocketConfig{HTTPConfig: HTTPConfig{URL: wsOrders(t), MaxReply: 1000}})
	c := opened(t, e)
	t.Run("a binary message will do, and the white space around it is none of it", func(t *testing.T) {
		mustEcho(t, c, orderOf(1, "binary", 0))
	})
	t.Run("one without an id goes to the call that can have no other", func(t *testing.T) {
		hanging := doing(t, opened(t, e), orderOf(2, "hold", 0))
		awaited(e, 1)
		req := orderOf(3, "null id", 0)
		req.Idless = true
		if reply, err := c.Do(t.Context(), req, soon()); err != nil || string(reply.Body) != `{"id":null}` {
			t.Errorf("%v, %s", err, reply.Body)
		}
		mustEcho(t, c, orderOf(4, "release", 0))
		if got := <-hanging; got.err != nil {
			t.Error(got.err)
		}
	})
	t.Run("nothing is due for notifications", func(t *testing.T) {
		req := orderOf(0, "hang", 0)
		req.NoReply = true
		if reply, err := c.Do(t.Context(), req, soon()); err != nil || reply.Status != 204 || len(reply.Body) != 0 {
			t.Errorf("%v, %d %q, want 204", err, reply.Status, reply.Body)
		}
	})
	t.Run("one over the bound is malformed, and the next is read", func(t *testing.T) {
		_, err := c.Do(t.Context(), orderOf(5, "large", 0), soon())
		if e := failureOf(t, err); e.Failure != Malformed || !e.Sent || !strings.Contains(e.Error(), "1000 bytes") {
			t.Errorf("%v (sent %v): %v, want malformed, naming the bound", e.Failure, e.Sent, e)
		}
		if reply := mustEcho(t, c, orderOf(6, "echo", 0)); reply.Connected {
			t.Error("a new WebSocket was needed")
		}
	})
}

func TestWebSocketReconnects(t *testing.T) {
	for do, want := range map[string]string{
		"die":     "without closing",
		"goodbye": `status 4001 and the words "enough\x1b[31m"`,
	} {
		t.Run(do, func(t *testing.T) {
			e := wsEndpoint(t, WebSocketConfig{HTTPConfig: HTTPConfig{URL: wsOrders(t)}})
			other := doing(t, opened(t, e), orderOf(1, "hang", 0))
			awaited(e, 1)
			c := opened(t, e)
			_, err := c.Do(t.Context(), orderOf(2, do, 0), soon())
			for _, err := range []error{err, (<-other).err} {
				if e := failureOf(t, err); e.Failure != Reset || !e.Sent || !strings.Contains(e.Error(), want) {
					t.Errorf("%v (sent %v): %v, want a reset of a sent request with %q in it", e.Failure, e.Sent, e, want)
				}
			}
			if reply := mustEcho(t, c, orderOf(3, "echo", 0)); !reply.Connected {
				t.Error("the next call went over no new WebSocket")
			}
		})
	}
}

func TestWebSocketsAreSharedByTurns(t *testing.T) {
	var mu sync.Mutex
	peers := map[string]int{}
	url := wsNode(t, func(conn *websocket.Conn, r *http.Request) {
		for {
			_, message, err := conn.Read(context.Background())
			if err != nil {
				return
			}
			mu.Lock()
			peers[r.RemoteAddr]++
			mu.Unlock()
			conn.Write(context.Background(), websocket.MessageText, message)
		}
	})
	e := wsEndpoint(t, WebSocketConfig{HTTPConfig: HTTPConfig{URL: url}, Streams: 3})
	for i := range 6 {
		mustEcho(t, opened(t, e), orderOf(uint64(i+1), "echo", 0))
	}
	mu.Lock()
	defer mu.Unlock()
	if len(peers) != 3 {
		t.Errorf("6 connections used %v, want 3 WebSockets", peers)
	}
	for peer, n := range peers {
		if n != 2 {
			t.Errorf("%s carried %d messages, want 2", peer, n)
		}
	}
}

func TestWebSocketNodesThatDoNotSwitch(t *testing.T) {
	tests := []struct {
		name, answer string
		failure      Failure
		want         string
	}{
		{"a refusal", "HTTP/1.1 403 Forbidden\r\nContent-Length: 7\r\n\r\nno\x1b[31m", Refused, `HTTP 403 "no\x1b[31m"`},
		{"a redirect", "HTTP/1.1 307 Temporary Redirect\r\nLocation: ws://203.0.113.5/\r\nContent-Length: 0\r\n\r\n", Refused, `redirect to "ws://203.0.113.5/", which is not followed`},
		{"a switch to something else", "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n", Malformed, "handshake"},
		{"the end", "", Refused, "closed the connection"},
		{"no HTTP", "SSH-2.0-x\r\n\r\n", Refused, "does not switch"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			url := strings.Replace(node(t, func(p *peer) { http.ReadRequest(p.in); io.WriteString(p, tt.answer) }), "http://", "ws://me:hush@", 1) + "/?key=hush"
			_, err := opened(t, wsEndpoint(t, WebSocketConfig{HTTPConfig: HTTPConfig{URL: url}})).Do(t.Context(), orderOf(1, "echo", 0), soon())
			if e := failureOf(t, err); e.Failure != tt.failure || e.Sent || !strings.Contains(e.Error(), tt.want) || strings.Contains(e.Error(), "hush") {
				t.Errorf("%v (sent %v): %v, want %v with %q in it, unsent, and no secret", e.Failure, e.Sent, e, tt.failure, tt.want)
			}
		})
	}
	t.Run("a handshake that takes for ever", func(t *testing.T) {
		url := strings.Replace(node(t, stay), "http", "ws", 1)
		_, err := opened(t, wsEndpoint(t, WebSocketConfig{HTTPConfig: HTTPConfig{URL: url}})).Do(t.Context(), orderOf(1, "echo", 0), time.Now().Add(100*time.Millisecond))
		if e := failureOf(t, err); e.Failure != Timeout || e.Sent {
			t.Errorf("%v (sent %v): %v, want a timeout of an unsent request", e.Failure, e.Sent, e)
		}
	})
}

func TestWebSocketGuardsEveryConnect(t *testing.T) {
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(wsOrders(t), "ws://"))
	e := wsEndpoint(t, WebSocketConfig{HTTPConfig: HTTPConfig{URL: "ws://node.example:" + port}})
	e.resolver = &names{answers: [][]string{{"127.0.0.1"}, {"203.0.113.5"}}}
	c := opened(t, e)
	mustEcho(t, c, orderOf(1, "echo", 0))
	c.Do(t.Context(), orderOf(2, "die", 0), soon())
	_, err := c.Do(t.Context(), orderOf(3, "echo", 0), soon())
	if e := failureOf(t, err); e.Failure != Forbidden || e.Sent {
		t.Errorf("%v (sent %v): %v, want the second address forbidden", e.Failure, e.Sent, e)
	}
}

func TestWebSocketThatReadsNothing(t *testing.T) {
	over := make(chan struct{})
	url := wsNode(t, func(*websocket.Conn, *http.Request) { <-over })
	t.Cleanup(func() { close(over) })
	e := wsEndpoint(t, WebSocketConfig{HTTPConfig: HTTPConfig{URL: url}})
	_, err := opened(t, e).Do(t.Context(), orderOf(1, "echo", 64<<20), time.Now().Add(300*time.Millisecond))
	if e := failureOf(t, err); e.Failure != Timeout || !e.Sent {
		t.Errorf("%v (sent %v): %v, want a timeout of a sent request", e.Failure, e.Sent, e)
	}
}

func TestNewWebSocketSaysWhatIsWrong(t *testing.T) {
	for want, c := range map[string]WebSocketConfig{
		"no Route":                  {HTTPConfig: HTTPConfig{URL: "ws://node/"}},
		"write it as ws://":         {HTTPConfig: HTTPConfig{URL: "ws:/node"}, Route: routeByID},
		"has to begin with http://": {HTTPConfig: HTTPConfig{URL: "ftp://node"}, Route: routeByID},
		"by age":                    {HTTPConfig: HTTPConfig{URL: "ws://node", MaxAge: time.Second}, Route: routeByID},
		"write it as wss://":        {HTTPConfig: HTTPConfig{URL: "ws://node", TLS: &TLS{}}, Route: routeByID},
	} {
		if _, err := NewWebSocket(c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
