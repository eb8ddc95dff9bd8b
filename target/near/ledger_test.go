package near

import (
	"crypto/ed25519"
	"math/big"
	"strings"
	"testing"
)

func TestWhoHasAnAccount(t *testing.T) {
	l := newLedger(0, 100)
	for _, id := range []string{"near", "test.near", "user0.near", "user9.near", "user10.near", "user99.near"} {
		a, ok := l.find([]byte(id))
		if !ok {
			t.Errorf("%s has no account", id)
			continue
		}
		if got := idOf(a.index); got != id {
			t.Errorf("%s is found as %s", id, got)
		}
	}
	for _, id := range []string{
		"", "n", "nobody.near", "user.near", "user100.near", "user00.near", "user07.near", "user-1.near", "user1.nea",
		"user1xnear", "usera.near", "user0.near.near", "User0.near", "user18446744073709551616.near", "near.near", "user1.test",
	} {
		if _, ok := l.find([]byte(id)); ok {
			t.Errorf("%q has an account", id)
		}
	}
}

// state is what a ledger says of an account at a height.
func state(t *testing.T, l *ledger, id string, height uint64) (amount string, nonce uint64, key string) {
	t.Helper()
	a, ok := l.find([]byte(id))
	if !ok {
		t.Fatalf("%s has no account", id)
	}
	return string(a.amount(height).appendTo(nil)), a.nonce(height), l.key(a.index)
}

func TestLedgerIsDeterminedBySeedAccountAndHeight(t *testing.T) {
	type answer struct {
		amount, key string
		nonce       uint64
	}
	of := func(seed uint64, users int, id string, height uint64) answer {
		amount, nonce, key := state(t, newLedger(seed, users), id, height)
		return answer{amount, key, nonce}
	}
	base := of(7, 100, "user3.near", startHead)
	if again := of(7, 5, "user3.near", startHead); again != base {
		t.Errorf("one seed gives %v and %v", base, again)
	}
	for name, other := range map[string]answer{
		"seed":    of(8, 100, "user3.near", startHead),
		"account": of(7, 100, "user4.near", startHead),
	} {
		if other.amount == base.amount || other.key == base.key {
			t.Errorf("another %s gives the same: %v", name, base)
		}
	}
	later := of(7, 100, "user3.near", startHead+1)
	if later.amount == base.amount || later.nonce == base.nonce || later.key != base.key {
		t.Errorf("a block later: %v after %v", later, base)
	}
}

func TestNoTwoBlocksShareABalance(t *testing.T) {
	l := newLedger(0, 3)
	for _, id := range []string{"near", "test.near", "user0.near", "user2.near"} {
		seen := map[string]bool{}
		last := uint64(0)
		for height := uint64(genesisHeight); height < genesisHeight+5_000; height++ {
			amount, nonce, _ := state(t, l, id, height)
			if seen[amount] {
				t.Fatalf("%s has %s at %d, not for the first time", id, amount, height)
			}
			seen[amount] = true
			if nonce <= last {
				t.Fatalf("%s has nonce %d at %d after %d", id, nonce, height, last)
			}
			last = nonce
		}
	}
}

func TestAmountsAreDecimal(t *testing.T) {
	near := new(big.Int).Exp(big.NewInt(10), big.NewInt(24), nil)
	for _, y := range []yocto{
		{}, {low: 1}, {low: group - 1}, {high: 1}, {high: 1, low: 1}, {high: group - 1, low: 5},
		{whole: 1}, {whole: 1, low: 1}, {whole: 50_000_000}, {whole: 1<<64 - 1, high: group - 1, low: group - 1},
	} {
		want := new(big.Int).Mul(new(big.Int).SetUint64(y.whole), near)
		want.Add(want, new(big.Int).Mul(new(big.Int).SetUint64(y.high), big.NewInt(group)))
		want.Add(want, new(big.Int).SetUint64(y.low))
		if got := string(y.appendTo([]byte("x"))); got != "x"+want.String() {
			t.Errorf("%+v is written %s, want %s", y, got[1:], want)
		}
	}
}

func TestOnlyTheValidatorHasAStake(t *testing.T) {
	l := newLedger(0, 1)
	for id, want := range map[string]string{
		"near":       "0",
		"user0.near": "0",
		"test.near":  "50012000" + strings.Repeat("0", 24),
	} {
		a, _ := l.find([]byte(id))
		if got := string(a.locked(3).appendTo(nil)); got != want {
			t.Errorf("%s has %s locked, want %s", id, got, want)
		}
	}
}

func TestKeysAreRealOnes(t *testing.T) {
	l := newLedger(0, 1)
	a, _ := l.find([]byte("user0.near"))
	digits, found := strings.CutPrefix(l.key(a.index), "ed25519:")
	public, err := decodeBase58(nil, []byte(digits), ed25519.PublicKeySize)
	if !found || err != nil {
		t.Fatalf("%s: %v", l.key(a.index), err)
	}
	message := []byte("m")
	if !ed25519.Verify(public, message, ed25519.Sign(l.private(a.index, 0), message)) {
		t.Error("the public key does not belong to the private one")
	}
	if l.key(a.index) != "ed25519:"+digits {
		t.Error("the key changes between calls")
	}
}
