package near

import (
	"cmp"
	"time"

	"volley/internal/jsonrpc"
)

type statusView struct {
	ChainID               string         `json:"chain_id"`
	GenesisHash           string         `json:"genesis_hash"`
	LatestProtocolVersion int            `json:"latest_protocol_version"`
	NodeKey               *string        `json:"node_key"`
	NodePublicKey         string         `json:"node_public_key"`
	ProtocolVersion       int            `json:"protocol_version"`
	RPCAddr               string         `json:"rpc_addr"`
	SyncInfo              syncView       `json:"sync_info"`
	UptimeSec             int64          `json:"uptime_sec"`
	ValidatorAccountID    string         `json:"validator_account_id"`
	ValidatorPublicKey    string         `json:"validator_public_key"`
	Validators            []validatorRef `json:"validators"`
	Version               versionView    `json:"version"`
}

type syncView struct {
	EarliestBlockHash   string    `json:"earliest_block_hash"`
	EarliestBlockHeight uint64    `json:"earliest_block_height"`
	EarliestBlockTime   time.Time `json:"earliest_block_time"`
	EpochID             string    `json:"epoch_id"`
	EpochStartHeight    uint64    `json:"epoch_start_height"`
	LatestBlockHash     string    `json:"latest_block_hash"`
	LatestBlockHeight   uint64    `json:"latest_block_height"`
	LatestBlockTime     time.Time `json:"latest_block_time"`
	LatestStateRoot     string    `json:"latest_state_root"`
	Syncing             bool      `json:"syncing"`
}

type validatorRef struct {
	AccountID string `json:"account_id"`
}

type versionView struct {
	Build        string `json:"build"`
	Commit       string `json:"commit"`
	RustcVersion string `json:"rustc_version"`
	Version      string `json:"version"`
}

// health is null where all is well.
func (d *Dialect) health(dst []byte) ([]byte, *jsonrpc.Error) {
	if d.chain.syncing {
		return dst, handlerFailure("NODE_IS_SYNCING", nil, "Node is syncing")
	}
	return append(dst, "null"...), nil
}

func (d *Dialect) status(dst []byte) ([]byte, *jsonrpc.Error) {
	head := d.chain.at(d.chain.head())
	tail := d.chain.at(d.chain.tail(head.height))
	epoch := d.chain.epoch(head.height)
	key := d.ledger.key(validatorIndex)
	return appendJSON(dst, statusView{
		ChainID:               d.config.Volley.ChainID,
		GenesisHash:           d.chain.at(genesisHeight).hash,
		LatestProtocolVersion: protocolVersion,
		NodePublicKey:         key,
		ProtocolVersion:       protocolVersion,
		RPCAddr:               d.config.RPC.Addr,
		SyncInfo: syncView{
			EarliestBlockHash:   tail.hash,
			EarliestBlockHeight: tail.height,
			EarliestBlockTime:   d.chain.time(tail.height).UTC(),
			EpochID:             d.chain.epochID(epoch),
			EpochStartHeight:    d.chain.epochStart(epoch),
			LatestBlockHash:     head.hash,
			LatestBlockHeight:   head.height,
			LatestBlockTime:     d.chain.time(head.height).UTC(),
			LatestStateRoot:     d.root("state", head.height*maxShards),
			Syncing:             d.chain.syncing,
		},
		UptimeSec:          int64(d.chain.age() / time.Second),
		ValidatorAccountID: validatorAccount,
		ValidatorPublicKey: key,
		Validators:         []validatorRef{{AccountID: validatorAccount}},
		Version:            versionView{Version: "volley", Build: cmp.Or(d.config.Version, "devel"), Commit: "none", RustcVersion: "none"},
	}), nil
}

type networkView struct {
	ActivePeers         []struct{}     `json:"active_peers"`
	KnownProducers      []producerView `json:"known_producers"`
	NumActivePeers      int            `json:"num_active_peers"`
	PeerMaxCount        int            `json:"peer_max_count"`
	ReceivedBytesPerSec uint64         `json:"received_bytes_per_sec"`
	SentBytesPerSec     uint64         `json:"sent_bytes_per_sec"`
}

type producerView struct {
	AccountID string  `json:"account_id"`
	Addr      *string `json:"addr"`
	PeerID    string  `json:"peer_id"`
}

// networkInfo tells of a network of this node alone.
func (d *Dialect) networkInfo(dst []byte) ([]byte, *jsonrpc.Error) {
	return appendJSON(dst, networkView{
		ActivePeers:    []struct{}{},
		KnownProducers: []producerView{{AccountID: validatorAccount, PeerID: d.ledger.key(validatorIndex)}},
		PeerMaxCount:   40,
	}), nil
}
