package vm

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const badInput = `wasm execution failed with error: HostError(GuestPanic { panic_msg: "Failed to deserialize input from JSON." })`

func TestFungibleToken(t *testing.T) {
	most, _ := new(big.Int).SetString("340282366920938463463374607431768211455", 10)
	storage := map[string]*big.Int{
		"balice.near": big.NewInt(123),
		"bbob.near":   new(big.Int).Exp(big.NewInt(10), big.NewInt(38), nil),
		"bmost.near":  most,
		"bé😀.near":    big.NewInt(7),
		"s":           big.NewInt(1_000_000),
	}
	env := Env{Read: func(key []byte) ([]byte, bool) {
		if string(key) == "bbroken.near" {
			return []byte{1}, true
		}
		v, ok := storage[string(key)]
		if !ok {
			return nil, false
		}
		b := v.FillBytes(make([]byte, 16))
		for i := range 8 {
			b[i], b[15-i] = b[15-i], b[i]
		}
		return b, true
	}}
	const balance = "ft_balance_of"
	tests := []struct{ method, args, want, err string }{
		{balance, `{"account_id":"alice.near"}`, `"123"`, ""},
		{balance, " { \"account_id\" :\n\t\"alice.near\"\r} ", `"123"`, ""},
		{balance, `{"account_id":"al\u0069ce\u002enear"}`, `"123"`, ""},
		{balance, `{"account_id":"\u00e9\ud83d\ude00.near"}`, `"7"`, ""},
		{balance, `{"x":{"account_id":[1,-2.5e3,"}"],"y":{}},"z":[],"account_id":"alice.near","w":null}`, `"123"`, ""},
		{balance, `{"account_id":"bob.near"}`, `"1` + strings.Repeat("0", 38) + `"`, ""},
		{balance, `{"account_id":"most.near"}`, `"` + most.String() + `"`, ""},
		{balance, `{"account_id":"nobody.near"}`, `"0"`, ""},
		{balance, `{"account_id":""}`, `"0"`, ""},
		{balance, `{"account_id":"broken.near"}`, "", `wasm execution failed with error: HostError(GuestPanic { panic_msg: "Cannot deserialize the contract state." })`},
		{"ft_total_supply", ``, `"1000000"`, ""},
		{"ft_total_supply", `not read`, `"1000000"`, ""},
	}
	for _, args := range []string{
		``, `{`, `{}`, `[]`, `null`, `"alice.near"`, `{"account":"alice.near"}`, `{"account_id":1}`, `{"account_id":null}`,
		`{"account_id":"alice.near"`, `{"account_id":"alice.near}`, `{"account_id" "alice.near"}`, `{"account_id":"alice.near"}x`,
		`{"account_id":"alice.near",}`, `{"account_id":"a","account_id":"b"}`, `{"account_id":"\x"}`, `{"account_id":"\u12"}`,
		`{"account_id":"\ud83d"}`, `{"account_id":"\ude00"}`, `{"account_id":"\ud83dx"}`, "{\"account_id\":\"\n\"}",
		`{"account_id":"` + strings.Repeat("a", 5000) + `"}`, strings.Repeat("[", 4000), `{"x":` + strings.Repeat("[", 4000),
	} {
		tests = append(tests, struct{ method, args, want, err string }{balance, args, "", badInput})
	}
	e := newEngine(t, Options{})
	code := NewCode(FungibleToken())
	for _, tt := range tests {
		o := e.View(context.Background(), code, tt.method, []byte(tt.args), env)
		if o.Err != tt.err || string(o.Result) != tt.want {
			t.Errorf("%s %.60s: %s %q, want %s %q", tt.method, tt.args, o.Result, o.Err, tt.want, tt.err)
		}
	}
}

func TestFungibleTokenMetadata(t *testing.T) {
	e := newEngine(t, Options{})
	code := NewCode(FungibleToken())
	o := e.View(context.Background(), code, "ft_metadata", nil, Env{})
	var m struct {
		Spec, Name, Symbol *string
		Decimals           *int
	}
	if err := json.Unmarshal(o.Result, &m); err != nil || o.Err != "" {
		t.Fatalf("%s: %v %s", o.Result, err, o.Err)
	}
	if *m.Spec != "ft-1.0.0" || *m.Name == "" || *m.Symbol == "" || *m.Decimals != 18 {
		t.Errorf("metadata %s", o.Result)
	}
	own := `{"spec":"ft-1.0.0","name":"Own"}`
	o = e.View(context.Background(), code, "ft_metadata", nil, Env{Read: func(key []byte) ([]byte, bool) {
		return []byte(own), string(key) == "m"
	}})
	if string(o.Result) != own {
		t.Errorf("metadata %s, want %s", o.Result, own)
	}
}

