package transport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
)

// TestAllRepliesTogether: replies that are each within bounds are refused when those
// under way are too many, and served when those are over.
func TestAllRepliesTogether(t *testing.T) {
	const (
		size = 3 << 20
		most = 4 << 20 // less than one and a half of them
	)
	half := strings.Repeat("x", size/2)
	frames := map[string]func(http.Header){
		"by length":     func(h http.Header) { h.Set("Content-Length", fmt.Sprint(size)) },
		"in chunks":     func(http.Header) {},
		"up to the end": func(h http.Header) { h["Connection"], h["Transfer-Encoding"] = []string{"close"}, []string{"identity"} },
	}
	kinds := map[string]struct {
		serve    func(*httptest.Server)
		endpoint func(*testing.T, HTTPConfig) Endpoint
	}{
		"plain":  {(*httptest.Server).Start, func(t *testing.T, c HTTPConfig) Endpoint { return httpEndpoint(t, c) }},
		"TLS":    {quiet, func(t *testing.T, c HTTPConfig) Endpoint { c.TLS = &TLS{Insecure: true}; return httpEndpoint(t, c) }},
		"HTTP/2": {startH2C, func(t *testing.T, c HTTPConfig) Endpoint { return h2Endpoint(t, c) }},
	}
	for name, frame := range frames {
		for kind, k := range kinds {
			if kind == "HTTP/2" && name == "up to the end" {
				continue
			}
			t.Run(kind+", "+name, func(t *testing.T) {
				over, end := context.WithCancel(t.Context())
				defer end()
				server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					body, _ := io.ReadAll(r.Body)
					frame(w.Header())
					io.WriteString(w, half)
					if string(body) == "wait" {
						w.(http.Flusher).Flush()
						<-over.Done()
					}
					io.WriteString(w, half)
				}))
				k.serve(server)
				t.Cleanup(server.Close)
				e := k.endpoint(t, HTTPConfig{URL: server.URL, MaxReplies: most})
				slow, other := opened(t, e), opened(t, e)
				slowly := make(chan error, 1)
				go func() {
					reply, err := slow.Do(t.Context(), Request{Body: []byte("wait")}, soon())
					if err == nil && len(reply.Body) != size {
						err = fmt.Errorf("%d bytes", len(reply.Body))
					}
					slowly <- err
				}()
				for used(e) < size/2 && len(slowly) == 0 {
					runtime.Gosched()
				}
				_, err := other.Do(t.Context(), Request{Body: []byte("go")}, soon())
				want := fmt.Sprintf("over the bound of %d bytes for all of them together", int64(most))
				if e := new(Error); !errors.As(err, &e) || e.Failure != Malformed || !strings.Contains(e.Error(), want) {
					t.Errorf("%v", err)
				}
				end()
				if err := <-slowly; err != nil {
					t.Errorf("the one that was there first: %v", err)
				}
				if reply, err := other.Do(t.Context(), Request{Body: []byte("go")}, soon()); err != nil || len(reply.Body) != size {
					t.Errorf("when it is over: %v, %d bytes", err, len(reply.Body))
				}
				if n := used(e); n != 0 {
					t.Errorf("%d bytes are still accounted", n)
				}
				other.Close()
				slow.Close()
			})
		}
	}
}

func used(e Endpoint) int64 {
	switch e := e.(type) {
	case *HTTP:
		return e.budget.used.Load()
	case *HTTP2:
		return e.budget.used.Load()
	}
	return -1
}

func TestShareOfABudget(t *testing.T) {
	b := newBudget(1 << 20)
	s := share{of: &b}
	for _, step := range []struct {
		n     int
		held  int64
		fails bool
	}{
		{inPlace, 0, false}, // small replies do not count
		{inPlace + 1, shareStep, false},
		{shareStep, shareStep, false},
		{shareStep + 1, 2 * shareStep, false},
		{1 << 20, 1 << 20, false},
		{1<<20 + 1, 1 << 20, true},
	} {
		if err := s.grow(step.n); (err != nil) != step.fails || s.held != step.held || b.used.Load() != step.held {
			t.Errorf("%d: %v, holds %d of %d used, want %d", step.n, err, s.held, b.used.Load(), step.held)
		}
	}
	s.end()
	s.end()
	if n := b.used.Load(); n != 0 {
		t.Errorf("%d are still used", n)
	}
	if err := new(share).grow(1 << 40); err != nil {
		t.Errorf("nothing bounds it: %v", err)
	}
}
