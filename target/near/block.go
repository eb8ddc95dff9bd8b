package near

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strconv"

	"volley/internal/jsonrpc"
)

const (
	gasPrice        = "100000000"
	gasLimit        = 1_000_000_000_000_000
	protocolVersion = 84
)

// parseBlock decodes block's params: a block reference, or the old form of an
// array of one block id.
func (r *request) parseBlock(params []byte, kind jsonrpc.Kind) *jsonrpc.Error {
	r.op = opBlock
	var err error
	switch kind {
	case jsonrpc.Object:
		r.ref, err = parseReference(params)
	case jsonrpc.Array:
		part, one := only(params)
		if !one {
			return wrongParams(params, "struct RpcBlockRequest")
		}
		r.ref, err = parseBlockID(part)
	default:
		return wrongParams(params, "struct RpcBlockRequest")
	}
	if err != nil {
		return argsFailure(err.Error())
	}
	return nil
}

// only is the one element of an array that has no other.
func only(array []byte) (element []byte, one bool) {
	var room [1][]byte
	parts, _, err := jsonrpc.Split(array, room[:0])
	if err != nil || len(parts) != 1 {
		return nil, false
	}
	return parts[0], true
}

// header is the block of a reference, for the methods that tell of blocks and
// know one error where query knows several.
func (d *Dialect) header(ref *blockRef) (*block, *jsonrpc.Error) {
	b, stands := d.chain.resolve(ref, d.chain.head())
	switch stands {
	case unknown:
		text := notFound(ref)
		if ref.kind == byHash {
			text += " \n Cause: Unknown"
		}
		return nil, handlerFailure(unknownBlock, []byte("{}"), text)
	case collected:
		return nil, handlerFailure(unknownBlock, []byte("{}"), fmt.Sprintf("DB Not Found Error: BLOCK: %s \n Cause: Unknown", b.hash))
	case unsynced:
		return nil, handlerFailure("NOT_SYNCED_YET", nil, "There are no fully synchronized blocks yet")
	}
	return b, nil
}

func (d *Dialect) block(r *request, dst []byte) ([]byte, *jsonrpc.Error) {
	b, err := d.header(&r.ref)
	if err != nil {
		return dst, err
	}
	return appendJSON(dst, d.view(b)), nil
}

// appendJSON appends a view, a struct of plain values.
func appendJSON(dst []byte, view any) []byte {
	text, err := json.Marshal(view)
	if err != nil {
		panic(err) // no value of a view is unfit for JSON
	}
	return append(dst, text...)
}

type blockView struct {
	Author string        `json:"author"`
	Chunks []chunkHeader `json:"chunks"`
	Header headerView    `json:"header"`
}

type headerView struct {
	Approvals             []string   `json:"approvals"`
	BlockBodyHash         string     `json:"block_body_hash"`
	BlockMerkleRoot       string     `json:"block_merkle_root"`
	BlockOrdinal          uint64     `json:"block_ordinal"`
	ChallengesResult      []struct{} `json:"challenges_result"`
	ChallengesRoot        string     `json:"challenges_root"`
	ChunkEndorsements     [][]byte   `json:"chunk_endorsements"`
	ChunkHeadersRoot      string     `json:"chunk_headers_root"`
	ChunkMask             []bool     `json:"chunk_mask"`
	ChunkReceiptsRoot     string     `json:"chunk_receipts_root"`
	ChunkTxRoot           string     `json:"chunk_tx_root"`
	ChunksIncluded        uint64     `json:"chunks_included"`
	EpochID               string     `json:"epoch_id"`
	EpochSyncDataHash     *string    `json:"epoch_sync_data_hash"`
	GasPrice              string     `json:"gas_price"`
	Hash                  string     `json:"hash"`
	Height                uint64     `json:"height"`
	LastDSFinalBlock      string     `json:"last_ds_final_block"`
	LastFinalBlock        string     `json:"last_final_block"`
	LatestProtocolVersion int        `json:"latest_protocol_version"`
	NextBPHash            string     `json:"next_bp_hash"`
	NextEpochID           string     `json:"next_epoch_id"`
	OutcomeRoot           string     `json:"outcome_root"`
	PrevHash              string     `json:"prev_hash"`
	PrevHeight            *uint64    `json:"prev_height"`
	PrevStateRoot         string     `json:"prev_state_root"`
	RandomValue           string     `json:"random_value"`
	RentPaid              string     `json:"rent_paid"`
	Signature             string     `json:"signature"`
	Timestamp             int64      `json:"timestamp"`
	TimestampNanosec      string     `json:"timestamp_nanosec"`
	TotalSupply           string     `json:"total_supply"`
	ValidatorProposals    []struct{} `json:"validator_proposals"`
	ValidatorReward       string     `json:"validator_reward"`
}

