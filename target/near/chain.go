package near

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"encoding/binary"
	"sync/atomic"
	"time"
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
	now         func() time.Time
	started     time.Time
	blockTime   time.Duration
	epochLength uint64
	keptEpochs  uint64

	recent [256]atomic.Pointer[block] // by height modulo its length
	pinned atomic.Pointer[block]      // the last block that was asked for by hash
}

// block is what is cached of a block: what every query's answer tells.
type block struct {
	height uint64
	hash   string // in base58
	raw    [hashSize]byte
}

func newChain(c *Config, now func() time.Time) *chain {
	key := sha256.Sum256(binary.BigEndian.AppendUint64([]byte("near chain "), c.Volley.Seed))
	named, err := aes.NewCipher(key[:])
	if err != nil {
		panic(err) // only for a key of a wrong size
	}
	return &chain{
		cipher:      named,
		now:         now,
		started:     now(),
		blockTime:   time.Duration(c.Volley.BlockTime),
		epochLength: c.Volley.EpochLength,
		keptEpochs:  c.GCNumEpochsToKeep,
	}
}

// head is the height of the newest block.
func (c *chain) head() uint64 {
	grown := max(c.now().Sub(c.started)/c.blockTime, 0)
	return genesisHeight + blocksBefore + uint64(grown)
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
	slot.Store(b)
	return b
}

func (c *chain) hash(height uint64) (hash [hashSize]byte) {
	const half = hashSize / 2
	binary.BigEndian.PutUint64(hash[:], height)
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
	height := c.plain(hash)
	if height < genesisHeight || c.hash(height) != hash {
		return nil, false
	}
	b = c.at(height)
	c.pinned.Store(b)
	return b, true
}

// plain is the height that a hash hides, if it hides one.
func (c *chain) plain(hash [hashSize]byte) uint64 {
	c.cipher.Decrypt(hash[:aes.BlockSize], hash[:aes.BlockSize])
	return binary.BigEndian.Uint64(hash[:])
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
)

// resolve finds the block that ref means on a chain whose head is at head.
func (c *chain) resolve(ref *blockRef, head uint64) (*block, standing) {
	var b *block
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
	if b.height < c.tail(head) {
		return b, collected
	}
	return b, present
}
