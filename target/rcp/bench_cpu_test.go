//go:build linux

package rcp

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"volley/target"
)

func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var r unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &r); err != nil {
		b.Fatal(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// What an array saves: the processor time of 64 inputs as one call's array over
// that of 64 entries of one input each, both through the whole node without a
// socket, on one processor so that nothing is spread. The ratio is the metric
// array/entries; the protocol's advice holds when it is under a half.
func BenchmarkArrayAgainstEntries(b *testing.B) {
	const n = 64
	for _, row := range []struct {
		method string
		params func(items []string) string
	}{
		{"embed", func(items []string) string { return `{"inputs":[` + strings.Join(items, ",") + `]}` }},
		{"embed f32-base64", func(items []string) string {
			return `{"encoding":"f32-base64","inputs":[` + strings.Join(items, ",") + `]}`
		}},
		{"rerank", func(items []string) string {
			return `{"query":"many short texts","passages":[` + strings.Join(items, ",") + `]}`
		}},
		{"index/add", func(items []string) string {
			var docs []string
			for _, item := range items {
				docs = append(docs, fmt.Sprintf(`{"id":%s,"text":%s}`, item, item))
			}
			return `{"documents":[` + strings.Join(docs, ",") + `]}`
		}},
	} {
		b.Run(row.method, func(b *testing.B) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
			method, _, _ := strings.Cut(row.method, " ")
			items, entries := make([]string, n), make([]string, n)
			for i := range items {
				items[i] = sentence(i)
				entries[i] = fmt.Sprintf(`{"id":%d,"method":%q,"params":%s}`, i, method, row.params(items[i:i+1]))
			}
			array := []byte(fmt.Sprintf(`{"id":1,"method":%q,"params":%s}`, method, row.params(items)))
			batch := []byte("[" + strings.Join(entries, ",") + "]")
			handler := target.New(New(DefaultConfig()), target.Options{}).Handler()
			post := func(body []byte) time.Duration {
				begun := processorTime(b)
				r := httptest.NewRequest(http.MethodPost, "/rcp", bytes.NewReader(body))
				r.Header.Set("Content-Type", "application/json")
				w := httptest.NewRecorder()
				handler.ServeHTTP(w, r)
				if w.Code != http.StatusOK || bytes.Contains(w.Body.Bytes(), []byte(`"error"`)) {
					b.Fatalf("%d %.200s", w.Code, w.Body)
				}
				return processorTime(b) - begun
			}
			var inArray, inEntries time.Duration
			for b.Loop() {
				inArray += post(array)
				inEntries += post(batch)
			}
			perItem := func(d time.Duration) float64 { return float64(d.Microseconds()) / float64(b.N) / n }
			b.ReportMetric(perItem(inArray), "us/item-array")
			b.ReportMetric(perItem(inEntries), "us/item-entries")
			b.ReportMetric(float64(inArray)/float64(inEntries), "array/entries")
		})
	}
}
