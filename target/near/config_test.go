package near

import (
	"errors"
	"os"
	"reflect"
	"slices"
	"testing"
	"time"

	"volley/target"
)

func parse(t *testing.T, text string) Config {
	t.Helper()
	c, err := ParseConfig(target.ConfigFile{Name: "config.json", Data: []byte(text)})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestARealConfigFileLoads(t *testing.T) {
	data, err := os.ReadFile("testdata/neard-config.json")
	if err != nil {
		t.Fatal(err)
	}
	c := parse(t, string(data))
	want := DefaultConfig()
	want.RPC.Addr = "127.0.0.1:3030"
	want.GCNumEpochsToKeep = 10_000
	want.Ignored = c.Ignored
	if !reflect.DeepEqual(c, want) {
		t.Errorf("got %+v\nwant %+v", c, want)
	}
	for _, name := range []string{"genesis_file", "store", "network", "rpc.enable_debug_rpc", "rpc.cors_allowed_origins"} {
		if !slices.Contains(c.Ignored, name) {
			t.Errorf("%s is not told as passed over", name)
		}
	}
	for _, name := range []string{"rpc", "rpc.addr", "rpc.limits_config", "view_client_threads", "gc_num_epochs_to_keep", "trie_viewer_state_size_limit"} {
		if slices.Contains(c.Ignored, name) {
			t.Errorf("%s is told as passed over", name)
		}
	}
}

func TestConfigTakesNearcoresNames(t *testing.T) {
	c := parse(t, `{
		# comments stand where nearcore allows them
		"rpc": {
			"enable_batch_requests": false, // the kill switch
			"limits_config": {
				"json_payload_max_size": 1, "batch_size_limit": 2, "batch_concurrency_limit": 3,
				"batch_response_size_limit": 4, "batch_of_tomorrow": 5
			},
			"polling_config": {"polling_timeout": {"secs": 1, "nanos": 500}}
		},
		"view_client_threads": 6, /* slots */
		"gc_num_epochs_to_keep": 7,
		"trie_viewer_state_size_limit": null, "max_gas_burnt_view": 8,
		"volley": {
			"accounts": 8, "seed": 9, "block_time": "600ms", "epoch_length": 10, "chain_id": "localnet",
			"shards": 3, "tracked_shards": [0, 2], "syncing": true,
			"service": {"default": "1ms", "call_function": {"lognormal": {"median": "2ms", "p99": "15ms"}}}
		}
	}`)
	want := DefaultConfig()
	want.RPC.EnableBatchRequests = false
	want.RPC.Limits = Limits{1, 2, 3, 4}
	want.ViewClientThreads = 6
	want.GCNumEpochsToKeep = 7
	want.RPC.Polling.Timeout = Seconds{Secs: 1, Nanos: 500}
	want.TrieViewerStateSizeLimit = nil
	want.MaxGasBurntView = new(uint64(8))
	want.Volley = Volley{
		Accounts: 8, Seed: 9, BlockTime: Duration(600 * time.Millisecond), EpochLength: 10, ChainID: "localnet",
		Shards: 3, TrackedShards: []uint64{0, 2}, Syncing: true,
	}
	want.Volley.Service = c.Volley.Service
	want.Ignored = []string{"rpc.limits_config.batch_of_tomorrow"}
	if !reflect.DeepEqual(c, want) {
		t.Errorf("got %+v\nwant %+v", c, want)
	}
	if c.Volley.Service.Default == nil || c.Volley.Service.CallFunction == nil {
		t.Errorf("service times are not read: %+v", c.Volley.Service)
	}
}

func TestConfigErrorsSayWhere(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"zero entries", "{\"rpc\": {\n  \"limits_config\": {\"batch_size_limit\": 0}}}",
			"config.json:2:41: rpc.limits_config.batch_size_limit must be positive"},
		{"negative entries", `{"rpc": {"limits_config": {"batch_size_limit": -1}}}`,
			"config.json:1:48: rpc.limits_config.batch_size_limit must be positive"},
		{"zero concurrency", `{"rpc": {"limits_config": {"batch_concurrency_limit": 0}}}`,
			"config.json:1:55: rpc.limits_config.batch_concurrency_limit must be positive"},
		{"zero response", `{"rpc": {"limits_config": {"batch_response_size_limit": 0}}}`,
			"config.json:1:57: rpc.limits_config.batch_response_size_limit must be positive"},
		{"zero body", `{"rpc": {"limits_config": {"json_payload_max_size": 0}}}`,
			"config.json:1:53: rpc.limits_config.json_payload_max_size must be positive"},
		{"zero threads after a comment", "/* é\n*/ {\"view_client_threads\": 0}",
			"config.json:2:28: view_client_threads must be positive"},
		{"a slip of the pen", `{"rpc": {"limits_config": {"batch_concurency_limit": 4}}}`,
			"config.json:1:54: no setting is called rpc.limits_config.batch_concurency_limit; did you mean batch_concurrency_limit?"},
		{"another at the top", `{"view_client_thread": 4}`,
			"config.json:1:24: no setting is called view_client_thread; did you mean view_client_threads?"},
		{"zero epochs", `{"gc_num_epochs_to_keep": 0}`, "config.json:1:27: gc_num_epochs_to_keep must be positive"},
		{"zero epoch", `{"volley": {"epoch_length": 0}}`, "config.json:1:29: volley.epoch_length must be positive"},
		{"no block time", `{"volley": {"block_time": "0s"}}`, "config.json:1:27: volley.block_time must be positive"},
		{"slow blocks", `{"volley": {"block_time": "61m"}}`, "config.json:1:27: volley.block_time must be at most 1h0m0s"},
		{"too many accounts", `{"volley": {"accounts": 10000001}}`, "config.json:1:25: volley.accounts must be from 0 to 10000000"},
		{"fewer than no accounts", `{"volley": {"accounts": -1}}`, "config.json:1:25: volley.accounts must be from 0 to 10000000"},
		{"no shard", `{"volley": {"shards": 0}}`, "config.json:1:23: volley.shards must be from 1 to 64"},
		{"too many shards", `{"volley": {"shards": 65}}`, "config.json:1:23: volley.shards must be from 1 to 64"},
		{"a shard that is none", `{"volley": {"shards": 2, "tracked_shards": [1, 2]}}`,
			"config.json:1:44: volley.tracked_shards names shard 2: the shards are 0 to 1"},
		{"no gas", `{"max_gas_burnt_view": 0}`, "config.json:1:24: max_gas_burnt_view must be from 1 to 4611686018427387904"},
		{"too much gas", `{"max_gas_burnt_view": 4611686018427387905}`,
			"config.json:1:24: max_gas_burnt_view must be from 1 to 4611686018427387904"},
		{"wrong type", `{"rpc": {"enable_batch_requests": "yes"}}`,
			`config.json:1:35: rpc.enable_batch_requests: want true or false, got "\"yes\""`},
		{"no duration", `{"volley": {"block_time": "soon"}}`,
			`config.json:1:27: volley.block_time: "soon" is no duration: want one such as "600ms"`},
		{"misspelt setting of ours", `{"volley": {"acounts": 5}}`,
			"config.json:1:13: no setting is called volley.acounts; did you mean accounts?"},
		{"misspelt request type", `{"volley": {"service": {"view_acount": "1ms"}}}`,
			"config.json:1:25: no setting is called volley.service.view_acount; did you mean view_account?"},
		{"a setting that stands twice", "{\"rpc\": {\"limits_config\": {\"batch_size_limit\": 1,\n\"batch_size_limit\": 2}}}",
			"config.json:2:1: rpc.limits_config.batch_size_limit stands twice"},
		{"a section that stands twice", `{"volley": {}, "volley": {"accounts": 1}}`, "config.json:1:16: volley stands twice"},
		{"a request type that stands twice", `{"volley": {"service": {"block": "1s", "block": "2s"}}}`,
			"config.json:1:40: volley.service.block stands twice"},
		{"a setting of ours in another case", `{"volley": {"Accounts": 5}}`,
			"config.json:1:13: no setting is called volley.Accounts; did you mean accounts?"},
		{"one of a service time in another case", `{"volley": {"service": {"block": {"lognormal": {"Median": "1ms", "p99": "1s"}}}}}`,
			`config.json:1:34: volley.service.block: lognormal: want {"median": "2ms", "p99": "15ms"}`},
		{"bad UTF-8", "{\"volley\": {\"chain_id\": \"\xff\"}}", "config.json:1:26: " + "invalid UTF-8"},
		{"bad JSON", "{\n# x\n]", "config.json:3:1: invalid character ']' looking for beginning of object key string"},
		{"open comment", "{\n} /* x", "config.json:2:3: invalid character '/' after top-level value"},
	} {
		_, err := ParseConfig(target.ConfigFile{Name: "config.json", Data: []byte(c.text)})
		if _, located := errors.AsType[*target.ConfigError](err); !located || err.Error() != c.want {
			t.Errorf("%s:\n got %v\nwant %s", c.name, err, c.want)
		}
	}
}

