package vm

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
)

// Some instructions for hand-written methods.
var (
	unreachable = op(0x00)
	loop        = op(0x03, 0x40)
	block       = op(0x02, 0x40)
	ifThen      = op(0x04, 0x40)
	end         = op(0x0b)
	drop        = op(0x1a)
	ret         = op(0x0f)
)

func one(name string, code ...[]byte) contractOf {
	return contractOf{methods: []method{{name: name, code: ops(code...)}}}
}

// recursive calls itself without end, in frames of a given number of i64
// locals.
func recursive(locals int) contractOf {
	return contractOf{methods: []method{{name: "m", locals: []byte(strings.Repeat("\x7e", locals)), code: invoke(0)}}}
}

var nothing = funcType{}

func TestView(t *testing.T) {
	callIndirect := func(i int32) []byte { return ops(constI32(i), op(0x11, 0, 0)) }
	number := funcType{results: []byte{i64}}
	tests := []struct {
		name   string
		c      contractOf
		method string
		err    failure
	}{
		{"an empty method", one("m"), "m", ""},
		{"no name", one("m"), "", methodEmptyName},
		{"no such method", one("m"), "x", methodNotFound},
		{"a function that is not exported", one(""), "m", methodNotFound},
		{"a method with a result", contractOf{methods: []method{{name: "m", typ: number, code: constI64(1)}}}, "m", methodInvalidSignature},
		{"a method with a parameter", contractOf{methods: []method{{name: "m", typ: funcType{params: []byte{i32}}}}}, "m", methodInvalidSignature},
		{"our own export is no method", one("m"), gasExport, methodNotFound},

		{"unreachable", one("m", unreachable), "m", trapUnreachable},
		{"a load beyond memory", one("m", constI32(initialPages*pageSize-7), op(0x29, 0, 0), drop), "m", trapMemoryOutOfBounds},
		{"a load of memory's last bytes", one("m", constI32(initialPages*pageSize-8), op(0x29, 0, 0), drop), "m", ""},
		{"a store beyond memory", one("m", constI32(-1), constI32(0), op(0x36, 0, 0)), "m", trapMemoryOutOfBounds},
		{"division by zero", one("m", constI32(1), constI32(0), op(0x6d), drop), "m", trapArithmetic},
		{"division that overflows", one("m", constI32(-1<<31), constI32(-1), op(0x6d), drop), "m", trapArithmetic},
		{"a conversion of no number", one("m", op(0x43, 0, 0, 0xc0, 0x7f, 0xa8), drop), "m", trapArithmetic},
		{"an indirect call", contractOf{methods: one("m", callIndirect(0)).methods, table: []uint32{0}}, "m", memoryAccessViolation},
		{"an indirect call of another type", contractOf{types: []funcType{number}, table: []uint32{0},
			methods: one("m", callIndirect(0), drop).methods}, "m", trapSignature},
		{"an indirect call beyond the table", contractOf{types: []funcType{nothing}, table: []uint32{0}, methods: one("m", callIndirect(7)).methods}, "m", trapMemoryOutOfBounds},
		{"recursion without end", recursive(0), "m", memoryAccessViolation},
		{"recursion in large frames", recursive(1000), "m", memoryAccessViolation},
		{"a loop without end", one("m", loop, op(0x0c, 0), end), "m", gasLimitExceeded},
		{"a start function that traps", contractOf{methods: []method{{name: "m"}, {code: unreachable}}, start: 2}, "m", trapUnreachable},
		{"a start function without end", contractOf{methods: []method{{name: "m"}, {code: ops(loop, op(0x0c, 0), end)}}, start: 2}, "m", gasLimitExceeded},
		{"a host function as a start function", contractOf{imports: []string{"panic"}, methods: []method{{name: "m"}}, start: 1}, "m", guestPanic("explicit guest panic")},
		{"data up to memory's end", contractOf{methods: one("m").methods, data: map[uint32]string{initialPages*pageSize - 1: "x"}}, "m", ""},
		{"data beyond memory", contractOf{methods: one("m").methods, data: map[uint32]string{initialPages*pageSize - 1: "xx"}}, "m", trapMemoryOutOfBounds},
	}
	e := newEngine(t, Options{})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o := e.View(context.Background(), NewCode(tt.c.wasm()), tt.method, nil, Env{})
			want := ""
			if tt.err != "" {
				want = tt.err.Error()
			}
			if o.Err != want {
				t.Errorf("error %q, want %q", o.Err, want)
			}
		})
	}
}

