package near

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"sync/atomic"
	"time"

	"volley/target"
)

const (
	genesisHeight = 1_000_000
	// blocksBefore is how many blocks stand upon genesis when the node starts:
	// more than the default horizon holds, so that there are blocks whose state
	// is garbage-collected.
	blocksBefore = 300_000

	hashSize = 32
	// zeroHash is the hash of nothing: 32 zero bytes.
	zeroHash = "11111111111111111111111111111111"
)

// chain is a chain of blocks that grows by one block per block time. Nothing
// runs: the head is worked out from the clock when it is asked for. Every
// height from genesis to the head has a block.
//
// A block's hash is its height under a cipher keyed by the seed, so a hash
// leads back to its height without a table of all blocks, and the same seed
// gives the same hashes in every process.
//
// The state of old blocks is garbage-collected, by epoch: the head's epoch and
// the keptEpochs-1 before it are there, earlier ones are not. Their headers
// remain, so that a node can tell such a block from one that never was.
type chain struct {
	cipher      cipher.Block
	age         func() time.Duration // since the start
	started     time.Time
	blockTime   time.Duration
	epochLength uint64
	keptEpochs  uint64
	syncing     bool // there is genesis and nothing upon it

	recent [256]atomic.Pointer[block] // by height modulo its length
	pinned atomic.Pointer[block]      // the last block that was asked for by hash
	newest atomic.Pointer[tip]        // as head saw it last
}

// block is what is cached of a block.
type block struct {
	height uint64
	hash   string // in base58
	raw    [hashSize]byte
	quoted string // hash as a JSON string
	read   string // the two members by which every answer tells at which block it was read
	bare   string // what view_account tells between amount and storage_usage of an account that has neither code nor a stake
}

// newChain starts a chain by a clock; nil is the system's.
func newChain(c *Config, now func() time.Time) *chain {
	key := sha256.Sum256(binary.BigEndian.AppendUint64([]byte("near chain "), c.Volley.Seed))
	named, err := aes.NewCipher(key[:])
	if err != nil {
		panic(err) // only for a key of a wrong size
	}
	started := time.Now()
	age := func() time.Duration { return time.Since(started) }
	if now != nil {
		started = now()
		age = func() time.Duration { return now().Sub(started) }
	}
	return &chain{
		cipher:      named,
		age:         age,
		started:     started,
		blockTime:   time.Duration(c.Volley.BlockTime),
		epochLength: c.Volley.EpochLength,
		keptEpochs:  c.GCNumEpochsToKeep,
		syncing:     c.Volley.Syncing,
	}
}

// head is the height of the newest block.
func (c *chain) head() uint64 {
	if c.syncing {
		return genesisHeight
	}
	age := c.age()
	if head := c.newest.Load(); head != nil && age >= head.from && age < head.until {
		return head.height
	}
	grown := max(age/c.blockTime, 0)
	head := &tip{
		height: genesisHeight + blocksBefore + uint64(grown),
		from:   grown * c.blockTime,
		until:  (grown + 1) * c.blockTime,
	}
	for old := c.newest.Load(); old == nil || old.height < head.height; old = c.newest.Load() {
		if c.newest.CompareAndSwap(old, head) {
			break
		}
	}
	return head.height
}

// headSoon is the head for a query. One that follows closely on others of its
// batch, which are queries too and have looked for the head, has theirs.
func (c *chain) headSoon(ctx context.Context) uint64 {
	if target.Soon(ctx) && !c.syncing {
		if head := c.newest.Load(); head != nil {
			return head.height
		}
	}
	return c.head()
}

// tip is the newest block's height, and from when until when it is: a division
// takes as long as the rest of a lookup.
type tip struct {
	height      uint64
	from, until time.Duration
}

// epoch is the number of the epoch that a height belongs to, from 0.
func (c *chain) epoch(height uint64) uint64 { return (height - genesisHeight) / c.epochLength }

// epochStart is the first height of an epoch.
func (c *chain) epochStart(epoch uint64) uint64 { return genesisHeight + epoch*c.epochLength }

// tail is the lowest height whose state is still there.
func (c *chain) tail(head uint64) uint64 {
	epochs := c.epoch(head) + 1
	if epochs <= c.keptEpochs {
		return genesisHeight
	}
	return c.epochStart(epochs - c.keptEpochs)
}

