package near

import (
	"fmt"
	"reflect"
	"strings"
	"time"

	"volley/target"
)

// Config is the node's config file. Its names are nearcore's own; a real
// config.json loads, and what it says beyond these settings is passed over.
type Config struct {
	RPC RPC `json:"rpc"`
	// ViewClientThreads is how many execution slots queries and block requests
	// share, be they singletons or entries of any batch; first come, first
	// served.
	ViewClientThreads int `json:"view_client_threads"`
	// TrieViewerStateSizeLimit is accepted, in bytes; no account of this ledger
	// has any state to view.
	TrieViewerStateSizeLimit uint64 `json:"trie_viewer_state_size_limit"`
	// GCNumEpochsToKeep is how many epochs, the head's among them, keep their
	// state. As in nearcore fewer than 3 count as 3.
	GCNumEpochsToKeep uint64 `json:"gc_num_epochs_to_keep"`
	Volley            Volley `json:"volley"`

	// Ignored names what the file sets and this node does not model.
	Ignored []string `json:"-"`
	// Clock tells the time that the chain grows by; nil is time.Now.
	Clock func() time.Time `json:"-"`
}

// RPC is the section of the JSON-RPC server.
type RPC struct {
	// Addr is what status tells; where the node listens is said elsewhere.
	Addr                string `json:"addr"`
	EnableBatchRequests bool   `json:"enable_batch_requests"`
	Limits              Limits `json:"limits_config"`
}

// Limits are the limits of a request. All must be positive.
type Limits struct {
	JSONPayloadMaxSize     int64 `json:"json_payload_max_size"`     // bytes of an HTTP body
	BatchSizeLimit         int   `json:"batch_size_limit"`          // entries of a batch
	BatchConcurrencyLimit  int   `json:"batch_concurrency_limit"`   // of one batch's entries, outstanding at once
	BatchResponseSizeLimit int   `json:"batch_response_size_limit"` // bytes of a batch's answer
}

// Volley is what nearcore has no word for. Keys that are not here are refused.
type Volley struct {
	Service  Services `json:"service"`
	Accounts int      `json:"accounts"` // users of the ledger: user0.near and on
	Seed     uint64   `json:"seed"`     // of the ledger, the chain and the service times
	// BlockTime is how long a block takes, over zero and at most an hour.
	BlockTime   Duration `json:"block_time"`
	EpochLength uint64   `json:"epoch_length"` // in blocks
	ChainID     string   `json:"chain_id"`
}

// Services are service times: how long a call holds its execution slot. A
// request type without one of its own takes Query's, then Default's; nil
// everywhere takes no time.
type Services struct {
	Default           *target.Service `json:"default"`
	Block             *target.Service `json:"block"`
	Query             *target.Service `json:"query"`
	ViewAccount       *target.Service `json:"view_account"`
	ViewCode          *target.Service `json:"view_code"`
	ViewState         *target.Service `json:"view_state"`
	ViewAccessKey     *target.Service `json:"view_access_key"`
	ViewAccessKeyList *target.Service `json:"view_access_key_list"`
	CallFunction      *target.Service `json:"call_function"`
}

// of is the service time of an operation.
func (s *Services) of(op operation) target.Service {
	own, common := (*target.Service)(nil), s.Query
	switch op {
	case opViewAccount:
		own = s.ViewAccount
	case opViewCode:
		own = s.ViewCode
	case opViewState, opViewStateWithProof:
		own = s.ViewState
	case opViewAccessKey:
		own = s.ViewAccessKey
	case opViewAccessKeyList:
		own = s.ViewAccessKeyList
	case opCallFunction:
		own = s.CallFunction
	case opBlock:
		own, common = s.Block, nil
	default:
		return target.Service{}
	}
	for _, service := range []*target.Service{own, common, s.Default} {
		if service != nil {
			return *service
		}
	}
	return target.Service{}
}

// Duration is a time.Duration that is written as text, such as "600ms".
type Duration time.Duration

// UnmarshalText reads what time.ParseDuration reads.
func (d *Duration) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(string(text))
	if err != nil {
		return fmt.Errorf("%q is no duration: want one such as \"600ms\"", text)
	}
	*d = Duration(v)
	return nil
}