// A key is one as it is written, as in nearcore: in another case it is one that
// this node does not know, and is passed over whole.
func TestKeysInAnotherCase(t *testing.T) {
	c := parse(t, `{
		"rpc": {"Enable_Batch_Requests": false, "LIMITS_CONFIG": {"batch_size_limit": 1}, "tomorrow": 1, "tomorrow": 2},
		"View_Client_Threads": 1,
		"Volley": {"accounts": 1, "nonsense": true}
	}`)
	want := DefaultConfig()
	want.Ignored = []string{"rpc.Enable_Batch_Requests", "rpc.LIMITS_CONFIG", "rpc.tomorrow", "rpc.tomorrow", "View_Client_Threads", "Volley"}
	if !reflect.DeepEqual(c, want) {
		t.Errorf("got %+v\nwant %+v", c, want)
	}
}

func TestServiceTimesFallBack(t *testing.T) {
	c := parse(t, `{"volley": {"service": {"default": "1ms", "query": "2ms", "view_account": "3ms", "view_code": "0s"}}}`)
	for op, want := range map[operation]time.Duration{
		opViewAccount:        3 * time.Millisecond,
		opViewCode:           0,
		opCallFunction:       2 * time.Millisecond,
		opViewStateWithProof: 2 * time.Millisecond,
		opBlock:              time.Millisecond,
		opStatus:             0,
		opHealth:             0,
	} {
		if got := c.Volley.Service.of(op); got.Draw(nil) != want {
			t.Errorf("operation %d takes %s, want %s", op, got.Draw(nil), want)
		}
	}
}

func FuzzParseConfig(f *testing.F) {
	f.Add([]byte(`{"rpc": {"limits_config": {"batch_size_limit": 2}}, "volley": {"accounts": 1}} // x`))
	f.Add([]byte(`{"rpc": null, "volley": []}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := ParseConfig(target.ConfigFile{Name: "f", Data: text})
		if err != nil {
			if _, located := errors.AsType[*target.ConfigError](err); !located {
				t.Fatalf("%q: %v has no place", text, err)
			}
			return
		}
		if c.RPC.Limits.BatchSizeLimit <= 0 || c.ViewClientThreads <= 0 || c.Volley.BlockTime <= 0 {
			t.Fatalf("%q gives an impossible node: %+v", text, c)
		}
	})
}