// TestHostFunctionAsMethod calls a method that is a host function exported
// again.
func TestHostFunctionAsMethod(t *testing.T) {
	c := contractOf{imports: []string{"panic"}, methods: []method{{name: "m"}}}
	wasm := c.wasm()
	was := string(appendSection(nil, secExport, append(appendName([]byte{1}, "m"), 0, 1)))
	is := string(appendSection(nil, secExport, append(appendName([]byte{1}, "m"), 0, 0)))
	wasm = []byte(strings.Replace(string(wasm), was, is, 1))
	o := newEngine(t, Options{}).View(context.Background(), NewCode(wasm), "m", nil, Env{})
	if want := guestPanic("explicit guest panic").Error(); o.Err != want {
		t.Errorf("error %q, want %q", o.Err, want)
	}
}

func TestMemory(t *testing.T) {
	e := newEngine(t, Options{})
	pages := func(code ...[]byte) string {
		c := contractOf{imports: []string{"value_return"}}
		c.methods = []method{{name: "m", code: returned(0, ops(ops(code...), op(0xad)))}}
		o := e.View(context.Background(), NewCode(c.wasm()), "m", nil, Env{})
		if o.Err != "" {
			t.Fatal(o.Err)
		}
		return string(o.Result)
	}
	size := op(0x3f, 0)
	grow := func(n int32) []byte { return ops(constI32(n), op(0x40, 0)) }
	for _, tt := range []struct {
		name string
		code []byte
		want uint64
	}{
		{"every contract begins with 1024 pages", size, 1024},
		{"it can have as many more", grow(1024), 1024},
		{"and then has them", ops(grow(1024), drop, size), 2048},
		{"but not one more", grow(1025), 1<<32 - 1},
		{"and then has what it had", ops(grow(1025), drop, size), 1024},
	} {
		if got := pages(tt.code); got != u64Bytes(tt.want) {
			t.Errorf("%s: got %x, want %d", tt.name, got, tt.want)
		}
	}
}

// TestCallsShareNothing has each call find memory, globals and registers as the
// first one did.
func TestCallsShareNothing(t *testing.T) {
	s := run("register_len", 1).do("input", 1)
	s.give("register_len", 2)
	s.code = ops(
		// Trap if the memory is not zero; then make it so, here and beyond.
		constI32(70000), op(0x29, 3, 0, 0x50, 0x45), ifThen, unreachable, end,
		constI32(70000), constI64(1), op(0x37, 3, 0),
		constI32(1024), op(0x40, 0), drop,
		constI32(2000*pageSize), op(0x29, 3, 0, 0x50, 0x45), ifThen, unreachable, end,
		constI32(2000*pageSize), constI64(1), op(0x37, 3, 0),
		s.code)
	e := newEngine(t, Options{})
	for range 3 {
		if o := s.on(e, nil); o.Err != "" || string(o.Result) != u64Bytes(allOnes) {
			t.Fatalf("got %x %s", o.Result, o.Err)
		}
	}
}

// TestGas counts instructions by hand: 8 for the frame of 64 bytes, and one for
// each but block, else and end.
func TestGas(t *testing.T) {
	constant := constI32(0)
	locals := []byte{i32}
	tests := []struct {
		name         string
		m            method
		instructions uint64
	}{
		{"nothing", method{}, 8},
		{"straight", method{code: ops(constant, drop, constant, drop)}, 12},
		{"a frame with locals", method{locals: []byte{i64, i64, i32}}, 8 + 3},
		{"block is free", method{code: ops(block, end)}, 8},
		{"a branch taken", method{code: ops(block, op(0x0c, 0), constant, drop, end)}, 9},
		{"a return", method{code: ops(constant, drop, ret, constant, drop)}, 11},
		{"a return from within", method{code: ops(block, block, ret, end, end, unreachable)}, 9},
		{"if, taken", method{code: ops(constI32(1), ifThen, constant, drop, op(0x05), end)}, 12},
		{"if, not taken", method{code: ops(constI32(0), ifThen, op(0x05), constant, drop, constant, drop, end)}, 14},
		// Ten times round: five instructions and the branch.
		{"a loop", method{locals: locals, code: ops(loop, op(0x20, 0, 0x41, 1, 0x6a, 0x22, 0), constI32(10), op(0x49, 0x0d, 0), end)}, 8 + 1 + 1 + 10*7},
		{"a table of branches", method{code: ops(block, block, constI32(1), op(0x0e, 1, 0, 1), end, unreachable, end)}, 10},
		{"memory.fill pays by length", method{code: ops(constant, constant, constI32(100), op(0xfc, 11, 0))}, 8 + 3 + 32 + 100},
		{"memory.copy pays by length", method{code: ops(constant, constant, constI32(100), op(0xfc, 10, 0, 0))}, 8 + 3 + 32 + 100},
	}
	e := newEngine(t, Options{})
	for _, tt := range tests {
		tt.m.name = "m"
		wasm := contractOf{methods: []method{tt.m}}.wasm()
		o := e.View(context.Background(), NewCode(wasm), "m", nil, Env{})
		loading := 35_445_963 + 1_089_295*uint64(len(wasm))
		if got := (o.Gas - loading) / regularOpCost; o.Err != "" || o.Gas != loading+tt.instructions*regularOpCost {
			t.Errorf("%s: %d instructions (%s), want %d", tt.name, got, o.Err, tt.instructions)
		}
	}
}

