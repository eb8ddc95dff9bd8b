package near

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"volley/internal/jsonrpc"
	"volley/target"
)

// batch is an array of so many view_account requests, each of another account.
func batch(size int, ref string) []byte {
	b := []byte{'['}
	for i := range size {
		if i > 0 {
			b = append(b, ',')
		}
		b = fmt.Appendf(b, `{"jsonrpc":"2.0","id":%d,"method":"query","params":{"request_type":"view_account","account_id":"user%d.near",%s}}`, i, i, ref)
	}
	return append(b, ']')
}

// sink is a ResponseWriter that keeps nothing but the status.
type sink struct {
	header http.Header
	status int
}

func (s *sink) Header() http.Header         { return s.header }
func (s *sink) Write(p []byte) (int, error) { return len(p), nil }
func (s *sink) WriteHeader(status int)      { s.status = status }

func BenchmarkBatchOf100(b *testing.B) {
	d := New(DefaultConfig())
	refs := map[string]string{"final": `"finality":"final"`, "pinned": `"block_id":"` + d.chain.at(startHead).hash + `"`}
	for _, name := range []string{"final", "pinned"} {
		b.Run(name, func(b *testing.B) {
			handler := target.New(d, target.Options{}).Handler()
			body := bytes.NewReader(batch(100, refs[name]))
			req := httptest.NewRequest(http.MethodPost, "/", nil)
			req.Header.Set("Content-Type", "application/json")
			req.ContentLength = body.Size()
			req.Body = io.NopCloser(body)
			w := &sink{header: http.Header{}}
			b.ReportAllocs()
			for b.Loop() {
				body.Seek(0, io.SeekStart)
				handler.ServeHTTP(w, req)
				if w.status != http.StatusOK {
					b.Fatal(w.status)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/100, "ns/entry")
		})
	}
}

func BenchmarkViewAccount(b *testing.B) {
	d := New(DefaultConfig())
	params := []byte(`{"request_type":"view_account","account_id":"user77.near","block_id":"` + d.chain.at(startHead).hash + `"}`)
	method := []byte("query")
	var out []byte
	var c target.Call
	b.ReportAllocs()
	for b.Loop() {
		c = target.Call{Scratch: c.Scratch, Request: jsonrpc.Request{
			Method: method, MethodKind: jsonrpc.String, Params: params, ParamsKind: jsonrpc.Object,
		}, Batch: true}
		if err := d.Admit(context.Background(), &c); err != nil {
			b.Fatal(err)
		}
		var err *jsonrpc.Error
		if out, err = d.Run(context.Background(), &c, out[:0]); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCallFunction(b *testing.B) {
	d := New(DefaultConfig())
	params := []byte(`{"request_type":"call_function","account_id":"token.near","method_name":"ft_balance_of",` +
		`"args_base64":"eyJhY2NvdW50X2lkIjoidXNlcjc3Lm5lYXIifQ==","finality":"final"}`)
	method := []byte("query")
	var out []byte
	b.ReportAllocs()
	for b.Loop() {
		c := target.Call{Request: jsonrpc.Request{
			Method: method, MethodKind: jsonrpc.String, Params: params, ParamsKind: jsonrpc.Object,
		}, Batch: true}
		if err := d.Admit(context.Background(), &c); err != nil {
			b.Fatal(err)
		}
		var err *jsonrpc.Error
		if out, err = d.Run(context.Background(), &c, out[:0]); err != nil || bytes.Contains(out, []byte("error")) {
			b.Fatalf("%s %v", out, err)
		}
	}
}

func BenchmarkHashToHeight(b *testing.B) {
	c, _ := ParseConfig(target.ConfigFile{Data: []byte("{}")})
	chain := newChain(&c, newStill().now)
	var hashes [16][hashSize]byte
	for i := range hashes {
		hashes[i] = chain.at(startHead - uint64(i)).raw
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, ok := chain.named(hashes[i%len(hashes)]); !ok {
			b.Fatal("not found")
		}
	}
}
