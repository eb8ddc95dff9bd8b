package near

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"

	"volley/internal/jsonrpc"
	"volley/target"
)

// Config is the node's config file. Its names are nearcore's own; a real
// config.json loads, and what it says beyond these settings is passed over.
type Config struct {
	RPC RPC `json:"rpc" doc:"the JSON-RPC server"`
	// ViewClientThreads is how many execution slots queries and block requests
	// share, be they singletons or entries of any batch; first come, first
	// served.
	ViewClientThreads int `json:"view_client_threads" doc:"execution slots of queries and block requests, of the whole node"`
	// TrieViewerStateSizeLimit bounds the state, in bytes of storage beside the
	// code, of an account that view_state shows; nil (null in the file): nothing
	// bounds it.
	TrieViewerStateSizeLimit *uint64 `json:"trie_viewer_state_size_limit" doc:"bytes of an account's state that view_state shows; null: no limit"`
	// MaxGasBurntView bounds the gas of one call_function; nil: the protocol's
	// 300 Tgas.
	MaxGasBurntView *uint64 `json:"max_gas_burnt_view" doc:"gas of one call_function; null: the protocol's 300 Tgas"`
	// GCNumEpochsToKeep is how many epochs, the head's among them, keep their
	// state. As in nearcore fewer than 3 count as 3.
	GCNumEpochsToKeep uint64 `json:"gc_num_epochs_to_keep" doc:"epochs that keep their state, the head's among them; at least 3"`
	Volley            Volley `json:"volley" doc:"what nearcore has no word for"`

	// Version is what status tells as the build's; "" is "devel". No release of
	// nearcore is claimed.
	Version string `json:"-"`
	// Ignored names what the file sets and this node does not model.
	Ignored []string `json:"-"`
	// Clock tells the time that the chain grows by; nil is time.Now.
	Clock func() time.Time `json:"-"`
}

// RPC is the section of the JSON-RPC server.
type RPC struct {
	// Addr is what status tells; where the node listens is said elsewhere.
	Addr                string  `json:"addr" doc:"the address that status tells; over HTTP the one that the node listens on"`
	EnableBatchRequests bool    `json:"enable_batch_requests" doc:"false: every batch is answered with -32005"`
	Limits              Limits  `json:"limits_config" doc:"limits of a request"`
	Polling             Polling `json:"polling_config" doc:"of transactions"`
}

// Polling is how long send_tx and broadcast_tx_commit wait for a transaction
// before they answer TIMEOUT_ERROR. Here no transaction is ever executed, so
// they wait all of it.
type Polling struct {
	Timeout Seconds `json:"polling_timeout" doc:"how long send_tx and broadcast_tx_commit wait before TIMEOUT_ERROR"`
}

// Seconds is a span as nearcore's config has it.
type Seconds struct {
	Secs  uint64 `json:"secs" doc:"whole seconds"`
	Nanos uint32 `json:"nanos" doc:"and nanoseconds"`
}

// Duration is the span; at most [maxPolling] of it.
func (s Seconds) Duration() time.Duration {
	if s.Secs > uint64(maxPolling/time.Second) {
		return maxPolling
	}
	return time.Duration(s.Secs)*time.Second + time.Duration(s.Nanos)
}

// Limits are the limits of a request. All must be positive.
type Limits struct {
	JSONPayloadMaxSize     int64 `json:"json_payload_max_size" doc:"bytes of an HTTP body and of a line"`
	BatchSizeLimit         int   `json:"batch_size_limit" doc:"entries of a batch"`
	BatchConcurrencyLimit  int   `json:"batch_concurrency_limit" doc:"of one batch's entries, outstanding at once"`
	BatchResponseSizeLimit int   `json:"batch_response_size_limit" doc:"bytes of a batch's answer"`
}

