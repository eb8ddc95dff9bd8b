package vm

import (
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

func newEngine(t testing.TB, o Options) *Engine {
	t.Helper()
	e, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

// testEnv is the chain that the tables below see.
func testEnv() Env {
	return Env{
		CurrentAccount: "token.near",
		Height:         7,
		Timestamp:      8,
		EpochHeight:    9,
		StorageUsage:   10,
		Balance:        [16]byte{1, 15: 2},
		LockedBalance:  [16]byte{3, 15: 4},
		RandomSeed:     []byte(strings.Repeat("r", 32)),
		Read: func(key []byte) ([]byte, bool) {
			switch string(key) {
			case "empty":
				return []byte{}, true
			case "full":
				return []byte("value"), true
			case "big":
				return make([]byte, 5000), true
			}
			return nil, false
		},
	}
}

// script is a method that imports what its steps call.
type script struct {
	imports []string
	code    []byte
}

func (s *script) index(name string) uint32 {
	for i, have := range s.imports {
		if have == name {
			return uint32(i)
		}
	}
	s.imports = append(s.imports, name)
	return uint32(len(s.imports) - 1)
}

// do calls a host function and drops its result.
func (s *script) do(name string, args ...uint64) *script {
	t := hostTypes()[name]
	for i, kind := range t.params {
		if kind == i32 {
			s.code = append(s.code, constI32(int32(args[i]))...)
		} else {
			s.code = append(s.code, constI64(args[i])...)
		}
	}
	s.code = append(s.code, invoke(s.index(name))...)
	if len(t.results) > 0 {
		s.code = append(s.code, 0x1a)
	}
	return s
}

// give calls a host function and returns its result from the method.
func (s *script) give(name string, args ...uint64) *script {
	f := s.index(name)
	s.code = append(s.code, returned(s.index("value_return"), invoke(f, args...))...)
	return s
}

func run(name string, args ...uint64) *script  { return new(script).do(name, args...) }
func give(name string, args ...uint64) *script { return new(script).give(name, args...) }

// out ends a script by returning register 1.
func (s *script) out() *script { return s.do("value_return", allOnes, 1) }

func (s *script) on(e *Engine, data map[uint32]string) Outcome {
	code := contractOf{imports: s.imports, data: data, methods: []method{{name: "m", code: s.code}}}.wasm()
	return e.View(context.Background(), NewCode(code), "m", []byte("the input"), testEnv())
}

func TestHostFunctions(t *testing.T) {
	seed := sha256.Sum256([]byte("seed"))
	private := ed25519.NewKeyFromSeed(seed[:])
	signature := ed25519.Sign(private, []byte("full"))
	highBits := append([]byte{}, signature...)
	highBits[63] |= 0x80
	const beyond = maxPages * pageSize
	data := map[uint32]string{
		100: "full\x00", 200: "empty", 300: "none", 400: "big",
		500: "\xff\xfe", 600: "line\x00",
		700: "h\x00\xe9\x00\x3d\xd8\x00\xde\x00\x00", // hé and a surrogate pair, in UTF-16
		800: "\x00\xdc\x00\x00",                      // half a pair
		900: "\x04\x00\x00\x00o\x00k\x00", 950: "\x02\x00\x00\x00f\x00",
		1000: string(signature), 1100: string(private.Public().(ed25519.PublicKey)), 1200: string(highBits),
		8192: strings.Repeat("x", 20000),
	}
	memory := memoryAccessViolation
	tooLong := func(length int) failure {
		return hostError("TotalLogLengthExceeded { length: %d, limit: 16384 }", length)
	}
	many := func(n int, name string, args ...uint64) *script {
		s := new(script)
		for range n {
			s.do(name, args...)
		}
		return s
	}
	registers := func(n int) *script {
		s := new(script)
		for i := range n {
			s.do("write_register", uint64(i), 1, 100)
		}
		return s
	}
	sum := func(s string) string {
		b, err := hex.DecodeString(s)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	shaOfFull := sha256.Sum256([]byte("full"))
	tests := []struct {
		name string
		s    *script
		want string
		logs []string
		err  failure
	}{
		{"input goes to a register", run("input", 1).out(), "the input", nil, ""},
		{"a register is read to memory", run("input", 1).do("read_register", 1, 5000).do("value_return", 5, 5000), "the i", nil, ""},
		{"a register that is not there", run("read_register", 3, 0), "", nil, "HostError(InvalidRegisterId { register_id: 3 })"},
		{"a register read beyond memory", run("input", 1).do("read_register", 1, beyond), "", nil, memory},
		{"a register read to the last bytes of memory", run("input", 1).do("read_register", 1, initialPages*pageSize-8), "", nil, memory},
		{"a register read beyond 32 bits", run("input", 1).do("read_register", 1, 1<<32), "", nil, memory},
		{"a register's length", run("input", 1).give("register_len", 1), u64Bytes(9), nil, ""},
		{"the length of none", give("register_len", 1), u64Bytes(allOnes), nil, ""},
		{"a register is written", run("write_register", 1, 4, 100).out(), "full", nil, ""},
		{"a register of no bytes", run("write_register", 1, 0, 100).out(), "", nil, ""},
		{"a register is written anew", run("input", 1).do("write_register", 1, 4, 100).out(), "full", nil, ""},
		{"a register written from beyond memory", run("write_register", 1, 1, beyond), "", nil, memory},
		{"a register written over the end of memory", run("write_register", 1, 2, initialPages*pageSize-1), "", nil, memory},
		{"a length that overflows gas", run("write_register", 1, 1<<62, 0), "", nil, integerOverflow},
		{"a length beyond all gas", run("write_register", 1, 1<<30, 0), "", nil, gasLimitExceeded},
		{"a hundred registers", registers(100).do("value_return", allOnes, 99), "f", nil, ""},
		{"and one more", registers(100).do("input", 100), "", nil, memory},
		{"nor can one of a hundred be set", registers(100).do("input", 99), "", nil, memory},

		{"value_return of memory", run("value_return", 4, 100), "full", nil, ""},
		{"the last value counts", run("value_return", 4, 100).do("value_return", 5, 200), "empty", nil, ""},
		{"value_return beyond memory", run("value_return", 1, beyond), "", nil, memory},
		{"value_return of no register", run("value_return", allOnes, 9), "", nil, "HostError(InvalidRegisterId { register_id: 9 })"},
		{"value_return of too much", run("value_return", maxReturnBytes+1, 0), "", nil, "HostError(ReturnedValueLengthExceeded { length: 4194305, limit: 4194304 })"},

		{"current_account_id", run("current_account_id", 1).out(), "token.near", nil, ""},
		{"block_index", give("block_index"), u64Bytes(7), nil, ""},
		{"block_timestamp", give("block_timestamp"), u64Bytes(8), nil, ""},
		{"epoch_height", give("epoch_height"), u64Bytes(9), nil, ""},
		{"storage_usage", give("storage_usage"), u64Bytes(10), nil, ""},
		{"account_balance", run("account_balance", 5000).do("value_return", 16, 5000), "\x01" + strings.Repeat("\x00", 14) + "\x02", nil, ""},
		{"account_balance beyond memory", run("account_balance", beyond), "", nil, memory},
		{"account_locked_balance", run("account_locked_balance", 5000).do("value_return", 16, 5000), "\x03" + strings.Repeat("\x00", 14) + "\x04", nil, ""},
		{"attached_deposit is nothing", run("attached_deposit", 100).do("value_return", 16, 100), strings.Repeat("\x00", 16), nil, ""},
		{"random_seed", run("random_seed", 1).out(), strings.Repeat("r", 32), nil, ""},
		{"sha256", run("sha256", 4, 100, 1).out(), string(shaOfFull[:]), nil, ""},
		{"sha256 of a register", run("write_register", 2, 4, 100).do("sha256", allOnes, 2, 1).out(), string(shaOfFull[:]), nil, ""},
		{"sha256 beyond memory", run("sha256", 1, beyond, 1), "", nil, memory},
		{"keccak256", run("keccak256", 0, 0, 1).out(), sum("c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"), nil, ""},
		{"keccak512", run("keccak512", 0, 0, 1).out(), sum("0eab42de4c3ceb9235fc91acffe746b29c29a8c366b7c60e4e67c466f36a4304c00fa9caf9d87976ba469bcbe06713b435f091ef2769fb160cdab33d3670680e"), nil, ""},
		{"ed25519_verify", give("ed25519_verify", 64, 1000, 4, 100, 32, 1100), u64Bytes(1), nil, ""},
		{"ed25519_verify of another message", give("ed25519_verify", 64, 1000, 4, 300, 32, 1100), u64Bytes(0), nil, ""},
		{"ed25519_verify of high bits", give("ed25519_verify", 64, 1200, 4, 100, 32, 1100), u64Bytes(0), nil, ""},
		{"ed25519_verify of a short signature", run("ed25519_verify", 63, 1000, 4, 100, 32, 1100), "", nil, `HostError(Ed25519VerifyInvalidInput { msg: "invalid signature length" })`},
		{"ed25519_verify with a short key", run("ed25519_verify", 64, 1000, 4, 100, 31, 1100), "", nil, `HostError(Ed25519VerifyInvalidInput { msg: "invalid public key length" })`},

		{"storage_read", run("storage_read", 4, 100, 1).out(), "value", nil, ""},
		{"storage_read says that there is one", give("storage_read", 4, 100, 1), u64Bytes(1), nil, ""},
		{"storage_read of an empty value", give("storage_read", 5, 200, 1), u64Bytes(1), nil, ""},
		{"storage_read of none", give("storage_read", 4, 300, 1), u64Bytes(0), nil, ""},
		{"storage_read of none sets no register", run("storage_read", 4, 300, 1).out(), "", nil, "HostError(InvalidRegisterId { register_id: 1 })"},
		{"storage_read of a large value", run("storage_read", 3, 400, 1).give("register_len", 1), u64Bytes(5000), nil, ""},
		{"storage_read of a key beyond memory", run("storage_read", 1, beyond, 1), "", nil, memory},
		{"storage_read of a long key", run("storage_read", 2049, 0, 1), "", nil, "HostError(KeyLengthExceeded { length: 2049, limit: 2048 })"},
		{"storage_has_key", give("storage_has_key", 5, 200), u64Bytes(1), nil, ""},
		{"storage_has_key of none", give("storage_has_key", 4, 300), u64Bytes(0), nil, ""},
		{"storage_has_key of a long key", run("storage_has_key", 2049, 0), "", nil, "HostError(KeyLengthExceeded { length: 2049, limit: 2048 })"},

		{"log_utf8", run("log_utf8", 4, 600).do("log_utf8", 0, 0), "", []string{"line", ""}, ""},
		{"log_utf8 up to a zero", run("log_utf8", allOnes, 600), "", []string{"line"}, ""},
		{"log_utf8 of what is none", run("log_utf8", 2, 500), "", nil, badUTF8},
		{"log_utf8 beyond memory", run("log_utf8", 1, beyond), "", nil, memory},
		{"log_utf8 up to a zero beyond memory", run("log_utf8", allOnes, allOnes), "", nil, memory},
		{"log_utf8 of too much", run("log_utf8", 4, 600).do("log_utf8", 16381, 0), "", []string{"line"}, tooLong(16385)},
		{"log_utf8 with no zero in time", run("log_utf8", allOnes, 8192), "", nil, tooLong(16385)},
		{"a hundred lines", many(100, "log_utf8", 0, 0), "", make([]string, 100), ""},
		{"and one more", many(101, "log_utf8", 0, 0), "", make([]string, 100), "HostError(NumberOfLogsExceeded { limit: 100 })"},
		{"log_utf16", run("log_utf16", 8, 700), "", []string{"hé😀"}, ""},
		{"log_utf16 up to a zero", run("log_utf16", allOnes, 700), "", []string{"hé😀"}, ""},
		{"log_utf16 of an odd length", run("log_utf16", 3, 700), "", nil, badUTF16},
		{"log_utf16 of half a pair", run("log_utf16", 2, 800), "", nil, badUTF16},
		{"log_utf16 of half a pair and more", run("log_utf16", 4, 800), "", nil, badUTF16},
		{"log_utf16 of too much", run("log_utf16", 16386, 8192), "", nil, tooLong(16386)},
		{"log_utf16 with no zero in time", run("log_utf16", allOnes, 8192), "", nil, tooLong(16386)},
		{"log_utf16 beyond memory", run("log_utf16", 2, beyond), "", nil, memory},

		{"panic", run("panic"), "", nil, `HostError(GuestPanic { panic_msg: "explicit guest panic" })`},
		{"panic_utf8", run("panic_utf8", 4, 600), "", nil, `HostError(GuestPanic { panic_msg: "line" })`},
		{"panic_utf8 after a line and a value", run("log_utf8", 4, 600).do("value_return", 4, 100).do("panic_utf8", 4, 600), "", []string{"line"}, `HostError(GuestPanic { panic_msg: "line" })`},
		{"panic_utf8 of what is none", run("panic_utf8", 2, 500), "", nil, badUTF8},
		{"abort", run("abort", 904, 954, 3, 4), "", []string{`ABORT: ok, filename: "f" line: 3 col: 4`}, `HostError(GuestPanic { panic_msg: "ok, filename: \"f\" line: 3 col: 4" })`},
		{"abort without a message", run("abort", 0, 954, 3, 4), "", nil, badUTF16},
		{"abort without a file", run("abort", 904, 3, 3, 4), "", nil, badUTF16},

		{"gas burns", run("gas", 400_000_000), "", nil, gasLimitExceeded},
		{"storage_iter_prefix", run("storage_iter_prefix", 0, 0), "", nil, `HostError(Deprecated { method_name: "storage_iter_prefix" })`},
		{"ripemd160", run("ripemd160", 0, 0, 0), "", nil, "the host function ripemd160 is not part of this node"},
	}
	e := newEngine(t, Options{})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o := tt.s.on(e, data)
			var err string
			if tt.err != "" {
				err = tt.err.Error()
			}
			if o.Err != err {
				t.Fatalf("error %q, want %q", o.Err, err)
			}
			if string(o.Result) != tt.want {
				t.Errorf("result %q, want %q", o.Result, tt.want)
			}
			if !reflect.DeepEqual(o.Logs, tt.logs) {
				t.Errorf("logs %q, want %q", o.Logs, tt.logs)
			}
			if tt.err == gasLimitExceeded && o.Gas != defaultGas {
				t.Errorf("burnt %d gas, want all", o.Gas)
			}
		})
	}
}

