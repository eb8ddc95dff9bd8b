package transport

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
)

func httpEndpoint(t *testing.T, c HTTPConfig) *HTTP {
	t.Helper()
	h, err := NewHTTP(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	return h
}

func TestRequestHead(t *testing.T) {
	tests := []struct {
		name   string
		url    string
		header http.Header
		path   string
		want   []string // lines, without the usual ones where "..." stands
	}{
		{"the URL itself", "http://127.0.0.1:3030", nil, "",
			[]string{"POST / HTTP/1.1", "Host: 127.0.0.1:3030", "Accept: application/json", "Content-Type: application/json", "User-Agent: volley"}},
		{"a path below it", "http://node/rcp", nil, "/embed", []string{"POST /rcp/embed HTTP/1.1", "Host: node", "..."}},
		{"slashes meet", "http://node/rcp/", nil, "embed", []string{"POST /rcp/embed HTTP/1.1", "Host: node", "..."}},
		{"the base keeps its slash", "http://node/rcp/", nil, "", []string{"POST /rcp/ HTTP/1.1", "Host: node", "..."}},
		{"a path is plain text", "http://node", nil, "/a b?c#d%\r\n", []string{"POST /a%20b%3Fc%23d%25%0D%0A HTTP/1.1", "Host: node", "..."}},
		{"an escape of the URL stays, and so does its query", "http://node/a%2Fb?key=1", nil, "c", []string{"POST /a%2Fb/c?key=1 HTTP/1.1", "Host: node", "..."}},
		{"IPv6", "http://[::1]:8080/", nil, "", []string{"POST / HTTP/1.1", "Host: [::1]:8080", "..."}},
		{"a zone is ours alone", "http://[fe80::1%25eth0]/", nil, "", []string{"POST / HTTP/1.1", "Host: [fe80::1]", "..."}},
		{"user information", "http://Aladdin:open%20sesame@node/", nil, "",
			[]string{"POST / HTTP/1.1", "Host: node", "Accept: application/json", "Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==", "Content-Type: application/json", "User-Agent: volley"}},
		{"configured fields come instead", "http://user:pass@node/",
			http.Header{"authorization": {"Bearer x"}, "Host": {"other"}, "Content-Type": {"application/json-rpc"}, "Accept": {}, "X-Two": {"1", " 2 "}, "User-Agent": {"me"}}, "",
			[]string{"POST / HTTP/1.1", "Host: other", "Accept: application/json", "Authorization: Bearer x", "Content-Type: application/json-rpc", "User-Agent: me", "X-Two: 1", "X-Two: 2"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			head := string(httpEndpoint(t, HTTPConfig{URL: tt.url, Header: tt.header}).head(tt.path))
			want := strings.Join(tt.want, "\r\n")
			want = strings.Replace(want, "...", "Accept: application/json\r\nContent-Type: application/json\r\nUser-Agent: volley", 1)
			if got, ok := strings.CutSuffix(head, "\r\nContent-Length: "); !ok || got != want {
				t.Errorf("head\n%q, want\n%q", head, want)
			}
		})
	}
}

func TestNewHTTPSaysWhatIsWrong(t *testing.T) {
	tests := []struct {
		name   string
		url    string
		header http.Header
		want   string
	}{
		{"no scheme", "localhost:8080/x", nil, "has to begin with http://"},
		{"nothing", "", nil, "has to begin with http://"},
		{"another scheme", "ftp://node/", nil, `"ftp:"`},
		{"no host", "http:///x", nil, "names no host"},
		{"a port out of range", "http://node:70000/", nil, "70000"},
		{"port zero", "http://node:0/", nil, "not in 1 to 65535"},
		{"an international name", "http://bücher.example/", nil, "xn--"},
		{"a space in the query", "http://node/?a b", nil, "percent-encode"},
		{"a bad escape in a password", "http://user:hush%zz@node/", nil, "not shown"},
		{"a header's name", "http://node/", http.Header{"X y": {"1"}}, `"X y"`},
		{"a header's value", "http://node/", http.Header{"X-Key": {"hush\n"}}, "X-Key holds a control character"},
		{"framing", "http://node/", http.Header{"content-length": {"5"}}, "Content-Length belongs to the transport"},
		{"connection options", "http://node/", http.Header{"Connection": {"upgrade"}}, "close or keep-alive"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := NewHTTP(HTTPConfig{URL: tt.url, Header: tt.header})
			if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "hush") {
				t.Errorf("%v, want %q and no secret in it", err, tt.want)
			}
		})
	}
}

func TestLocalOnly(t *testing.T) {
	for addr, want := range map[string]string{
		"127.0.0.1": "", "127.255.255.254": "", "::1": "", "::ffff:127.0.0.1": "",
		"10.0.0.1": "", "172.16.0.1": "", "172.31.255.255": "", "192.168.1.1": "", "::ffff:192.168.1.1": "",
		"fd00::1": "", "fc00::1": "", "169.254.169.254": "target.authorised", "fe80::1": "target.authorised", "fe80::1%eth0": "target.authorised",
		"0.0.0.0": "use 127.0.0.1", "::": "use 127.0.0.1", "::ffff:0.0.0.0": "use 127.0.0.1",
		"100.64.0.1": "target.authorised", "172.32.0.1": "target.authorised", "192.169.0.1": "target.authorised",
		"203.0.113.5": "target.authorised", "::ffff:203.0.113.5": "target.authorised", "2001:db8::1": "target.authorised",
		"224.0.0.1": "target.authorised", "255.255.255.255": "target.authorised", "fec0::1": "target.authorised",
	} {
		err := LocalOnly(netip.MustParseAddr(addr))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", addr, err, want)
		}
	}
	if LocalOnly(netip.Addr{}) == nil {
		t.Error("the zero address is let through")
	}
}

