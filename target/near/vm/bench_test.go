package vm

import (
	"context"
	"fmt"
	"testing"
)

func BenchmarkBalance(b *testing.B) {
	e := newEngine(b, Options{})
	code := NewCode(FungibleToken())
	value := make([]byte, 16)
	env := Env{CurrentAccount: "token.near", Read: func([]byte) ([]byte, bool) { return value, true }}
	args := []byte(`{"account_id":"alice.near"}`)
	b.ReportAllocs()
	for b.Loop() {
		if o := e.View(context.Background(), code, "ft_balance_of", args, env); o.Err != "" {
			b.Fatal(o.Err)
		}
	}
}

func BenchmarkBurn(b *testing.B) {
	e := newEngine(b, Options{})
	code := NewCode(Burner())
	for _, n := range []int{0, 1_000, 1_000_000} {
		args := fmt.Appendf(nil, `{"n":%d}`, n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var gas uint64
			for b.Loop() {
				o := e.View(context.Background(), code, "burn", args, Env{})
				if o.Err != "" {
					b.Fatal(o.Err)
				}
				gas += o.Gas
			}
			b.ReportMetric(float64(gas)/1e12/b.Elapsed().Seconds(), "Tgas/s")
		})
	}
}

func BenchmarkCompile(b *testing.B) {
	e := newEngine(b, Options{})
	for b.Loop() {
		code := NewCode(FungibleToken())
		if k := e.contract(code); k.err != nil {
			b.Fatal(k.err)
		}
		e.forget(code)
	}
}
