package near

import (
	"testing"
	"time"
)

// still is a clock that stands until it is set forward.
type still struct{ at time.Time }

func (s *still) now() time.Time { return s.at }

func newStill() *still { return &still{time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)} }

const startHead = genesisHeight + blocksBefore

func chainOf(t *testing.T, text string) (*chain, *still) {
	t.Helper()
	c, clock := parse(t, text), newStill()
	return newChain(&c, clock.now), clock
}

func TestChainGrowsByTheClock(t *testing.T) {
	c, clock := chainOf(t, `{"volley": {"block_time": "600ms"}}`)
	start := clock.at
	for _, step := range []struct {
		after time.Duration
		want  uint64
	}{
		{0, startHead}, {599 * time.Millisecond, startHead}, {600 * time.Millisecond, startHead + 1},
		{time.Minute, startHead + 100}, {-time.Hour, startHead},
	} {
		clock.at = start.Add(step.after)
		if got := c.head(); got != step.want {
			t.Errorf("after %s the head is %d, want %d", step.after, got, step.want)
		}
	}
	if got := c.time(startHead + 2).Sub(start); got != 1200*time.Millisecond {
		t.Errorf("the second block is made at %s", got)
	}
	if got := c.time(startHead - 5).Sub(start); got != -3*time.Second {
		t.Errorf("a block before the start is made at %s", got)
	}
}

func TestHashesLeadBackToHeights(t *testing.T) {
	c, _ := chainOf(t, `{"volley": {"seed": 7}}`)
	seen := map[[hashSize]byte]uint64{}
	for _, first := range []uint64{genesisHeight, startHead - 300, startHead} {
		for height := first; height < first+300; height++ {
			b := c.at(height)
			if other, twice := seen[b.raw]; twice {
				t.Fatalf("heights %d and %d share %s", other, height, b.hash)
			}
			seen[b.raw] = height
			if got, ok := c.named(b.raw); !ok || got.height != height {
				t.Fatalf("%s of height %d leads to %v, %v", b.hash, height, got, ok)
			}
			if n := len(b.hash); n < 42 || n > 44 {
				t.Fatalf("%s is no base58 of 32 bytes", b.hash)
			}
		}
	}
	other, _ := chainOf(t, `{"volley": {"seed": 8}}`)
	for hash, height := range seen {
		if _, ok := other.named(hash); ok {
			t.Fatalf("the hash of height %d is known to a chain of another seed", height)
		}
	}
}

func TestHashesDependOnSeedAndHeightAlone(t *testing.T) {
	a, clock := chainOf(t, `{"volley": {"seed": 7}}`)
	clock.at = clock.at.Add(time.Hour)
	b, _ := chainOf(t, `{"volley": {"seed": 7, "block_time": "50ms", "accounts": 3}}`)
	for height := uint64(startHead); height < startHead+5; height++ {
		if a.at(height).hash != b.at(height).hash {
			t.Errorf("two chains of one seed differ at %d", height)
		}
	}
}

func TestBlockReferences(t *testing.T) {
	// Epochs of 100 blocks, the head's and two before it are kept: the head
	// starts epoch 3000, so the tail is the start of epoch 2998.
	c, clock := chainOf(t, `{"gc_num_epochs_to_keep": 3, "volley": {"epoch_length": 100}}`)
	head := c.head()
	const tail = startHead - 200
	elsewhere, _ := chainOf(t, `{"volley": {"seed": 1}}`)
	for _, r := range []struct {
		name   string
		ref    blockRef
		height uint64
		stands standing
	}{
		{"optimistic", blockRef{kind: optimistic}, head, present},
		{"near-final", blockRef{kind: nearFinal}, head - 1, present},
		{"final", blockRef{kind: final}, head - 2, present},
		{"earliest", blockRef{kind: earliest}, tail, present},
		{"genesis", blockRef{kind: genesis}, genesisHeight, collected},
		{"head by height", blockRef{kind: byHeight, height: head}, head, present},
		{"tail by height", blockRef{kind: byHeight, height: tail}, tail, present},
		{"below the tail", blockRef{kind: byHeight, height: tail - 1}, tail - 1, collected},
		{"genesis by height", blockRef{kind: byHeight, height: genesisHeight}, genesisHeight, collected},
		{"below genesis", blockRef{kind: byHeight, height: genesisHeight - 1}, 0, unknown},
		{"above the head", blockRef{kind: byHeight, height: head + 1}, 0, unknown},
		{"greatest height", blockRef{kind: byHeight, height: 1<<64 - 1}, 0, unknown},
		{"head by hash", blockRef{kind: byHash, hash: c.at(head).raw}, head, present},
		{"below the tail by hash", blockRef{kind: byHash, hash: c.at(tail - 1).raw}, tail - 1, collected},
		{"not made yet, by hash", blockRef{kind: byHash, hash: c.at(head + 1).raw}, 0, unknown},
		{"of another chain", blockRef{kind: byHash, hash: elsewhere.at(head).raw}, 0, unknown},
		{"of nothing", blockRef{kind: byHash}, 0, unknown},
	} {
		b, stands := c.resolve(&r.ref, head)
		if stands != r.stands {
			t.Errorf("%s stands as %d, want %d", r.name, stands, r.stands)
			continue
		}
		if stands != unknown && b.height != r.height {
			t.Errorf("%s is block %d, want %d", r.name, b.height, r.height)
		}
	}
	clock.at = clock.at.Add(100 * time.Second)
	if _, stands := c.resolve(&blockRef{kind: byHeight, height: tail}, c.head()); stands != collected {
		t.Errorf("an epoch later the old tail stands as %d", stands)
	}
}

func TestNothingIsCollectedOfAYoungChain(t *testing.T) {
	c, _ := chainOf(t, `{"gc_num_epochs_to_keep": 10000}`)
	if b, stands := c.resolve(&blockRef{kind: genesis}, c.head()); stands != present || b.height != genesisHeight {
		t.Errorf("genesis stands as %d", stands)
	}
	if b, _ := c.resolve(&blockRef{kind: earliest}, c.head()); b.height != genesisHeight {
		t.Errorf("the earliest block is %d", b.height)
	}
}
