package transport

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// BenchmarkExchange sets this client beside net/http's against one server, whose
// own cost is in both. Compare the two with benchstat.
func BenchmarkExchange(b *testing.B) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json")
		w.Write(body)
	}))
	b.Cleanup(server.Close)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	for name, size := range map[string]int{"single": 83, "batch of 100": 8493} {
		body := bytes.Repeat([]byte("x"), size)
		b.Run(name+"/ours", func(b *testing.B) {
			benchmarkOurs(b, ctx, server.URL, body)
		})
		b.Run(name+"/net-http", func(b *testing.B) {
			client := server.Client()
			b.ReportAllocs()
			for b.Loop() {
				req, _ := http.NewRequestWithContext(ctx, "POST", server.URL, bytes.NewReader(body))
				req.Header.Set("Content-Type", "application/json")
				res, err := client.Do(req)
				if err != nil {
					b.Fatal(err)
				}
				io.Copy(io.Discard, res.Body)
				res.Body.Close()
			}
		})
	}
}

// BenchmarkClient has a peer that costs nothing worth naming: what is left is
// this client and the system calls.
func BenchmarkClient(b *testing.B) {
	for name, size := range map[string]int{"single": 83, "batch of 100": 8493} {
		b.Run(name, func(b *testing.B) {
			benchmarkOurs(b, b.Context(), cannedNode(b, size), make([]byte, size))
		})
	}
}

func benchmarkOurs(b *testing.B, ctx context.Context, url string, body []byte) {
	h, err := NewHTTP(HTTPConfig{URL: url})
	if err != nil {
		b.Fatal(err)
	}
	c, err := h.Open()
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	b.ReportAllocs()
	for b.Loop() {
		reply, err := c.Do(ctx, Request{Body: body}, time.Now().Add(10*time.Second))
		if err != nil || len(reply.Body) != len(body) {
			b.Fatal(err, len(reply.Body))
		}
	}
}
