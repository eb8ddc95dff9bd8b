package scrape_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"volley/loadgen/scrape"
	"volley/loadgen/transport"
)

func readPage(t *testing.T, ctx context.Context, url string, k scrape.Keep) scrape.Sample {
	t.Helper()
	page, err := scrape.NewPage(scrape.Address{URL: url, Guard: transport.LocalOnly}, k)
	if err != nil {
		t.Fatal(err)
	}
	defer page.Close()
	samples := page.Read(ctx)
	if len(samples) != 1 {
		t.Fatalf("%d samples of one scrape", len(samples))
	}
	return samples[0]
}

// Every page that is none is a gap with its reason in plain words, and tells no
// secret of its address.
func TestPage_gaps(t *testing.T) {
	pages := map[string]func(w http.ResponseWriter, r *http.Request){
		"down": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) },
		"html": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			io.WriteString(w, "<html>")
		},
		"html-as-text": func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "<html>\n<body>\n") },
		"json": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, "{}")
		},
		"prose": func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "metrics are off\n") },
		"cut": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			io.WriteString(w, "up 1\n")
		},
		"half-a-line": func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "up 1\ncalls_to") },
		"empty":       func(http.ResponseWriter, *http.Request) {},
		"comments":    func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "# HELP up Up.\n") },
		"twice":       func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "a{x=\"1\"} 1\na{x=\"1\"} 2\n") },
		"not-utf-8":   func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "a{x=\"\xff\"} 1\n") },
		"long": func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, "a 1\nb{x=\""+strings.Repeat("v", 70<<10)+"\"} 1\n")
		},
		"moved": func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/down", http.StatusFound) },
		"no-gzip": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			io.WriteString(w, "up 1\ndown 0\nleft 1\n")
		},
	}
	asked := map[string]int{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page := strings.TrimPrefix(r.URL.Path, "/")
		asked[page]++
		w.Header().Set("Content-Type", "text/plain; version=0.0.4")
		pages[page](w, r)
	}))
	defer server.Close()
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	for page, want := range map[string]string{
		"down":         "the page answered HTTP status 503 Service Unavailable",
		"html":         `content type "text/html" is no Prometheus text exposition; is this the node's metrics page?`,
		"html-as-text": "the exposition is malformed: line 1",
		"json":         `content type "application/json" is no Prometheus text exposition`,
		"prose":        "the exposition is malformed: line 1",
		"cut":          "half an answer: the connection ended in the middle of it",
		"half-a-line":  "the exposition is malformed: unexpected end of input in line 2",
		"empty":        "the page tells no series at all",
		"comments":     "the page tells no series at all",
		"twice":        `the exposition is malformed: it tells series "a{x=\"1\"}" twice`,
		"not-utf-8":    "the exposition is malformed: line 1: invalid label value",
		"long":         "the exposition is malformed: line 2 is longer than 64 KiB",
		"moved":        "the page answered HTTP status 302 Found, a redirect, which is not followed",
		"no-gzip":      "gzip: invalid header",
	} {
		secret := strings.Replace(server.URL, "http://", "http://user:hunter2@", 1) + "/" + page + "?token=hunter2"
		s := readPage(t, t.Context(), secret, scrape.Keep{})
		if !strings.Contains(s.Err, want) || s.Series != nil || s.Time.IsZero() {
			t.Errorf("%s: %+v, want a gap that says %q", page, s, want)
		}
		if strings.Contains(s.Err, "hunter2") {
			t.Errorf("%s tells a secret: %s", page, s.Err)
		}
	}
	if asked["down"] != 1 {
		t.Errorf("a redirect was followed")
	}
	if s := readPage(t, t.Context(), closed.URL, scrape.Keep{}); !strings.Contains(s.Err, "connection refused") {
		t.Errorf("nobody there: %+v", s)
	}
	if s := readPage(t, t.Context(), "http://192.0.2.1/", scrape.Keep{}); !strings.Contains(s.Err, "192.0.2.1") {
		t.Errorf("an address that is not allowed: %+v", s)
	}
}

// A small answer that inflates to more than is read is a gap, and what it inflates
// to is not kept meanwhile.
func TestPage_bomb(t *testing.T) {
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	line := []byte("bomb{n=\"" + strings.Repeat("0", 1000) + "\"} 1\n")
	for n := 0; n < scrape.MaxBody+1<<20; n += len(line) {
		z.Write(line)
	}
	z.Close()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			t.Error("gzip is not accepted")
		}
		w.Header().Set("Content-Type", "text/plain")
		w.Header().Set("Content-Encoding", "gzip")
		w.Write(bomb.Bytes())
	}))
	defer server.Close()
	s := readPage(t, t.Context(), server.URL, scrape.Keep{Known: []string{"up"}})
	if s.Err != "reading the exposition: it is larger than 64 MiB" {
		t.Errorf("%d KiB that inflate to over 64 MiB: %+v", bomb.Len()>>10, s)
	}
}

