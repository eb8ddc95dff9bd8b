package vm

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/tetratelabs/wazero"
)

// ended fails the test if a call ended in a way that nearcore does not know.
func ended(t *testing.T, o Outcome) {
	t.Helper()
	if o.Err == "" {
		return
	}
	kind, ok := strings.CutPrefix(o.Err, failed)
	if !ok || strings.HasPrefix(kind, string(trapGeneric)) {
		t.Errorf("a call ended with %q", o.Err)
	}
	if o.Result != nil {
		t.Errorf("a call that failed returned %q", o.Result)
	}
}

// FuzzArgs calls the contracts with any arguments. What they take for JSON,
// encoding/json must take too.
func FuzzArgs(f *testing.F) {
	methods := []string{"ft_balance_of", "ft_metadata", "ft_total_supply", "burn", "log", "read", "fail", "write", ""}
	for i, args := range []string{`{"account_id":"a.near"}`, `{"n":3}`, `{"key":"\u00e9\ud83d\ude00"}`, `{"a":[{},1.5,true],"n":0}`, `{`, ``} {
		f.Add(uint8(i), args)
	}
	e := newEngine(f, Options{Gas: 3_000_000_000_000})
	codes := []*Code{NewCode(FungibleToken()), NewCode(Burner())}
	f.Fuzz(func(t *testing.T, which uint8, args string) {
		method := methods[int(which)%len(methods)]
		env := testEnv()
		for _, code := range codes {
			o := e.View(context.Background(), code, method, []byte(args), env)
			ended(t, o)
			if o.Err == "" && (method == "ft_balance_of" || method == "burn") && !json.Valid(o.Result) {
				t.Errorf("%s %q returned %q", method, args, o.Result)
			}
		}
	})
}

// FuzzCode executes anything as a contract. What is taken for valid once it is
// prepared must have been valid before.
func FuzzCode(f *testing.F) {
	f.Add(FungibleToken())
	f.Add(Burner())
	f.Add(run("input", 1).do("log_utf8", 3, 0).wasm())
	f.Add(recursive(3).wasm())
	f.Add(contractOf{table: []uint32{1}, methods: []method{{name: "m", code: ops(constI32(0), op(0x11, 0, 0))}, {}}, data: map[uint32]string{9: "x"}}.wasm())
	e := newEngine(f, Options{Gas: 1_000_000_000_000, Timeout: time.Second})
	ctx := context.Background()
	plain := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfig().WithCoreFeatures(features).WithDebugInfoEnabled(false))
	f.Cleanup(func() { plain.Close(ctx) })
	f.Fuzz(func(t *testing.T, wasm []byte) {
		code := NewCode(wasm)
		if e.contract(code).err == nil {
			m, err := plain.CompileModule(ctx, wasm)
			if err != nil {
				t.Fatalf("made valid by what was added: %v", err)
			}
			m.Close(ctx)
		}
		for _, method := range []string{"m", "burn", "ft_metadata"} {
			ended(t, e.View(context.Background(), code, method, []byte(`{"n":10}`), testEnv()))
		}
		e.forget(code)
	})
}

func (s *script) wasm() []byte {
	return contractOf{imports: s.imports, methods: []method{{name: "m", code: s.code}}}.wasm()
}

// forget drops a compiled contract, so that a fuzzer's millions don't pile up.
func (e *Engine) forget(code *Code) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if k := e.contracts[code.hash]; k != nil && k.compiled != nil {
		k.compiled.Close(context.Background())
	}
	delete(e.contracts, code.hash)
}
