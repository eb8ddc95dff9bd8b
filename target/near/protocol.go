package near

import (
	"time"

	"volley/internal/jsonrpc"
)

// parseProtocolConfig decodes the params of EXPERIMENTAL_protocol_config: a
// block reference by name.
func (r *request) parseProtocolConfig(params []byte, kind jsonrpc.Kind) *jsonrpc.Error {
	r.op = opProtocolConfig
	if kind != jsonrpc.Object {
		return wrongParams(params, "struct RpcProtocolConfigRequest")
	}
	ref, err := parseReference(params)
	if err != nil {
		return argsFailure(err.Error())
	}
	r.ref = ref
	return nil
}

func (d *Dialect) protocolConfig(r *request, dst []byte) ([]byte, *jsonrpc.Error) {
	if _, err := d.header(&r.ref); err != nil {
		return dst, err
	}
	return appendJSON(dst, protocolView{chainView: d.chainConfig(), RuntimeConfig: runtimeConfig(), ShardLayout: d.shardLayout()}), nil
}

// chainView is what the protocol's config and genesis's have in common. The
// numbers are those that this node goes by, and mainnet's where it goes by
// none.
type chainView struct {
	BlockProducerKickoutThreshold int       `json:"block_producer_kickout_threshold"`
	ChainID                       string    `json:"chain_id"`
	ChunkProducerKickoutThreshold int       `json:"chunk_producer_kickout_threshold"`
	DynamicResharding             bool      `json:"dynamic_resharding"`
	EpochLength                   uint64    `json:"epoch_length"`
	GasLimit                      uint64    `json:"gas_limit"`
	GenesisHeight                 uint64    `json:"genesis_height"`
	GenesisTime                   time.Time `json:"genesis_time"`
	MaxGasPrice                   string    `json:"max_gas_price"`
	MinGasPrice                   string    `json:"min_gas_price"`
	NumBlockProducerSeats         int       `json:"num_block_producer_seats"`
	NumBlocksPerYear              uint64    `json:"num_blocks_per_year"`
	ProtocolVersion               int       `json:"protocol_version"`
	TransactionValidityPeriod     uint64    `json:"transaction_validity_period"`
}

// transactionValidity is how many blocks after the one that it names a
// transaction may be included.
const transactionValidity = 86_400

func (d *Dialect) chainConfig() chainView {
	return chainView{
		BlockProducerKickoutThreshold: 80,
		ChainID:                       d.config.Volley.ChainID,
		ChunkProducerKickoutThreshold: 80,
		EpochLength:                   d.chain.epochLength,
		GasLimit:                      gasLimit,
		GenesisHeight:                 genesisHeight,
		GenesisTime:                   d.chain.time(genesisHeight).UTC(),
		MaxGasPrice:                   "10000000000000000000000",
		MinGasPrice:                   gasPrice,
		NumBlockProducerSeats:         100,
		NumBlocksPerYear:              31_536_000,
		ProtocolVersion:               protocolVersion,
		TransactionValidityPeriod:     transactionValidity,
	}
}

type protocolView struct {
	chainView
	RuntimeConfig runtimeView     `json:"runtime_config"`
	ShardLayout   shardLayoutView `json:"shard_layout"`
}

type shardLayoutView struct {
	ShardIDs []uint64 `json:"shard_ids"`
	Version  int      `json:"version"`
}

func (d *Dialect) shardLayout() shardLayoutView {
	ids := make([]uint64, d.shards.count)
	for i := range ids {
		ids[i] = uint64(i)
	}
	return shardLayoutView{ShardIDs: ids, Version: protocolVersion}
}

// runtimeView is the part of the runtime's config that this node goes by. The
// prices of actions are not in it.
type runtimeView struct {
	AccountCreationConfig struct {
		MinAllowedTopLevelAccountLength int    `json:"min_allowed_top_level_account_length"`
		RegistrarAccountID              string `json:"registrar_account_id"`
	} `json:"account_creation_config"`
	StorageAmountPerByte string `json:"storage_amount_per_byte"`
	TransactionCosts     struct {
		StorageUsageConfig struct {
			NumBytesAccount     int `json:"num_bytes_account"`
			NumExtraBytesRecord int `json:"num_extra_bytes_record"`
		} `json:"storage_usage_config"`
	} `json:"transaction_costs"`
	WasmConfig struct {
		LimitConfig struct {
			MaxTotalPrepaidGas uint64 `json:"max_total_prepaid_gas"`
			MaxTransactionSize int    `json:"max_transaction_size"`
		} `json:"limit_config"`
	} `json:"wasm_config"`
}

func runtimeConfig() (v runtimeView) {
	v.AccountCreationConfig.MinAllowedTopLevelAccountLength = maxAccountID + 1
	v.AccountCreationConfig.RegistrarAccountID = "registrar"
	v.StorageAmountPerByte = "10000000000000000000"
	v.TransactionCosts.StorageUsageConfig.NumBytesAccount = accountBytes
	v.TransactionCosts.StorageUsageConfig.NumExtraBytesRecord = recordBytes
	v.WasmConfig.LimitConfig.MaxTotalPrepaidGas = 300_000_000_000_000
	v.WasmConfig.LimitConfig.MaxTransactionSize = maxTransaction
	return v
}

type genesisView struct {
	chainView
	TotalSupply string             `json:"total_supply"`
	Validators  []genesisValidator `json:"validators"`
}

type genesisValidator struct {
	AccountID string `json:"account_id"`
	Amount    string `json:"amount"`
	PublicKey string `json:"public_key"`
}

func (d *Dialect) genesisView() genesisView {
	validator := d.ledger.at(validatorIndex)
	return genesisView{
		chainView:   d.chainConfig(),
		TotalSupply: string(totalSupply(0).appendTo(nil)),
		Validators: []genesisValidator{{
			AccountID: validatorAccount,
			Amount:    string(validator.locked(0).appendTo(nil)),
			PublicKey: d.ledger.key(validatorIndex),
		}},
	}
}

// clientView is the part of nearcore's client config that this node models.
type clientView struct {
	ChainID                  string   `json:"chain_id"`
	EpochLength              uint64   `json:"epoch_length"`
	GCNumEpochsToKeep        uint64   `json:"gc_num_epochs_to_keep"`
	MaxGasBurntView          *uint64  `json:"max_gas_burnt_view"`
	RPCAddr                  string   `json:"rpc_addr"`
	TrackedShards            []uint64 `json:"tracked_shards"`
	TrieViewerStateSizeLimit *uint64  `json:"trie_viewer_state_size_limit"`
	ViewClientThreads        int      `json:"view_client_threads"`
}

func (d *Dialect) clientView() clientView {
	return clientView{
		ChainID:                  d.config.Volley.ChainID,
		EpochLength:              d.chain.epochLength,
		GCNumEpochsToKeep:        d.config.GCNumEpochsToKeep,
		MaxGasBurntView:          d.config.MaxGasBurntView,
		RPCAddr:                  d.config.RPC.Addr,
		TrackedShards:            d.config.Volley.TrackedShards,
		TrieViewerStateSizeLimit: d.config.TrieViewerStateSizeLimit,
		ViewClientThreads:        d.config.ViewClientThreads,
	}
}
