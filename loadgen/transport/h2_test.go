package transport

import (
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func h2Endpoint(t *testing.T, c HTTPConfig) *HTTP2 {
	t.Helper()
	h, err := NewHTTP2(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	return h
}

// startH2C makes a server speak HTTP/2 alone, without TLS.
func startH2C(s *httptest.Server) {
	s.Config.Protocols = new(http.Protocols)
	s.Config.Protocols.SetUnencryptedHTTP2(true)
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.Start()
}

// authority gives what vouches for a server's certificate, as PEM.
func authority(s *httptest.Server) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
}

func h2c(t *testing.T, handler http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewUnstartedServer(handler)
	startH2C(s)
	t.Cleanup(s.Close)
	return s.URL
}

func TestHTTP2RequestAndReply(t *testing.T) {
	got := make(chan *http.Request, 1)
	url := h2c(t, func(w http.ResponseWriter, r *http.Request) {
		got <- r
		w.Header().Set("Content-Type", "text/x")
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("Location", "http://elsewhere/")
		w.WriteHeader(http.StatusPermanentRedirect)
		io.WriteString(w, "gone")
	})
	c := opened(t, h2Endpoint(t, HTTPConfig{URL: strings.Replace(url, "http://", "http://me:pass@", 1) + "/rcp?key=1", Header: http.Header{"X-Key": {"k"}, "Connection": {"close"}}}))
	reply, err := c.Do(t.Context(), Request{Path: "/em bed", Body: []byte("[]")}, soon())
	if err != nil {
		t.Fatal(err)
	}
	r := <-got
	user, password, _ := r.BasicAuth()
	if r.Proto != "HTTP/2.0" || r.Method != "POST" || r.RequestURI != "/rcp/em%20bed?key=1" || r.ContentLength != 2 || user != "me" || password != "pass" ||
		r.Header.Get("X-Key") != "k" || r.Header.Get("Content-Type") != "application/json" || r.Header.Get("Accept-Encoding") != "" || r.Host != strings.TrimPrefix(url, "http://") {
		t.Errorf("the node saw %s %s %s of %d bytes, host %s, %v", r.Proto, r.Method, r.RequestURI, r.ContentLength, r.Host, r.Header)
	}
	if reply.Status != 308 || reply.ContentType != "text/x" || reply.Encoding != "gzip" || reply.Location != "http://elsewhere/" || string(reply.Body) != "gone" || !reply.Connected || reply.Connecting <= 0 {
		t.Errorf("%+v", reply)
	}
}

func TestHTTP2SharesConnectionsUpToTheNodesLimit(t *testing.T) {
	held, free := make(chan string), make(chan struct{})
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/hold" {
			held <- r.RemoteAddr
			<-free
		}
	}))
	s.Config.HTTP2 = &http.HTTP2Config{MaxConcurrentStreams: 2}
	startH2C(s)
	t.Cleanup(s.Close)
	e := h2Endpoint(t, HTTPConfig{URL: s.URL})
	first := opened(t, e)
	if _, err := first.Do(t.Context(), Request{}, soon()); err != nil { // the limit is known from here on
		t.Fatal(err)
	}
	peers := map[string]int{}
	var calls []<-chan result
	for range 5 {
		calls = append(calls, doing(t, opened(t, e), Request{Path: "/hold"}))
		peers[<-held]++
	}
	close(free)
	connected := 0
	for _, call := range calls {
		got := <-call
		if got.err != nil {
			t.Error(got.err)
		}
		if got.reply.Connected {
			connected++
		}
	}
	if len(peers) != 3 || connected != 2 {
		t.Errorf("5 streams went over %v, %d of them new, want 3 of up to 2 each, 2 of them new", peers, connected)
	}
}

func TestHTTP2ReconnectsWhenTheNodeIsGone(t *testing.T) {
	held := make(chan bool)
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/hold" {
			held <- true
			<-r.Context().Done()
		}
	}))
	startH2C(s)
	t.Cleanup(s.Close)
	e := h2Endpoint(t, HTTPConfig{URL: s.URL})
	c := opened(t, e)
	if _, err := c.Do(t.Context(), Request{}, soon()); err != nil {
		t.Fatal(err)
	}
	lost := doing(t, opened(t, e), Request{Path: "/hold"})
	<-held
	s.CloseClientConnections()
	if got := <-lost; failureOf(t, got.err).Failure != Reset || !failureOf(t, got.err).Sent {
		t.Errorf("the call under way: %v, want a reset of a sent request", got.err)
	}
	if reply, err := c.Do(t.Context(), Request{}, soon()); err != nil || !reply.Connected {
		t.Errorf("the next call: %v, connected %v, want a new connection", err, reply.Connected)
	}
}

