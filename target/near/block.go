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
func parseBlock(params []byte, kind jsonrpc.Kind) (*request, *jsonrpc.Error) {
	r := &request{op: opBlock}
	var err error
	switch kind {
	case jsonrpc.Object:
		var f refFields
		for name, value := range members(params) {
			f.set(name, value)
		}
		r.ref, err = f.parse()
	case jsonrpc.Array:
		var room [1][]byte
		parts, _, bad := jsonrpc.Split(params, room[:0])
		if bad != nil || len(parts) != 1 {
			return nil, argsFailure("invalid type: sequence, expected struct RpcBlockRequest")
		}
		r.ref, err = parseBlockID(parts[0])
	default:
		return nil, argsFailure("invalid type: null, expected struct RpcBlockRequest")
	}
	if err != nil {
		return nil, argsFailure(err.Error())
	}
	return r, nil
}

// block answers a block request: it appends the result to dst, or gives the
// error and dst as it came.
func (d *Dialect) block(r *request, dst []byte) ([]byte, *jsonrpc.Error) {
	b, stands := d.chain.resolve(&r.ref, d.chain.head())
	switch stands {
	case unknown:
		text := notFound(&r.ref)
		if r.ref.kind == byHash {
			text += " \n Cause: Unknown"
		}
		return dst, handlerFailure(unknownBlock, []byte("{}"), text)
	case collected:
		return dst, handlerFailure(unknownBlock, []byte("{}"),
			fmt.Sprintf("DB Not Found Error: BLOCK: %s \n Cause: Unknown", b.hash))
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
	Author string      `json:"author"`
	Chunks []chunkView `json:"chunks"`
	Header headerView  `json:"header"`
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
	ChunksIncluded        int        `json:"chunks_included"`
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

type chunkView struct {
	BalanceBurnt         string          `json:"balance_burnt"`
	BandwidthRequests    *struct{}       `json:"bandwidth_requests"`
	ChunkHash            string          `json:"chunk_hash"`
	CongestionInfo       json.RawMessage `json:"congestion_info"`
	EncodedLength        int             `json:"encoded_length"`
	EncodedMerkleRoot    string          `json:"encoded_merkle_root"`
	GasLimit             uint64          `json:"gas_limit"`
	GasUsed              uint64          `json:"gas_used"`
	HeightCreated        uint64          `json:"height_created"`
	HeightIncluded       uint64          `json:"height_included"`
	OutcomeRoot          string          `json:"outcome_root"`
	OutgoingReceiptsRoot string          `json:"outgoing_receipts_root"`
	PrevBlockHash        string          `json:"prev_block_hash"`
	PrevStateRoot        string          `json:"prev_state_root"`
	RentPaid             string          `json:"rent_paid"`
	ShardID              int             `json:"shard_id"`
	Signature            string          `json:"signature"`
	TxRoot               string          `json:"tx_root"`
	ValidatorProposals   []struct{}      `json:"validator_proposals"`
	ValidatorReward      string          `json:"validator_reward"`
}

// view shows a block as nearcore does: of one shard, made and signed by the
// one validator. Roots that stand for things which this node does not keep are
// made up from the height, the same ones every time.
func (d *Dialect) view(b *block) blockView {
	epoch := d.chain.epoch(b.height)
	at := d.chain.time(b.height).UnixNano()
	v := blockView{
		Author: validatorAccount,
		Chunks: []chunkView{d.chunk(b)},
		Header: headerView{
			Approvals:             []string{d.sign("approval", b.height)},
			BlockBodyHash:         d.root("block body", b.height),
			BlockMerkleRoot:       d.root("block merkle", b.height),
			BlockOrdinal:          b.height - genesisHeight + 1,
			ChallengesResult:      []struct{}{},
			ChallengesRoot:        zeroHash,
			ChunkEndorsements:     [][]byte{},
			ChunkHeadersRoot:      d.root("chunk headers", b.height),
			ChunkMask:             []bool{true},
			ChunkReceiptsRoot:     d.root("chunk receipts", b.height),
			ChunkTxRoot:           d.root("chunk tx", b.height),
			ChunksIncluded:        1,
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
			Signature:             d.sign("block", b.height),
			Timestamp:             at,
			TimestampNanosec:      strconv.FormatInt(at, 10),
			TotalSupply:           string(yocto{whole: 2_100_000_000 + 4_000*epoch}.appendTo(nil)),
			ValidatorProposals:    []struct{}{},
			ValidatorReward:       "0",
		},
	}
	if b.height > genesisHeight {
		previous := b.height - 1
		v.Header.PrevHeight = &previous
	}
	return v
}

func (d *Dialect) chunk(b *block) chunkView {
	return chunkView{
		BalanceBurnt: "0",
		ChunkHash:    d.root("chunk", b.height),
		CongestionInfo: json.RawMessage(
			`{"allowed_shard":0,"buffered_receipts_gas":"0","delayed_receipts_gas":"0","receipt_bytes":0}`),
		EncodedLength:        8,
		EncodedMerkleRoot:    d.root("encoded", b.height),
		GasLimit:             gasLimit,
		HeightCreated:        b.height,
		HeightIncluded:       b.height,
		OutcomeRoot:          zeroHash,
		OutgoingReceiptsRoot: d.root("receipts", b.height),
		PrevBlockHash:        d.chain.below(b.height, 1),
		PrevStateRoot:        d.root("state", b.height-1),
		RentPaid:             "0",
		Signature:            d.sign("chunk", b.height),
		TxRoot:               zeroHash,
		ValidatorProposals:   []struct{}{},
		ValidatorReward:      "0",
	}
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

func (d *Dialect) root(of string, number uint64) string {
	text := binary.BigEndian.AppendUint64([]byte(of+" "), d.config.Volley.Seed)
	sum := sha256.Sum256(binary.BigEndian.AppendUint64(text, number))
	return string(appendBase58(nil, sum[:]))
}

// sign is the validator's signature under what it made of a block.
func (d *Dialect) sign(what string, height uint64) string {
	hash := d.chain.hash(height)
	signed := ed25519.Sign(d.ledger.private(validatorIndex), append([]byte(what+" "), hash[:]...))
	return string(appendBase58([]byte("ed25519:"), signed))
}