// Volley is what nearcore has no word for. Keys that are not here are refused.
type Volley struct {
	Service       Services          `json:"service" doc:"service times by request type, each a law: \"2ms\", {\"exponential\": \"2ms\"}, {\"lognormal\": {\"median\": \"2ms\", \"p99\": \"15ms\"}}, {\"measured\": {\"file\": \"times.txt\"}}; beside it \"cpu\": \"30%\" for a share that is worked"`
	Cost          target.Costs      `json:"cost" doc:"times beside the service times, each a law as of service"`
	Contention    target.Contention `json:"contention" doc:"by what all of these grow with the busy slots (Universal Scalability Law)"`
	Accounts      int               `json:"accounts" doc:"users of the ledger, user0.near and on; at most 10 million"`
	Seed          uint64            `json:"seed" doc:"of the ledger, the chain, the service times and the costs"`
	BlockTime     Duration          `json:"block_time" doc:"how long a block takes; over zero and at most an hour"`
	EpochLength   uint64            `json:"epoch_length" doc:"in blocks"`
	ChainID       string            `json:"chain_id" doc:"what status and the configs tell"`
	Shards        uint64            `json:"shards" doc:"of the chain, at most 64; each has a chunk in every block"`
	TrackedShards []uint64          `json:"tracked_shards" doc:"shards that the node can tell of, null for all; else UNAVAILABLE_SHARD or UNKNOWN_CHUNK"`
	Syncing       bool              `json:"syncing" doc:"true: genesis and nothing more; NO_SYNCED_BLOCKS, NOT_SYNCED_YET, NODE_IS_SYNCING"`

	Admission *target.AdmissionConfig `json:"admission" doc:"a ceiling as a gateway in front sets one; null: none"`
	Misbehave *target.MisbehaveConfig `json:"misbehave" doc:"faults on purpose; null: none"`
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

// MarshalText writes what UnmarshalText reads.
func (d Duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

const (
	maxAccounts  = 10_000_000
	maxBlockTime = time.Hour
	maxShards    = 64
	maxPolling   = time.Hour
	maxViewGas   = 1 << 62
	minGCEpochs  = 3
)

// DefaultConfig is the node without a config file: nearcore's defaults, ten
// thousand users, a block a second, mainnet's epoch length, no service times.
func DefaultConfig() Config {
	stateLimit := uint64(50_000)
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
			Polling: Polling{Timeout: Seconds{Secs: 10}},
		},
		ViewClientThreads:        4,
		TrieViewerStateSizeLimit: &stateLimit,
		GCNumEpochsToKeep:        5,
		Volley: Volley{
			Accounts:    10_000,
			BlockTime:   Duration(time.Second),
			EpochLength: 43_200,
			ChainID:     "volley",
			Shards:      1,
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
	for _, path := range c.Ignored {
		if err := misspelt(f, path); err != nil {
			return Config{}, err
		}
	}
	return c, nil
}

// misspelt refuses a setting that is passed over, and was surely meant to be one
// that this node goes by: a rehearsal must not run without it in silence.
func misspelt(f target.ConfigFile, path string) error {
	at := strings.Split(path, ".")
	t := reflect.TypeFor[Config]()
	for _, name := range at[:len(at)-1] {
		field, _ := fieldNamed(t, name)
		t = field.Type
	}
	var known []string
	for i := range t.NumField() {
		known = append(known, t.Field(i).Tag.Get("json"))
	}
	if meant, ok := target.Misspelt(at[len(at)-1], known); ok {
		return f.Errorf(at, "no setting is called %s; did you mean %s?", path, meant)
	}
	return nil
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
	case c.Volley.Shards == 0 || c.Volley.Shards > maxShards:
		return errorAt(f, "volley.shards", "must be from 1 to %d", maxShards)
	case c.MaxGasBurntView != nil && (*c.MaxGasBurntView == 0 || *c.MaxGasBurntView > maxViewGas):
		return errorAt(f, "max_gas_burnt_view", "must be from 1 to %d", uint64(maxViewGas))
	}
	for _, shard := range c.Volley.TrackedShards {
		if shard >= c.Volley.Shards {
			return errorAt(f, "volley.tracked_shards", "names shard %d: the shards are 0 to %d", shard, c.Volley.Shards-1)
		}
	}
	return nil
}

func errorAt(f target.ConfigFile, path, format string, a ...any) error {
	return f.Errorf(strings.Split(path, "."), "%s "+format, append([]any{path}, a...)...)
}

var unmarshaler = reflect.TypeFor[json.Unmarshaler]()

// ignored names the members of a valid JSON object, and of objects in it, that
// have no place in a struct type.
func ignored(object []byte, t reflect.Type, path string) (names []string) {
	for name, value := range jsonrpc.Members(object) {
		field, known := fieldNamed(t, string(name))
		switch {
		case !known:
			names = append(names, path+string(name))
		case field.Type.Kind() == reflect.Struct && !reflect.PointerTo(field.Type).Implements(unmarshaler):
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
