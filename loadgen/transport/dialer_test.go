package transport

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestAddressesAreLookedUpOnce(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Connection", "close")
	}))
	t.Cleanup(server.Close)
	_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
	n := &names{answers: [][]string{{"::ffff:127.0.0.1"}, {"203.0.113.5"}}}
	allowed := true
	h := httpEndpoint(t, HTTPConfig{URL: "http://node.example:" + port, ResolveOnce: true, Guard: func(a netip.Addr) error {
		if !allowed {
			return errors.New("not any more")
		}
		return LocalOnly(a)
	}})
	h.resolver = n
	for range 2 {
		addrs, err := h.Addresses(t.Context())
		if err != nil || len(addrs) != 1 || addrs[0].String() != "127.0.0.1" {
			t.Errorf("%v, %v", addrs, err)
		}
	}
	c := opened(t, h)
	for range 3 {
		if reply, err := c.Do(t.Context(), Request{}, soon()); err != nil || !reply.Connected || reply.Connecting <= 0 {
			t.Errorf("%v, connected %v in %v", err, reply.Connected, reply.Connecting)
		}
	}
	if n.asked != 1 {
		t.Errorf("the name was looked up %d times, want once", n.asked)
	}
	allowed = false
	_, err := c.Do(t.Context(), Request{}, soon())
	if e := failureOf(t, err); e.Failure != Forbidden {
		t.Errorf("%v: %v, want the kept address before the guard at every connect", e.Failure, e)
	}
}

func TestLookUpThatFailsIsTriedAgain(t *testing.T) {
	url := node(t, then(answers("HTTP/1.1 204 No\r\n\r\n"), stay))
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(url, "http://"))
	h := httpEndpoint(t, HTTPConfig{URL: "http://node.example:" + port, ResolveOnce: true})
	n := &names{answers: [][]string{{"127.0.0.1"}}, err: errors.New("no such host")}
	h.resolver = n
	c := opened(t, h)
	if _, err := c.Do(t.Context(), Request{}, soon()); failureOf(t, err).Failure != Refused {
		t.Errorf("%v, want refused", err)
	}
	n.err = nil
	if _, err := c.Do(t.Context(), Request{}, soon()); err != nil {
		t.Error(err)
	}
	c.Close()
}

func TestWordsOfAFailedConnect(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	gone := filepath.Join(t.TempDir(), "s")
	for url, want := range map[string]string{
		"http://" + l.Addr().String(): l.Addr().String() + ": connection refused",
		"unix:" + gone:                gone + ": no such file or directory",
	} {
		_, err := opened(t, httpEndpoint(t, HTTPConfig{URL: url})).Do(t.Context(), Request{}, soon())
		if e := failureOf(t, err); e.Error() != want || e.Failure != Refused || e.Sent {
			t.Errorf("%v (sent %v): %q, want refused: %q", e.Failure, e.Sent, e, want)
		}
	}
}

func TestPlain(t *testing.T) {
	refused := &net.OpError{Op: "dial", Net: "tcp", Addr: &net.TCPAddr{}, Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	for _, tt := range []struct {
		err  error
		want string
		is   error
	}{
		{refused, "connection refused", syscall.ECONNREFUSED},
		{fmt.Errorf("outer: %w", refused), "connection refused", syscall.ECONNREFUSED},
		{&net.OpError{Op: "read", Err: os.ErrDeadlineExceeded}, "i/o timeout", os.ErrDeadlineExceeded},
		{&net.OpError{Op: "remote error", Err: errors.New("tls: bad certificate")}, "the node says: tls: bad certificate", nil},
		{io.ErrUnexpectedEOF, "unexpected EOF", io.ErrUnexpectedEOF},
	} {
		got := plain(tt.err)
		if got.Error() != tt.want || tt.is != nil && !errors.Is(got, tt.is) {
			t.Errorf("%v became %v, want %s", tt.err, got, tt.want)
		}
	}
}

func TestIPv6(t *testing.T) {
	l, err := net.Listen("tcp", "[::1]:0")
	if err != nil {
		t.Skip("this machine has no IPv6: ", err)
	}
	s := orders(t, func(s *httptest.Server) { s.Listener.Close(); s.Listener = l; s.Start() })
	mustEcho(t, opened(t, httpEndpoint(t, HTTPConfig{URL: s.URL})), orderOf(1, "echo", 0))
}

func TestParseURL(t *testing.T) {
	long := "/" + strings.Repeat("x", maxSocketPath)
	for _, tt := range []struct{ raw, want string }{ // socket, target and Host, or words of the error
		{"unix:/run/a b.sock", "/run/a b.sock / localhost"},
		{"unix:///run/a.sock", "/run/a.sock / localhost"},
		{"http+unix://%2Frun%2Fa.sock", "/run/a.sock / localhost"},
		{"http+unix://%2Frun%2Fa.sock/rpc%2Fx?key=1", "/run/a.sock /rpc%2Fx?key=1 localhost"},
		{"http+unix://%2Frun%2Fa.sock?key=1", "/run/a.sock /?key=1 localhost"},
		{"http://node:81/x", " /x node:81"},
		{"unix:run/a.sock", "absolute path"},
		{"unix:", "absolute path"},
		{"http+unix://%2Frun%zz", "not valid"},
		{"http+unix://%2Frun%2Fa/%zz", "not valid"},
		{"http+unix://%2Frun%00", "zero byte"},
		{"unix:" + long, "longer than 107 bytes"},
		{"http+unix://%2Frun/?a b", "percent-encode"},
	} {
		to, err := parseURL(tt.raw, "http", "https")
		if err != nil {
			if !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s: %v, want %q", tt.raw, err, tt.want)
			}
			continue
		}
		if got := to.socket + " " + to.target("") + " " + hostField(to.url); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.raw, got, tt.want)
		}
	}
}

