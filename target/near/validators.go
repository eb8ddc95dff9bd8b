package near

import "volley/internal/jsonrpc"

// parseValidators decodes validators' params: the last block of an epoch, an
// epoch's id or the epoch under way; that is "latest" by name, and null in the
// old form of an array of one block id.
func (r *request) parseValidators(params []byte, kind jsonrpc.Kind) *jsonrpc.Error {
	r.op = opValidators
	var blockID, epochID []byte
	latest := false
	switch kind {
	case jsonrpc.Object:
		for name, value := range jsonrpc.Members(params) {
			switch string(name) {
			case "block_id":
				blockID = value
			case "epoch_id":
				epochID = value
			case "latest":
				latest = true
			}
		}
	case jsonrpc.Array:
		var one bool
		if blockID, one = only(params); !one {
			return wrongParams(params, "struct RpcValidatorRequest")
		}
		latest = string(blockID) == "null"
	default:
		return wrongParams(params, "struct RpcValidatorRequest")
	}
	var err error
	switch {
	case latest:
		r.ref.kind = optimistic
	case blockID != nil:
		r.ref, err = parseBlockID(blockID)
	case epochID != nil:
		r.byEpoch = true
		r.epoch, err = hashField("epoch_id", epochID)
	default:
		return argsFailure("no variant of enum EpochReference found in flattened data")
	}
	if err != nil {
		return argsFailure(err.Error())
	}
	return nil
}

// validators tells an epoch's validators: at all times the one. Of an epoch
// that is over it tells how it ended, of the one under way how it stands. As in
// nearcore a block is no name for an epoch unless it is its last.
func (d *Dialect) validators(r *request, dst []byte) ([]byte, *jsonrpc.Error) {
	head := d.chain.head()
	height := head
	switch {
	case r.byEpoch:
		epoch, ok := d.chain.epochNamed(r.epoch)
		if !ok || d.chain.epochStart(epoch) > head {
			return dst, unknownEpoch()
		}
		height = min(head, d.chain.epochStart(epoch+1)-1)
	case r.ref.kind != optimistic:
		b, stands := d.chain.resolve(&r.ref, head)
		if stands != present {
			return dst, unknownEpoch()
		}
		if height = b.height; height == head || d.chain.epoch(height) == d.chain.epoch(height+1) {
			return dst, handlerFailure("VALIDATOR_INFO_UNAVAILABLE", nil, "Validator info unavailable")
		}
	}
	return appendJSON(dst, d.epochView(height)), nil
}

func unknownEpoch() *jsonrpc.Error {
	return handlerFailure("UNKNOWN_EPOCH", nil, "Unknown Epoch")
}

// epochNamed is the epoch of an id. The first two have none of their own.
func (c *chain) epochNamed(id [hashSize]byte) (uint64, bool) {
	b, ok := c.named(id)
	if !ok || c.epochStart(c.epoch(b.height)+1) != b.height+1 {
		return 0, false
	}
	return c.epoch(b.height) + 2, true
}

type epochView struct {
	CurrentFishermen  []struct{}      `json:"current_fishermen"`
	CurrentProposals  []struct{}      `json:"current_proposals"`
	CurrentValidators []validatorView `json:"current_validators"`
	EpochHeight       uint64          `json:"epoch_height"`
	EpochStartHeight  uint64          `json:"epoch_start_height"`
	NextFishermen     []struct{}      `json:"next_fishermen"`
	NextValidators    []nextValidator `json:"next_validators"`
	PrevEpochKickout  []struct{}      `json:"prev_epoch_kickout"`
}

type validatorView struct {
	AccountID                       string   `json:"account_id"`
	IsSlashed                       bool     `json:"is_slashed"`
	NumExpectedBlocks               uint64   `json:"num_expected_blocks"`
	NumExpectedChunks               uint64   `json:"num_expected_chunks"`
	NumExpectedChunksPerShard       []uint64 `json:"num_expected_chunks_per_shard"`
	NumExpectedEndorsements         uint64   `json:"num_expected_endorsements"`
	NumExpectedEndorsementsPerShard []uint64 `json:"num_expected_endorsements_per_shard"`
	NumProducedBlocks               uint64   `json:"num_produced_blocks"`
	NumProducedChunks               uint64   `json:"num_produced_chunks"`
	NumProducedChunksPerShard       []uint64 `json:"num_produced_chunks_per_shard"`
	NumProducedEndorsements         uint64   `json:"num_produced_endorsements"`
	NumProducedEndorsementsPerShard []uint64 `json:"num_produced_endorsements_per_shard"`
	PublicKey                       string   `json:"public_key"`
	Shards                          []uint64 `json:"shards"`
	ShardsEndorsed                  []uint64 `json:"shards_endorsed"`
	Stake                           string   `json:"stake"`
}

type nextValidator struct {
	AccountID string   `json:"account_id"`
	PublicKey string   `json:"public_key"`
	Shards    []uint64 `json:"shards"`
	Stake     string   `json:"stake"`
}

// epochView is the epoch of a height as it stands at that height. Its validator
// makes every block and every chunk.
func (d *Dialect) epochView(height uint64) epochView {
	epoch := d.chain.epoch(height)
	validator, key := d.ledger.at(validatorIndex), d.ledger.key(validatorIndex)
	blocks := height - d.chain.epochStart(epoch) + 1
	shards, perShard := make([]uint64, d.shards.count), make([]uint64, d.shards.count)
	for i := range shards {
		shards[i], perShard[i] = uint64(i), blocks
	}
	chunks := blocks * d.shards.count
	return epochView{
		CurrentFishermen: []struct{}{},
		CurrentProposals: []struct{}{},
		CurrentValidators: []validatorView{{
			AccountID:         validatorAccount,
			NumExpectedBlocks: blocks, NumProducedBlocks: blocks,
			NumExpectedChunks: chunks, NumProducedChunks: chunks,
			NumExpectedChunksPerShard: perShard, NumProducedChunksPerShard: perShard,
			NumExpectedEndorsements: chunks, NumProducedEndorsements: chunks,
			NumExpectedEndorsementsPerShard: perShard, NumProducedEndorsementsPerShard: perShard,
			PublicKey: key, Shards: shards, ShardsEndorsed: shards,
			Stake: string(validator.locked(epoch).appendTo(nil)),
		}},
		EpochHeight:      epoch,
		EpochStartHeight: d.chain.epochStart(epoch),
		NextFishermen:    []struct{}{},
		NextValidators: []nextValidator{{
			AccountID: validatorAccount, PublicKey: key, Shards: shards, Stake: string(validator.locked(epoch + 1).appendTo(nil)),
		}},
		PrevEpochKickout: []struct{}{},
	}
}