// time is when a block was made.
func (c *chain) time(height uint64) time.Time {
	fromStart := int64(height) - (genesisHeight + blocksBefore)
	return c.started.Add(time.Duration(fromStart) * c.blockTime)
}

// at is the block at a height from genesis to the head.
func (c *chain) at(height uint64) *block {
	slot := &c.recent[height%uint64(len(c.recent))]
	if b := slot.Load(); b != nil && b.height == height {
		return b
	}
	raw := c.hash(height)
	b := &block{height: height, hash: string(appendBase58(nil, raw[:])), raw: raw}
	b.quoted = `"` + b.hash + `"`
	b.read = fmt.Sprintf(`"block_hash":"%s","block_height":%d`, b.hash, height)
	b.bare = `",` + b.read + `,"code_hash":"` + zeroHash + `","locked":"0"` + storageMember
	slot.Store(b)
	return b
}

func (c *chain) hash(height uint64) [hashSize]byte { return c.encrypt(height, 0) }

// chunkHash is the hash of a shard's chunk in a block.
func (c *chain) chunkHash(height, shard uint64) [hashSize]byte { return c.encrypt(height, shard+1) }

// encrypt makes the hash of a height and what is there: the block, which is 0,
// or a shard's chunk.
func (c *chain) encrypt(height, what uint64) (hash [hashSize]byte) {
	const half = hashSize / 2
	binary.BigEndian.PutUint64(hash[:], height)
	binary.BigEndian.PutUint64(hash[8:], what)
	c.cipher.Encrypt(hash[:half], hash[:half])
	c.cipher.Encrypt(hash[half:], hash[:half])
	return hash
}

// named is the block of a hash, which may be above the head; ok is false where
// this chain has no such block at any height.
func (c *chain) named(hash [hashSize]byte) (b *block, ok bool) {
	if b := c.pinned.Load(); b != nil && b.raw == hash {
		return b, true
	}
	height, _ := c.decrypt(hash)
	if height < genesisHeight || c.hash(height) != hash {
		return nil, false
	}
	b = c.at(height)
	c.pinned.Store(b)
	return b, true
}

// decrypt is what a hash hides, if it is one of this chain's.
func (c *chain) decrypt(hash [hashSize]byte) (height, what uint64) {
	c.cipher.Decrypt(hash[:aes.BlockSize], hash[:aes.BlockSize])
	return binary.BigEndian.Uint64(hash[:]), binary.BigEndian.Uint64(hash[8:])
}

// chunkNamed is the block and the shard of a chunk's hash; ok is false where
// this chain, up to head, has no such chunk.
func (c *chain) chunkNamed(hash [hashSize]byte, head uint64) (height, shard uint64, ok bool) {
	height, what := c.decrypt(hash)
	if height < genesisHeight || height > head || what == 0 || c.encrypt(height, what) != hash {
		return 0, 0, false
	}
	return height, what - 1, true
}

// blockRef is a block reference as a request gives it.
type blockRef struct {
	kind   refKind
	height uint64         // of byHeight
	hash   [hashSize]byte // of byHash
}

type refKind uint8

const (
	optimistic refKind = iota // the head
	nearFinal                 // one below it
	final                     // two below it
	byHeight
	byHash
	genesis  // sync_checkpoint
	earliest // sync_checkpoint
)

// standing says how a block that was asked for stands.
type standing uint8

const (
	present   standing = iota
	collected          // it was there, its state is not any more
	unknown            // never seen; there is no block to tell of
	unsynced           // there is no block that such a reference could mean yet
)

// resolve finds the block that ref means on a chain whose head is at head.
func (c *chain) resolve(ref *blockRef, head uint64) (*block, standing) {
	var b *block
	if c.syncing && ref.kind != byHeight && ref.kind != byHash {
		return nil, unsynced
	}
	switch ref.kind {
	case optimistic:
		return c.at(head), present
	case nearFinal:
		return c.at(head - 1), present
	case final:
		return c.at(head - 2), present
	case earliest:
		return c.at(c.tail(head)), present
	case genesis:
		b = c.at(genesisHeight)
	case byHeight:
		if ref.height < genesisHeight || ref.height > head {
			return nil, unknown
		}
		b = c.at(ref.height)
	case byHash:
		var ok bool
		if b, ok = c.named(ref.hash); !ok || b.height > head {
			return nil, unknown
		}
	}
	// At least three epochs are kept: what is younger than one is there.
	if head-b.height >= c.epochLength && b.height < c.tail(head) {
		return b, collected
	}
	return b, present
}