// FuzzParseURL: what is taken can be written into a request's head.
func FuzzParseURL(f *testing.F) {
	for _, seed := range []string{"http://a/", "https://u:p@[::1%25x]:8/%2f?q=1", "unix:/x", "http+unix://%2Fx/y?z", "ws://x", "http://a\r\nX: y/"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		to, err := parseURL(raw, "http", "https")
		if err != nil {
			return
		}
		fields, err := headerFields(to.url, nil)
		if err != nil {
			t.Fatal(err)
		}
		head := "POST " + to.target("x y") + " HTTP/1.1\r\n" + fieldLines(fields)
		for line := range strings.SplitSeq(strings.TrimSuffix(head, "\r\n"), "\r\n") {
			if hasControl([]byte(line)) {
				t.Fatalf("%q of %q", line, raw)
			}
		}
		if n := strings.Count(head, "\r\n"); n < 5 || n > 6 || strings.Count(strings.SplitN(head, "\r\n", 2)[0], " ") != 2 {
			t.Fatalf("the head is %q of %q", head, raw)
		}
		if to.socket == "" && (to.port == 0 || to.url.Hostname() == "") || to.socket != "" && !strings.HasPrefix(to.socket, "/") {
			t.Fatalf("%+v of %q", to, raw)
		}
	})
}

func TestConnectionsAreGivenUp(t *testing.T) {
	for name, start := range map[string]func(*httptest.Server){"plain": (*httptest.Server).Start, "TLS": (*httptest.Server).StartTLS} {
		t.Run(name, func(t *testing.T) {
			server := orders(t, start)
			do := func(c HTTPConfig, calls int) (connects int) {
				c.URL = server.URL
				if name == "TLS" {
					c.TLS = &TLS{CA: authority(server)}
				}
				conn := opened(t, httpEndpoint(t, c))
				for i := range calls {
					if mustEcho(t, conn, orderOf(uint64(i+1), "echo", 0)).Connected {
						connects++
					}
				}
				return connects
			}
			if n := do(HTTPConfig{MaxRequests: 3}, 10); n != 4 {
				t.Errorf("10 calls of up to 3 each took %d connections, want 4", n)
			}
			if n := do(HTTPConfig{MaxAge: time.Nanosecond}, 3); n != 3 {
				t.Errorf("3 calls over connections that are old at once took %d, want 3", n)
			}
			if n := do(HTTPConfig{MaxAge: time.Hour}, 3); n != 1 {
				t.Errorf("3 calls within an hour took %d connections, want 1", n)
			}
		})
	}
}

func TestTLS(t *testing.T) {
	// httptest's certificate is of itself, for example.com and 127.0.0.1.
	server := orders(t, quiet)
	mutual := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.TLS.PeerCertificates[0].Subject.Organization, r.TLS.ServerName)
	}))
	mutual.TLS = &tls.Config{ClientAuth: tls.RequireAnyClientCert}
	quiet(mutual)
	t.Cleanup(mutual.Close)
	_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
	cert, key := ownCertificate(t)
	do := func(c HTTPConfig) (Reply, error) {
		h := httpEndpoint(t, c)
		h.resolver = &names{answers: [][]string{{"127.0.0.1"}}}
		return opened(t, h).Do(t.Context(), orderOf(1, "echo", 0), soon())
	}
	for name, tt := range map[string]struct {
		c    HTTPConfig
		want string // in the error; "" for none
	}{
		"a CA of its own":             {HTTPConfig{URL: server.URL, TLS: &TLS{CA: authority(server)}}, ""},
		"another host's name":         {HTTPConfig{URL: "https://node.internal:" + port, TLS: &TLS{CA: authority(server)}}, "node.internal"},
		"another name, which is told": {HTTPConfig{URL: "https://node.internal:" + port, TLS: &TLS{CA: authority(server), ServerName: "example.com"}}, ""},
		"nobody vouches for it":       {HTTPConfig{URL: server.URL}, "unknown authority"},
		"nobody has to":               {HTTPConfig{URL: server.URL, TLS: &TLS{Insecure: true}}, ""},
		"no certificate of ours":      {HTTPConfig{URL: mutual.URL, TLS: &TLS{Insecure: true}}, "certificate required"},
		"one of ours":                 {HTTPConfig{URL: mutual.URL, TLS: &TLS{Insecure: true, Cert: cert, Key: key}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			reply, err := do(tt.c)
			switch {
			case tt.want == "" && (err != nil || reply.Status != 200):
				t.Errorf("%v, %d", err, reply.Status)
			case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("%v, want %q", err, tt.want)
			}
		})
	}
	if reply, err := do(HTTPConfig{URL: mutual.URL, TLS: &TLS{Insecure: true, Cert: cert, Key: key, ServerName: "example.com"}}); err != nil || string(reply.Body) != "[a test]example.com" {
		t.Errorf("%v, the node saw %q", err, reply.Body)
	}
}