// checksum does in Go what the burner does.
func checksum(n int) uint64 {
	var x, sum uint64 = 0x9e3779b97f4a7c15, 0
	for range n {
		x ^= x >> 12
		x ^= x << 25
		x ^= x >> 27
		sum += x * 0x2545f4914f6cdd1d
	}
	return sum
}

func TestBurner(t *testing.T) {
	e := newEngine(t, Options{})
	code := NewCode(Burner())
	env := Env{Read: func(key []byte) ([]byte, bool) { return []byte("the value"), string(key) == "a\tkey" }}
	burnt := func(n int) string { return fmt.Sprintf(`{"n":%d,"checksum":"%016x"}`, n, checksum(n)) }
	tests := []struct{ method, args, want, err string }{
		{"burn", `{"n":0}`, burnt(0), ""},
		{"burn", `{"n":1}`, burnt(1), ""},
		{"burn", `{"n": 12345 , "x":[]}`, burnt(12345), ""},
		{"burn", `{"n":18446744073709551615}`, "", gasLimitExceeded.Error()},
		{"burn", `{"n":18446744073709551616}`, "", badInput},
		{"burn", `{"n":-1}`, "", badInput},
		{"burn", `{"n":1.5}`, "", badInput},
		{"burn", `{"n":1e3}`, "", badInput},
		{"burn", `{"n":01}`, "", badInput},
		{"burn", `{"n":"1"}`, "", badInput},
		{"burn", ``, "", badInput},
		{"read", `{"key":"a\tkey"}`, "the value", ""},
		{"read", `{"key":"another"}`, "null", ""},
		{"fail", ``, "", `wasm execution failed with error: HostError(GuestPanic { panic_msg: "the contract was asked to fail" })`},
		{"write", ``, "", `wasm execution failed with error: HostError(ProhibitedInView { method_name: "storage_write" })`},
	}
	for _, tt := range tests {
		o := e.View(context.Background(), code, tt.method, []byte(tt.args), env)
		if o.Err != tt.err || string(o.Result) != tt.want {
			t.Errorf("%s %s: %s %q, want %s %q", tt.method, tt.args, o.Result, o.Err, tt.want, tt.err)
		}
	}
	o := e.View(context.Background(), code, "log", []byte(`{"n":11}`), env)
	if o.Err != "" || len(o.Logs) != 11 || o.Logs[0] != "line 0" || o.Logs[10] != "line 10" {
		t.Errorf("log: %q %s", o.Logs, o.Err)
	}
}

// TestContractSums holds binaries and sources to the sums that were taken when
// they were built: who changes a source must build.
func TestContractSums(t *testing.T) {
	sums, err := os.ReadFile("contracts/SHA256SUMS")
	if err != nil {
		t.Fatal(err)
	}
	recorded := map[string]string{}
	for line := range strings.Lines(string(sums)) {
		sum, name, ok := strings.Cut(strings.TrimSpace(line), "  ")
		if !ok {
			t.Fatalf("contracts/SHA256SUMS: %q is no sum", line)
		}
		recorded[name] = sum
	}
	for _, name := range []string{"ft.c", "ft.wasm", "burner.c", "burner.wasm", "near.h"} {
		b, err := os.ReadFile(filepath.Join("contracts", name))
		if err != nil {
			t.Fatal(err)
		}
		if sum := sha256.Sum256(b); recorded[name] != hex.EncodeToString(sum[:]) {
			t.Errorf("contracts/%s has changed since it was built: run go generate", name)
		}
	}
}

// TestContractsRebuild builds the contracts where there is the compiler that
// they were built with, and compares.
func TestContractsRebuild(t *testing.T) {
	makefile, err := os.ReadFile("contracts/Makefile")
	if err != nil {
		t.Fatal(err)
	}
	_, version, _ := strings.Cut(string(makefile), "VERSION := ")
	version, _, _ = strings.Cut(version, "\n")
	have, err := exec.Command("clang", "--version").Output()
	if _, linker := exec.LookPath("wasm-ld"); err != nil || linker != nil || !strings.Contains(string(have), "version "+version) {
		t.Skipf("clang %s with wasm-ld is not installed (Debian: clang, lld)", version)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("contracts")); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("make", "--always-make", "-C", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for name, want := range map[string][]byte{"ft.wasm": FungibleToken(), "burner.wasm": Burner()} {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not what its source builds to: run go generate", name)
		}
	}
}