// A page that never ends its answer ends with the time that it is given, and totals
// do not wait for it longer than that.
func TestPage_frozen(t *testing.T) {
	release := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		io.WriteString(w, "up 1\n")
		w.(http.Flusher).Flush()
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}))
	defer server.Close()
	defer close(release)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if s := readPage(t, ctx, server.URL, scrape.Keep{}); s.Err != "no whole answer in time" || s.Series != nil {
		t.Errorf("%+v", s)
	}
}

// In fake time, over a pipe: After bounds itself.
func TestPage_afterIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		page, err := scrape.NewPageOver(func(context.Context, string, string) (net.Conn, error) {
			ours, theirs := net.Pipe()
			go func() {
				io.Copy(io.Discard, theirs) // reads what is asked and never answers
			}()
			return ours, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		begin := time.Now()
		samples := page.After(t.Context(), begin)
		if d := time.Since(begin); d != 3*time.Second || samples[0].Err != "no whole answer in time" {
			t.Errorf("after %v: %+v", d, samples)
		}
		page.Close()
	})
}

// What is kept of a page: what is asked for, and the rest as long as it is not too
// much. Lines that are not kept are looked at all the same.
func TestPage_keep(t *testing.T) {
	page := func(others int) string {
		var b strings.Builder
		b.WriteString("# TYPE calls_total counter\ncalls_total{m=\"a\"} 1\n")
		for i := range others {
			fmt.Fprintf(&b, "other_%d{a=\"b } c\"} %d\n", i, i)
		}
		b.WriteString("h_bucket{le=\"1.0\"} 1\nh_sum 1\nh_count 1\n")
		return b.String()
	}
	known := map[string]float64{`calls_total{m="a"}`: 1, `h_bucket{le="1"}`: 1, "h_sum": 1, "h_count": 1}
	text := ""
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		io.WriteString(w, text)
	}))
	defer server.Close()
	keep := scrape.Keep{Known: []string{"calls_total", "h_*"}}

	text = page(2000)
	if s := readPage(t, t.Context(), server.URL, keep); len(s.Series) != 2004 || s.Series[`other_7{a="b } c"}`] != 7 {
		t.Errorf("%d series of a page that is not too large: %s", len(s.Series), s.Err)
	}
	text = page(2001)
	if s := readPage(t, t.Context(), server.URL, keep); !maps.Equal(s.Series, known) || s.Others != 2001 {
		t.Errorf("of a large page: %v %s", s.Series, s.Err)
	}
	keep.Chosen = []string{"other_1?"}
	if s := readPage(t, t.Context(), server.URL, keep); len(s.Series) != len(known)+10 || s.Series[`other_19{a="b } c"}`] != 19 || s.Others != 0 {
		t.Errorf("with a choice: %v %s", s.Series, s.Err)
	}
	text = page(2001) + "other and a word\n"
	if s := readPage(t, t.Context(), server.URL, keep); !strings.Contains(s.Err, "line 2007 is no sample") {
		t.Errorf("a bad line among those that are not kept: %+v", s.Err)
	}
	text = page(scrape.MaxKept + 1)
	keep.Chosen = []string{"*"}
	if s := readPage(t, t.Context(), server.URL, keep); !strings.Contains(s.Err, "more than 20000 of the series that are to be kept") {
		t.Errorf("too much is asked for: %d %s", len(s.Series), s.Err)
	}
}

// Once a page was too large, what is not asked for stays away: a set of series that
// came and went would look like a node that was restarted.
func TestPage_staysNarrow(t *testing.T) {
	scrapes := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		scrapes++
		io.WriteString(w, "up 1\nother 1\n")
		if scrapes == 1 {
			for i := range scrape.MaxOthers {
				fmt.Fprintf(w, "more{i=\"%d\"} 1\n", i)
			}
		}
	}))
	defer server.Close()
	page, err := scrape.NewPage(scrape.Address{URL: server.URL}, scrape.Keep{Known: []string{"up"}})
	if err != nil {
		t.Fatal(err)
	}
	defer page.Close()
	for range 2 {
		if s := page.Read(t.Context()); !maps.Equal(s[0].Series, map[string]float64{"up": 1}) {
			t.Errorf("%+v", s)
		}
	}
}

func TestPage_unixSocket(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		fmt.Fprintf(w, "asked{path=%q,token=%q} 1\n", r.URL.Path, r.Header.Get("Authorization"))
	})}
	go server.Serve(l)
	defer server.Close()
	page, err := scrape.NewPage(scrape.Address{
		URL:    "http+unix://" + strings.ReplaceAll(socket, "/", "%2F") + "/metrics",
		Header: http.Header{"Authorization": {"Bearer t"}},
		Guard:  transport.LocalOnly,
	}, scrape.Keep{})
	if err != nil {
		t.Fatal(err)
	}
	defer page.Close()
	if s := page.Read(t.Context()); s[0].Series[`asked{path="/metrics",token="Bearer t"}`] != 1 {
		t.Errorf("%+v", s)
	}
}
