package near

import (
	"bytes"
	"math/big"
	"runtime"
	"slices"
	"testing"
)

// value is the number that an amount's bytes stand for.
func value(b []byte) *big.Int {
	b = slices.Clone(b)
	slices.Reverse(b)
	return new(big.Int).SetBytes(b)
}

func tokens(l *ledger) map[string]tokenState {
	states := map[string]tokenState{}
	for index := range namedAccounts {
		if s := l.stateOf(l.at(index)); s.holders > 0 {
			states[idOf(index)] = s
		}
	}
	return states
}

func TestBalancesSumUpToTheSupply(t *testing.T) {
	for _, users := range []int{0, 1, 5, 100} {
		states := tokens(newLedger(3, users))
		if len(states) != 4 {
			t.Fatalf("%d accounts have a token's state", len(states))
		}
		for id, s := range states {
			for height := uint64(startHead); height < startHead+3; height++ {
				sum := new(big.Int)
				for _, r := range s.records([]byte{balancePrefix}, height) {
					sum.Add(sum, value(r.value))
				}
				supply, ok := s.read([]byte("s"), height)
				if !ok || sum.Cmp(value(supply)) != 0 || sum.Sign() <= 0 {
					t.Errorf("%s with %d users: balances sum up to %s, the supply is %s", id, users, sum, value(supply))
				}
			}
		}
	}
}

func TestEveryBalanceChangesWithEveryBlock(t *testing.T) {
	s := tokens(newLedger(3, 7))["token.near"]
	for holder := range s.holders {
		seen := map[yocto]bool{}
		for height := uint64(startHead); height < startHead+200; height++ {
			y := s.balance(holder, height)
			if seen[y] || y.whole == 0 || y.whole >= 2*tokenBase || y.high >= group || y.low >= group {
				t.Fatalf("%s has %+v at %d", idOf(holder), y, height)
			}
			seen[y] = true
		}
	}
}

func TestTokensDiffer(t *testing.T) {
	states := tokens(newLedger(3, 7))
	if states["token.near"].balance(0, startHead) == states["wrap.near"].balance(0, startHead) {
		t.Error("two tokens have one state")
	}
	if other := tokens(newLedger(4, 7))["token.near"]; other.balance(0, startHead) == states["token.near"].balance(0, startHead) {
		t.Error("two seeds give one state")
	}
}

func TestRecordsAreReadAndSortedAndFiltered(t *testing.T) {
	s := tokens(newLedger(3, 12))["token.near"]
	all := s.records(nil, startHead)
	if len(all) != s.holders+2 {
		t.Errorf("%d records of %d holders", len(all), s.holders)
	}
	if !slices.IsSortedFunc(all, func(a, b record) int { return bytes.Compare(a.key, b.key) }) {
		t.Error("the records are not in order")
	}
	for _, r := range all {
		if got, ok := s.read(r.key, startHead); !ok || !bytes.Equal(got, r.value) {
			t.Errorf("%s is read as %x, shown as %x", r.key, got, r.value)
		}
	}
	for prefix, want := range map[string]int{"": len(all), "b": s.holders, "buser1": 3, "buser1.near": 1, "s": 1, "m": 1, "x": 0, "buser1.near.": 0} {
		if got := len(s.records([]byte(prefix), startHead)); got != want {
			t.Errorf("%d records start with %q, want %d", got, prefix, want)
		}
	}
	for _, key := range []string{"", "b", "bnobody.near", "buser12.near", "S", "ss", "mm"} {
		if got, ok := s.read([]byte(key), startHead); ok {
			t.Errorf("%q is read as %x", key, got)
		}
	}
	if got, ok := (tokenState{}).read([]byte("s"), startHead); ok || (tokenState{}).records(nil, startHead) != nil {
		t.Errorf("an account without state has %x", got)
	}
}

// nearcore's rule: an account takes 100 bytes, each record its key, its value
// and 40 bytes.
func TestStorageUsageCountsTheState(t *testing.T) {
	for _, users := range []int{0, 1, 9, 10, 11, 100, 101, 1234} {
		l := newLedger(3, users)
		for id, s := range tokens(l) {
			want := uint64(0)
			for _, r := range s.records(nil, startHead) {
				want += uint64(len(r.key)+len(r.value)) + 40
			}
			if got := s.bytes(); got != want {
				t.Errorf("%s with %d users stores %d bytes, its records have %d", id, users, got, want)
			}
		}
	}
	l := newLedger(3, 10)
	wasm := uint64(len(l.codes[fungible].wasm))
	for id, want := range map[string]uint64{
		"near":        182,
		"user0.near":  182,
		"user1.near":  182 + 152,
		"user2.near":  182 + 101,
		"user6.near":  182 + 100 + 3*83,
		"user7.near":  182 + 100 + 34 + 3*83,
		"global.near": 182,
		"burner.near": 182 + uint64(len(l.codes[burner].wasm)),
		"token.near":  182 + wasm + l.stateOf(l.at(tokenIndex)).bytes(),
		"shared.near": 182 + l.stateOf(l.at(sharedIndex)).bytes(),
	} {
		a, _ := l.find([]byte(id))
		if got := l.storageUsage(a); got != want {
			t.Errorf("%s takes %d bytes, want %d", id, got, want)
		}
	}
}

func TestAmountsHave128Bits(t *testing.T) {
	near := new(big.Int).Exp(big.NewInt(10), big.NewInt(24), nil)
	for _, y := range []yocto{
		{}, {low: 1}, {high: 1}, {whole: 1}, {whole: 1, high: group - 1, low: group - 1},
		{whole: 2_100_000_000, high: 123, low: 456}, {whole: 50_000_000_000_000, high: group - 1, low: group - 1},
	} {
		want := new(big.Int).Mul(new(big.Int).SetUint64(y.whole), near)
		want.Add(want, new(big.Int).Mul(new(big.Int).SetUint64(y.high), big.NewInt(group)))
		want.Add(want, new(big.Int).SetUint64(y.low))
		b := y.little()
		if got := value(b[:]); got.Cmp(want) != 0 {
			t.Errorf("%+v is %s, want %s", y, got, want)
		}
	}
}

// allocated is how many bytes f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func TestAccountsCostNoMemory(t *testing.T) {
	few, many := allocated(func() { newLedger(1, 10) }), allocated(func() { newLedger(1, maxAccounts) })
	if many > few+64<<10 {
		t.Errorf("a ledger of ten million accounts takes %d bytes, one of ten %d", many, few)
	}
	l := newLedger(1, maxAccounts)
	a, ok := l.find([]byte("user9999999.near"))
	if !ok || l.key(a.index) == "" {
		t.Error("the last account is not there")
	}
	token, _ := l.find([]byte("token.near"))
	if got, want := l.stateOf(token).bytes(), uint64(maxAccounts)*(57+10); got < want {
		t.Errorf("ten million balances take %d bytes", got)
	}
}