// names is a resolver whose answers differ from question to question.
type names struct {
	answers [][]string
	asked   int
	err     error
}

func (n *names) LookupNetIP(context.Context, string, string) (addrs []netip.Addr, err error) {
	if n.err != nil {
		return nil, n.err
	}
	for _, a := range n.answers[min(n.asked, len(n.answers)-1)] {
		addrs = append(addrs, netip.MustParseAddr(a))
	}
	n.asked++
	return addrs, nil
}

func TestEveryAddressIsGuardedAtEveryConnect(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Connection", "close")
	}))
	t.Cleanup(server.Close)
	_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
	named := func(t *testing.T, n *names) Conn {
		h := httpEndpoint(t, HTTPConfig{URL: "http://node.example:" + port})
		h.resolver = n
		return opened(t, h)
	}
	t.Run("one forbidden address forbids the name, although the first would do", func(t *testing.T) {
		c := named(t, &names{answers: [][]string{{"127.0.0.1", "203.0.113.5"}}})
		_, err := c.Do(t.Context(), Request{}, soon())
		e := failureOf(t, err)
		if e.Failure != Forbidden || e.Sent || !strings.Contains(e.Error(), "203.0.113.5") || !strings.Contains(e.Error(), "node.example") || !strings.Contains(e.Error(), "target.authorised") {
			t.Errorf("%v (sent %v): %v, want forbidden, with the address and the remedy", e.Failure, e.Sent, e)
		}
	})
	t.Run("a name that moves between connects", func(t *testing.T) {
		n := &names{answers: [][]string{{"127.0.0.1"}, {"203.0.113.5"}}}
		c := named(t, n)
		if _, err := c.Do(t.Context(), Request{}, soon()); err != nil {
			t.Fatal(err)
		}
		_, err := c.Do(t.Context(), Request{}, soon())
		if e := failureOf(t, err); e.Failure != Forbidden || n.asked != 2 {
			t.Errorf("%v after %d lookups: %v, want forbidden after 2", e.Failure, n.asked, e)
		}
	})
	t.Run("an address is guarded like a name, and unmapped", func(t *testing.T) {
		var asked []netip.Addr
		refuse := func(a netip.Addr) error { asked = append(asked, a); return errors.New("not this one") }
		c := opened(t, httpEndpoint(t, HTTPConfig{URL: "http://[::ffff:127.0.0.1]:" + port, Guard: refuse}))
		_, err := c.Do(t.Context(), Request{}, soon())
		if e := failureOf(t, err); e.Failure != Forbidden || len(asked) != 1 || asked[0] != netip.MustParseAddr("127.0.0.1") {
			t.Errorf("%v, asked about %v", e.Failure, asked)
		}
	})
	t.Run("the next address is tried when one refuses", func(t *testing.T) {
		c := named(t, &names{answers: [][]string{{"127.0.0.9", "127.0.0.1"}}})
		if _, err := c.Do(t.Context(), Request{}, soon()); err != nil {
			t.Error(err)
		}
	})
	t.Run("no such name", func(t *testing.T) {
		c := named(t, &names{err: &net.DNSError{Err: "no such host", Name: "node.example", IsNotFound: true}})
		_, err := c.Do(t.Context(), Request{}, soon())
		if e := failureOf(t, err); e.Failure != Refused || e.Sent || !strings.Contains(e.Error(), "node.example") {
			t.Errorf("%v: %v, want refused", e.Failure, e)
		}
	})
	t.Run("a name without addresses", func(t *testing.T) {
		_, err := named(t, &names{answers: [][]string{{}}}).Do(t.Context(), Request{}, soon())
		if e := failureOf(t, err); e.Failure != Refused {
			t.Errorf("%v: %v, want refused", e.Failure, e)
		}
	})
}

func TestHTTPS(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Write([]byte(r.Proto))
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	t.Run("a certificate that the roots vouch for", func(t *testing.T) {
		h := httpEndpoint(t, HTTPConfig{URL: server.URL})
		h.tls.RootCAs = server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
		c := opened(t, h)
		for i := range 3 {
			reply, err := c.Do(t.Context(), Request{Body: make([]byte, i*concurrentWrite)}, soon())
			if err != nil || string(reply.Body) != "HTTP/1.1" || reply.Connected != (i == 0) {
				t.Errorf("call %d: %v, %q, connected %v", i, err, reply.Body, reply.Connected)
			}
		}
	})
	t.Run("one that they do not", func(t *testing.T) {
		_, err := opened(t, httpEndpoint(t, HTTPConfig{URL: server.URL})).Do(t.Context(), Request{}, soon())
		if e := failureOf(t, err); e.Failure != Refused || e.Sent || !strings.Contains(e.Error(), "certificate") {
			t.Errorf("%v (sent %v): %v, want refused, naming the certificate", e.Failure, e.Sent, e)
		}
	})
}

func TestClosedEndpointOpensNothing(t *testing.T) {
	h := httpEndpoint(t, HTTPConfig{URL: "http://127.0.0.1/"})
	h.Close()
	if _, err := h.Open(); err == nil {
		t.Error("no error")
	}
}