const (
	maxAccounts  = 10_000_000
	maxBlockTime = time.Hour
	minGCEpochs  = 3
)

// DefaultConfig is the node without a config file: nearcore's defaults, ten
// thousand users, a block a second, mainnet's epoch length, no service times.
func DefaultConfig() Config {
	return Config{
		RPC: RPC{
			Addr:                "0.0.0.0:3030",
			EnableBatchRequests: true,
			Limits: Limits{
				JSONPayloadMaxSize:     10 << 20,
				BatchSizeLimit:         100,
				BatchConcurrencyLimit:  16,
				BatchResponseSizeLimit: 10 << 20,
			},
		},
		ViewClientThreads:        4,
		TrieViewerStateSizeLimit: 50_000,
		GCNumEpochsToKeep:        5,
		Volley: Volley{
			Accounts:    10_000,
			BlockTime:   Duration(time.Second),
			EpochLength: 43_200,
			ChainID:     "volley",
		},
	}
}

// ParseConfig reads a config file over the defaults. Comments are allowed as
// in nearcore. Every error is a *target.ConfigError that says where.
func ParseConfig(f target.ConfigFile) (Config, error) {
	f.Data = blankComments(f.Data)
	c := DefaultConfig()
	if err := f.Decode(&c, false); err != nil {
		return Config{}, err
	}
	if err := f.DecodeAt([]string{"volley"}, &c.Volley, true); err != nil {
		return Config{}, err
	}
	if err := c.check(f); err != nil {
		return Config{}, err
	}
	c.Ignored = ignored(f.Data, reflect.TypeFor[Config](), "")
	return c, nil
}

func (c *Config) check(f target.ConfigFile) error {
	for _, s := range []struct {
		path  string
		value int64
	}{
		{"rpc.limits_config.json_payload_max_size", c.RPC.Limits.JSONPayloadMaxSize},
		{"rpc.limits_config.batch_size_limit", int64(c.RPC.Limits.BatchSizeLimit)},
		{"rpc.limits_config.batch_concurrency_limit", int64(c.RPC.Limits.BatchConcurrencyLimit)},
		{"rpc.limits_config.batch_response_size_limit", int64(c.RPC.Limits.BatchResponseSizeLimit)},
		{"view_client_threads", int64(c.ViewClientThreads)},
		{"volley.block_time", int64(c.Volley.BlockTime)},
	} {
		if s.value <= 0 {
			return errorAt(f, s.path, "must be positive")
		}
	}
	switch {
	case c.GCNumEpochsToKeep == 0:
		return errorAt(f, "gc_num_epochs_to_keep", "must be positive")
	case c.Volley.EpochLength == 0:
		return errorAt(f, "volley.epoch_length", "must be positive")
	case c.Volley.Accounts < 0 || c.Volley.Accounts > maxAccounts:
		return errorAt(f, "volley.accounts", "must be from 0 to %d", maxAccounts)
	case time.Duration(c.Volley.BlockTime) > maxBlockTime:
		return errorAt(f, "volley.block_time", "must be at most %s", maxBlockTime)
	}
	return nil
}

func errorAt(f target.ConfigFile, path, format string, a ...any) error {
	return f.Errorf(strings.Split(path, "."), "%s "+format, append([]any{path}, a...)...)
}

// ignored names the members of a valid JSON object, and of objects in it, that
// have no place in a struct type.
func ignored(object []byte, t reflect.Type, path string) (names []string) {
	for name, value := range members(object) {
		field, known := fieldNamed(t, string(name))
		switch {
		case !known:
			names = append(names, path+string(name))
		case field.Type.Kind() == reflect.Struct:
			names = append(names, ignored(value, field.Type, path+string(name)+".")...)
		}
	}
	return names
}

func fieldNamed(t reflect.Type, name string) (reflect.StructField, bool) {
	for i := range t.NumField() {
		if f := t.Field(i); f.Tag.Get("json") == name && name != "-" {
			return f, true
		}
	}
	return reflect.StructField{}, false
}