func TestProhibitedInView(t *testing.T) {
	e := newEngine(t, Options{})
	names := []string{"promise_yield_resume"}
	for _, p := range prohibited {
		names = append(names, p.name)
	}
	for _, name := range names {
		o := run(name, make([]uint64, 9)...).on(e, nil)
		want := fmt.Sprintf(`wasm execution failed with error: HostError(ProhibitedInView { method_name: "%s" })`, name)
		if o.Err != want {
			t.Errorf("%s: error %q, want %q", name, o.Err, want)
		}
	}
}

func TestCodeHashOfContract(t *testing.T) {
	e := newEngine(t, Options{})
	s := run("current_contract_code", 1).out()
	code := NewCode(contractOf{imports: s.imports, methods: []method{{name: "m", code: s.code}}}.wasm())
	hash := code.Hash()
	if o := e.View(context.Background(), code, "m", nil, Env{}); string(o.Result) != string(hash[:]) || o.Err != "" {
		t.Errorf("got %x %s, want %x", o.Result, o.Err, hash)
	}
}

// TestHostGas checks prices against sums done by hand from nearcore's
// parameters. The rest of each call is the same: loading the code, one frame of
// 64 bytes and the instructions.
func TestHostGas(t *testing.T) {
	e := newEngine(t, Options{})
	tests := []struct {
		name         string
		s            *script
		instructions uint64 // beside the frame's eight
		want         uint64
	}{
		{"block_index", run("block_index"), 2, 264_768_111},
		{"input is not paid by the byte", run("input", 1), 2, 264_768_111 + 2_865_522_486},
		{"read_register of 9", run("input", 1).do("read_register", 1, 0), 5,
			2*264_768_111 + 2_865_522_486 + 2_517_165_186 + 9*98_562 + 2_803_794_861 + 9*2_723_772},
		{"log_utf8 of 4", run("log_utf8", 4, 0), 3,
			264_768_111 + 3_111_779_061 + 2_609_863_200 + 4*3_801_333 + 4*291_580_479 + 3_543_313_050 + 4*13_198_791},
		{"storage_has_key of 4", run("storage_has_key", 4, 0), 4,
			264_768_111 + 54_039_896_625 + 2_609_863_200 + 4*3_801_333 + 4*30_790_845},
		{"gas of 100", run("gas", 100), 2, 100 * 822_756},
	}
	for _, tt := range tests {
		o := tt.s.on(e, nil)
		code := contractOf{imports: tt.s.imports, methods: []method{{name: "m", code: tt.s.code}}}.wasm()
		want := 35_445_963 + 1_089_295*uint64(len(code)) + 822_756*(8+tt.instructions) + tt.want
		if o.Gas != want || o.Err != "" {
			t.Errorf("%s: burnt %d (%s), want %d", tt.name, o.Gas, o.Err, want)
		}
	}
}