// view shows a block as nearcore does: made and signed by the one validator,
// with a chunk of every shard. Roots that stand for things which this node does not keep are
// made up from the height, the same ones every time.
func (d *Dialect) view(b *block) blockView {
	epoch := d.chain.epoch(b.height)
	at := d.chain.time(b.height).UnixNano()
	v := blockView{
		Author: validatorAccount,
		Chunks: make([]chunkHeader, d.shards.count),
		Header: headerView{
			Approvals:             []string{d.sign("approval", b.raw)},
			BlockBodyHash:         d.root("block body", b.height),
			BlockMerkleRoot:       d.root("block merkle", b.height),
			BlockOrdinal:          b.height - genesisHeight + 1,
			ChallengesResult:      []struct{}{},
			ChallengesRoot:        zeroHash,
			ChunkEndorsements:     [][]byte{},
			ChunkHeadersRoot:      d.root("chunk headers", b.height),
			ChunkMask:             make([]bool, d.shards.count),
			ChunkReceiptsRoot:     d.root("chunk receipts", b.height),
			ChunkTxRoot:           d.root("chunk tx", b.height),
			ChunksIncluded:        d.shards.count,
			EpochID:               d.chain.epochID(epoch),
			GasPrice:              gasPrice,
			Hash:                  b.hash,
			Height:                b.height,
			LastDSFinalBlock:      d.chain.below(b.height, 1),
			LastFinalBlock:        d.chain.below(b.height, 2),
			LatestProtocolVersion: protocolVersion,
			NextBPHash:            d.root("block producers", epoch+1),
			NextEpochID:           d.chain.epochID(epoch + 1),
			OutcomeRoot:           d.root("outcome", b.height),
			PrevHash:              d.chain.below(b.height, 1),
			PrevStateRoot:         d.root("state", b.height-1),
			RandomValue:           d.root("random", b.height),
			RentPaid:              "0",
			Signature:             d.sign("block", b.raw),
			Timestamp:             at,
			TimestampNanosec:      strconv.FormatInt(at, 10),
			TotalSupply:           string(totalSupply(epoch).appendTo(nil)),
			ValidatorProposals:    []struct{}{},
			ValidatorReward:       "0",
		},
	}
	for shard := range d.shards.count {
		v.Chunks[shard] = d.chunkHeader(b.height, shard)
		v.Header.ChunkMask[shard] = true
	}
	if b.height > genesisHeight {
		previous := b.height - 1
		v.Header.PrevHeight = &previous
	}
	return v
}

// below is the hash of the block so many heights down, or that of nothing below
// genesis.
func (c *chain) below(height, down uint64) string {
	if height < genesisHeight+down {
		return zeroHash
	}
	return c.at(height - down).hash
}

// epochID is an epoch's name: the hash of the last block of the second epoch
// before it, and of nothing for the first two.
func (c *chain) epochID(epoch uint64) string {
	if epoch < 2 {
		return zeroHash
	}
	return c.at(c.epochStart(epoch-1) - 1).hash
}

// digest is what a made-up hash is made of: its name, the seed and a number.
func (d *Dialect) digest(of string, number uint64) [hashSize]byte {
	text := binary.BigEndian.AppendUint64([]byte(of+" "), d.config.Volley.Seed)
	return sha256.Sum256(binary.BigEndian.AppendUint64(text, number))
}

func (d *Dialect) root(of string, number uint64) string {
	sum := d.digest(of, number)
	return string(appendBase58(nil, sum[:]))
}

// sign is the validator's signature under what it made, given by its hash.
func (d *Dialect) sign(what string, hash [hashSize]byte) string {
	signed := ed25519.Sign(d.ledger.private(validatorIndex, 0), append([]byte(what+" "), hash[:]...))
	return string(appendBase58([]byte("ed25519:"), signed))
}

// totalSupply is what there is of NEAR in an epoch.
func totalSupply(epoch uint64) yocto { return yocto{whole: 2_100_000_000 + 4_000*epoch} }