func TestGasLimitIsExact(t *testing.T) {
	code := NewCode(Burner())
	args := []byte(`{"n":5000000}`)
	need := newEngine(t, Options{}).View(context.Background(), code, "burn", args, Env{})
	if need.Err != "" {
		t.Fatal(need.Err)
	}
	for _, tt := range []struct {
		gas uint64
		err string
	}{{need.Gas, ""}, {need.Gas - 1, gasLimitExceeded.Error()}} {
		o := newEngine(t, Options{Gas: tt.gas}).View(context.Background(), code, "burn", args, Env{})
		if o.Err != tt.err || o.Gas != tt.gas {
			t.Errorf("with %d gas: burnt %d, error %q, want %q", tt.gas, o.Gas, o.Err, tt.err)
		}
	}
	o := newEngine(t, Options{Gas: 1}).View(context.Background(), code, "burn", args, Env{})
	if o.Err != gasExceeded.Error() || o.Gas != 1 {
		t.Errorf("loading over the limit: burnt %d, error %q", o.Gas, o.Err)
	}
}

func TestTimeLimit(t *testing.T) {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	hosts := new(script)
	hosts.code = loop
	hosts.do("sha256", 1<<16, 0, 1)
	hosts.code = ops(hosts.code, op(0x0c, 0), end)
	tests := []struct {
		name    string
		ctx     context.Context
		timeout time.Duration
		c       contractOf
	}{
		{"a loop, over time", context.Background(), 1, one("m", loop, op(0x0c, 0), end)},
		{"a loop, left", ended, time.Hour, one("m", loop, op(0x0c, 0), end)},
		{"host functions, over time", context.Background(), 1, contractOf{imports: hosts.imports, methods: one("m", hosts.code).methods}},
		{"host functions, left", ended, time.Hour, contractOf{imports: hosts.imports, methods: one("m", hosts.code).methods}},
	}
	for _, tt := range tests {
		e := newEngine(t, Options{Timeout: tt.timeout, Gas: 1 << 60})
		o := e.View(tt.ctx, NewCode(tt.c.wasm()), "m", nil, Env{})
		if o.Err != gasLimitExceeded.Error() || o.Gas > 100*grant {
			t.Errorf("%s: burnt %d, error %q", tt.name, o.Gas, o.Err)
		}
	}
}

func TestOptions(t *testing.T) {
	for _, o := range []Options{{Timeout: -1}, {Gas: 1<<62 + 1}} {
		if _, err := New(o); err == nil {
			t.Errorf("%+v was taken", o)
		}
	}
}

func TestConcurrentCalls(t *testing.T) {
	e := newEngine(t, Options{})
	ft, burn := NewCode(FungibleToken()), NewCode(Burner())
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 50 {
				account := fmt.Sprintf("a%d-%d", i, j)
				env := Env{Read: func(key []byte) ([]byte, bool) {
					return append([]byte{byte(i), byte(j)}, make([]byte, 14)...), string(key) == "b"+account
				}}
				o := e.View(context.Background(), ft, "ft_balance_of", []byte(`{"account_id":"`+account+`"}`), env)
				if want := fmt.Sprintf(`"%d"`, i+256*j); string(o.Result) != want || o.Err != "" {
					t.Errorf("balance %s %s, want %s", o.Result, o.Err, want)
				}
				o = e.View(context.Background(), burn, "burn", []byte(`{"n":1000}`), Env{})
				if want := `{"n":1000,"checksum":"86f3cb4b9bebcfbe"}`; string(o.Result) != want {
					t.Errorf("burn: %s %s, want %s", o.Result, o.Err, want)
				}
			}
		})
	}
	wg.Wait()
}

func TestDebugString(t *testing.T) {
	for in, want := range map[string]string{
		"plain é 😀":           `"plain é 😀"`,
		"a\"b\\c'd":           `"a\"b\\c'd"`,
		"\x00\t\r\n\x1b\x7f":  `"\0\t\r\n\u{1b}\u{7f}"`,
		"\u00a0\u200b\u0301x": `"\u{a0}\u{200b}\u{301}x"`,
	} {
		if got := debugString(in); got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
}
