package near

import (
	"encoding/json"
	"fmt"

	"volley/internal/jsonrpc"
)

// parseChunk decodes chunk's params: a chunk's hash, or a block and a shard; by
// name, or in the old forms [hash] and [[block id, shard]]. Where there is all
// of them by name, block and shard have the word.
func (r *request) parseChunk(params []byte, kind jsonrpc.Kind) *jsonrpc.Error {
	r.op = opChunk
	var blockID, shardID, chunkID []byte
	switch kind {
	case jsonrpc.Object:
		for name, value := range jsonrpc.Members(params) {
			switch string(name) {
			case "block_id":
				blockID = value
			case "shard_id":
				shardID = value
			case "chunk_id":
				chunkID = value
			}
		}
	case jsonrpc.Array:
		blockID, shardID, chunkID = chunkPosition(params)
	default:
		return wrongParams(params, "struct RpcChunkRequest")
	}
	if blockID != nil {
		ref, err := parseBlockID(blockID)
		if shard, ok := unsigned(shardID); ok && err == nil {
			r.ref, r.shard = ref, shard
			return nil
		}
	}
	if text, ok := textOf(chunkID); ok {
		if hash, ok := parseHash(text); ok {
			r.chunk, r.byChunk = hash, true
			return nil
		}
	}
	return argsFailure("data did not match any variant of untagged enum ChunkReference")
}

// chunkPosition takes the old form apart; nil is what it has not got.
func chunkPosition(params []byte) (blockID, shardID, chunkID []byte) {
	part, one := only(params)
	if !one {
		return nil, nil, nil
	}
	var room [2][]byte
	pair, isPair, err := jsonrpc.Split(part, room[:0])
	switch {
	case err != nil:
		return nil, nil, nil
	case !isPair:
		return nil, nil, part
	case len(pair) != 2:
		return nil, nil, nil
	}
	return pair[0], pair[1], nil
}

func (d *Dialect) chunk(r *request, dst []byte) ([]byte, *jsonrpc.Error) {
	var height, shard uint64
	if r.byChunk {
		var ok bool
		if height, shard, ok = d.chain.chunkNamed(r.chunk, d.chain.head()); !ok || shard >= d.shards.count {
			return dst, unknownChunk(r.chunk)
		}
	} else {
		b, err := d.header(&r.ref)
		if err != nil {
			return dst, err
		}
		height, shard = b.height, r.shard
	}
	if shard >= d.shards.count {
		return dst, handlerFailure("INVALID_SHARD_ID", fmt.Appendf(nil, `{"shard_id":%d}`, shard),
			fmt.Sprintf("Shard id %d does not exist", shard))
	}
	if !d.shards.tracks(shard) || height < d.chain.tail(d.chain.head()) {
		return dst, unknownChunk(d.chain.chunkHash(height, shard))
	}
	return appendJSON(dst, chunkView{
		Author:       validatorAccount,
		Header:       d.chunkHeader(height, shard),
		Receipts:     []struct{}{},
		Transactions: []struct{}{},
	}), nil
}

func unknownChunk(hash [hashSize]byte) *jsonrpc.Error {
	text := string(appendBase58(nil, hash[:]))
	return handlerFailure("UNKNOWN_CHUNK", []byte(`{"chunk_hash":"`+text+`"}`),
		"Chunk Missing (unavailable on the node): ChunkHash(`"+text+"`) \n Cause: Unknown")
}

type chunkView struct {
	Author       string      `json:"author"`
	Header       chunkHeader `json:"header"`
	Receipts     []struct{}  `json:"receipts"`
	Transactions []struct{}  `json:"transactions"`
}

type chunkHeader struct {
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
	ShardID              uint64          `json:"shard_id"`
	Signature            string          `json:"signature"`
	TxRoot               string          `json:"tx_root"`
	ValidatorProposals   []struct{}      `json:"validator_proposals"`
	ValidatorReward      string          `json:"validator_reward"`
}

// chunkHeader is a shard's chunk in the block at a height: an empty one, as
// there are no transactions.
func (d *Dialect) chunkHeader(height, shard uint64) chunkHeader {
	hash := d.chain.chunkHash(height, shard)
	number := height*maxShards + shard
	return chunkHeader{
		BalanceBurnt: "0",
		ChunkHash:    string(appendBase58(nil, hash[:])),
		CongestionInfo: json.RawMessage(
			`{"allowed_shard":0,"buffered_receipts_gas":"0","delayed_receipts_gas":"0","receipt_bytes":0}`),
		EncodedLength:        8,
		EncodedMerkleRoot:    d.root("encoded", number),
		GasLimit:             gasLimit,
		HeightCreated:        height,
		HeightIncluded:       height,
		OutcomeRoot:          zeroHash,
		OutgoingReceiptsRoot: d.root("receipts", number),
		PrevBlockHash:        d.chain.below(height, 1),
		PrevStateRoot:        d.root("state", number-maxShards),
		RentPaid:             "0",
		ShardID:              shard,
		Signature:            d.sign("chunk", hash),
		TxRoot:               zeroHash,
		ValidatorProposals:   []struct{}{},
		ValidatorReward:      "0",
	}
}