func TestHTTP2AnswersThatAreNone(t *testing.T) {
	tests := []struct {
		name    string
		answer  http.HandlerFunc
		failure Failure
		want    string
	}{
		{"a stream that is reset", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, Reset, "INTERNAL_ERROR"},
		{"a length over the bound", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", fmt.Sprint(1<<30))
		}, Malformed, "a body of 1073741824 bytes is over the bound of 5000"},
		{"a body over the bound", func(w http.ResponseWriter, r *http.Request) {
			for range 100_000 {
				if _, err := w.Write(make([]byte, 10_000)); err != nil {
					return
				}
			}
		}, Malformed, "over the bound of 5000 bytes"},
		{"a head over the bound", func(w http.ResponseWriter, r *http.Request) {
			for i := range 9 {
				w.Header().Set(fmt.Sprint("X-", i), strings.Repeat("x", 8<<10))
			}
		}, Malformed, "head is larger than 65536"},
		{"a body that is cut off", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "10")
			io.WriteString(w, "12345")
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}, Reset, "INTERNAL_ERROR"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := opened(t, h2Endpoint(t, HTTPConfig{URL: h2c(t, tt.answer), MaxReply: 5000}))
			_, err := c.Do(t.Context(), Request{Body: []byte("[]")}, soon())
			e := failureOf(t, err)
			if e.Failure != tt.failure || !e.Sent || !strings.Contains(e.Error(), tt.want) {
				t.Errorf("%v (sent %v): %v, want %v with %q in it", e.Failure, e.Sent, e, tt.failure, tt.want)
			}
		})
	}
}

func TestHTTP2NodesThatDoNotSpeakIt(t *testing.T) {
	t.Run("HTTP/1.1 without TLS", func(t *testing.T) {
		url := node(t, func(p *peer) { io.WriteString(p, "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"); stay(p) })
		c := opened(t, h2Endpoint(t, HTTPConfig{URL: url}))
		_, err := c.Do(t.Context(), Request{}, soon())
		// What is seen first, the end of the connection or what came over it, is chance.
		if e := failureOf(t, err); e.Failure == Timeout || !strings.Contains(e.Error(), "HTTP/1.1") {
			t.Errorf("%v: %v, want the words to name HTTP/1.1", e.Failure, e)
		}
	})
	t.Run("HTTP/1.1 over TLS", func(t *testing.T) {
		server := httptest.NewUnstartedServer(http.NotFoundHandler())
		server.Config.ErrorLog = log.New(io.Discard, "", 0)
		server.StartTLS()
		t.Cleanup(server.Close)
		c := opened(t, h2Endpoint(t, HTTPConfig{URL: server.URL, TLS: &TLS{CA: authority(server)}}))
		_, err := c.Do(t.Context(), Request{}, soon())
		if e := failureOf(t, err); e.Failure != Refused || e.Sent {
			t.Errorf("%v (sent %v): %v, want refused", e.Failure, e.Sent, e)
		}
	})
}

func TestHTTP2GuardsEveryConnect(t *testing.T) {
	url := h2c(t, func(http.ResponseWriter, *http.Request) {})
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(url, "http://"))
	e := h2Endpoint(t, HTTPConfig{URL: "http://node.example:" + port})
	e.resolver = &names{answers: [][]string{{"127.0.0.1", "203.0.113.5"}}}
	_, err := opened(t, e).Do(t.Context(), Request{}, soon())
	if e := failureOf(t, err); e.Failure != Forbidden || e.Sent || !strings.Contains(e.Error(), "203.0.113.5") {
		t.Errorf("%v: %v, want forbidden", e.Failure, e)
	}
}

func TestNewHTTP2SaysWhatIsWrong(t *testing.T) {
	for want, c := range map[string]HTTPConfig{
		"has to begin with http://":      {URL: "ftp://node/"},
		"not given up by age":            {URL: "http://node/", MaxRequests: 1},
		"not encrypted":                  {URL: "http://node/", TLS: &TLS{Insecure: true}},
		"belongs to the transport":       {URL: "http://node/", Header: http.Header{"Te": {"trailers"}}},
		"want PEM text":                  {URL: "https://node/", TLS: &TLS{CA: []byte("hush")}},
		"give both":                      {URL: "https://node/", TLS: &TLS{Cert: []byte("hush")}},
		"certificate and its key do not": {URL: "https://node/", TLS: &TLS{Cert: []byte("hush"), Key: []byte("hush")}},
	} {
		if _, err := NewHTTP2(c); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hush") {
			t.Errorf("%v, want %q and no secret in it", err, want)
		}
	}
}
