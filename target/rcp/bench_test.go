package rcp

import (
	"fmt"
	"strings"
	"testing"

	"volley/target"
)

func sentence(i int) string {
	return fmt.Sprintf(`"sentence %d of a corpus: the batch carries many short texts like it"`, i)
}

// The protocol's advice, inside the node: one call with 64 inputs against 64
// calls with one each. What a socket adds is not in it.
func BenchmarkEmbed64(b *testing.B) {
	all := make([]string, 64)
	singles := make([]string, 64)
	for i := range all {
		all[i] = sentence(i)
		singles[i] = `{"id":1,"method":"embed","params":{"inputs":[` + all[i] + `]}}`
	}
	one := `{"id":1,"method":"embed","params":{"inputs":[` + strings.Join(all, ",") + `]}}`
	packed := strings.TrimSuffix(one, `}}`) + `,"encoding":"f32-base64"}}`
	for _, bench := range []struct {
		name  string
		calls []string
	}{{"one call", []string{one}}, {"one call, f32-base64", []string{packed}}, {"64 calls", singles}} {
		b.Run(bench.name, func(b *testing.B) {
			d := New(DefaultConfig())
			c := d.Connect(target.HTTP)
			calls := make([]*target.Call, len(bench.calls))
			for i, text := range bench.calls {
				calls[i] = request(c, text)
			}
			var dst []byte
			b.ReportAllocs()
			for b.Loop() {
				for _, call := range calls {
					if e := d.Admit(b.Context(), call); e != nil {
						b.Fatal(e)
					}
					out, e := d.Run(b.Context(), call, dst[:0])
					if e != nil {
						b.Fatal(e)
					}
					dst = out
				}
			}
		})
	}
}

func BenchmarkRerank(b *testing.B) {
	for _, n := range []int{10, 100} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			passages := make([]string, n)
			for i := range passages {
				passages[i] = sentence(i)
			}
			d := New(DefaultConfig())
			call := request(d.Connect(target.HTTP),
				`{"id":1,"method":"rerank","params":{"query":"many short texts","passages":[`+strings.Join(passages, ",")+`]}}`)
			var dst []byte
			b.ReportAllocs()
			for b.Loop() {
				if e := d.Admit(b.Context(), call); e != nil {
					b.Fatal(e)
				}
				out, e := d.Run(b.Context(), call, dst[:0])
				if e != nil {
					b.Fatal(e)
				}
				dst = out
			}
		})
	}
}

// One retrieve over the corpus, and over a full index.
func BenchmarkRetrieve(b *testing.B) {
	for _, row := range []struct{ name, config, options string }{
		{"200 documents", `{}`, ``},
		{"200 documents, all stages", `{}`, `,"rerank":{"topN":50},"mmr":{"lambda":0.5},"filter":{"field":"lang","op":"eq","value":"en"}`},
		{"10000 documents", `{"documents":10000}`, ``},
	} {
		b.Run(row.name, func(b *testing.B) {
			d := newDialect(b, row.config)
			call := request(d.Connect(target.HTTP), `{"id":1,"method":"retrieve","params":{"query":"how to test caching","k":10`+row.options+`}}`)
			var dst []byte
			b.ReportAllocs()
			for b.Loop() {
				if e := d.Admit(b.Context(), call); e != nil {
					b.Fatal(e)
				}
				out, e := d.Run(b.Context(), call, dst[:0])
				if e != nil {
					b.Fatal(e)
				}
				dst = out
			}
		})
	}
}
