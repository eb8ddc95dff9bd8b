package near

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write the golden files")

func golden(t *testing.T, name string, body string) {
	t.Helper()
	var got bytes.Buffer
	if err := json.Indent(&got, []byte(body), "", "  "); err != nil {
		t.Fatal(err)
	}
	got.WriteByte('\n')
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want) {
		t.Errorf("%s is not what it was (-update writes it):\n%s", path, &got)
	}
}

func TestViewsAreStable(t *testing.T) {
	d, clock := standing3(t)
	clock.at = clock.at.Add(90 * time.Second)
	golden(t, "block.golden", ask(t, d, "block", `{"finality":"final"}`).body)
	golden(t, "status.golden", ask(t, d, "status", `[]`).body)
	golden(t, "view_account.golden", ask(t, d, "query", `["account/test.near",""]`).body)
	golden(t, "chunk.golden", ask(t, d, "chunk", `[[1300088,0]]`).body)
	golden(t, "validators.golden", ask(t, d, "validators", `[null]`).body)
	golden(t, "network_info.golden", ask(t, d, "network_info", ``).body)
	golden(t, "protocol_config.golden", ask(t, d, "EXPERIMENTAL_protocol_config", `{"finality":"final"}`).body)
	golden(t, "genesis_config.golden", ask(t, d, "genesis_config", ``).body)
	golden(t, "client_config.golden", ask(t, d, "client_config", ``).body)
	golden(t, "view_state.golden", ask(t, d, "query", `["contract/wrap.near",""]`).body)
	golden(t, "call_function.golden", ask(t, d, "query", `["call/token.near/ft_metadata",""]`).body)
	for _, user := range []string{"user1", "user2", "user6", "user7"} {
		golden(t, "keys_"+user+".golden", ask(t, d, "query", `["access_key/`+user+`.near",""]`).body)
	}
	golden(t, "view_access_key_list.golden", ask(t, d, "query", `["access_key/user3.near",""]`).body)
}

// What a client of nearcore may look for in a header, in the documentation's
// order.
func TestHeaderHasEveryField(t *testing.T) {
	d, _ := standing3(t)
	var got struct {
		Author string                       `json:"author"`
		Chunks []map[string]json.RawMessage `json:"chunks"`
		Header map[string]json.RawMessage   `json:"header"`
	}
	result(t, d, "block", `{"finality":"final"}`, &got)
	if got.Author != "test.near" || len(got.Chunks) != 1 {
		t.Fatalf("%+v", got)
	}
	has := func(what string, object map[string]json.RawMessage, names ...string) {
		for _, name := range names {
			if _, ok := object[name]; !ok {
				t.Errorf("the %s has no %s", what, name)
			}
		}
		if len(object) != len(names) {
			t.Errorf("the %s has %d fields, want %d", what, len(object), len(names))
		}
	}
	has("header", got.Header, "height", "prev_height", "epoch_id", "next_epoch_id", "hash", "prev_hash", "prev_state_root",
		"chunk_receipts_root", "chunk_headers_root", "chunk_tx_root", "outcome_root", "chunks_included", "challenges_root", "timestamp",
		"timestamp_nanosec", "random_value", "validator_proposals", "chunk_mask", "gas_price", "block_ordinal", "rent_paid",
		"validator_reward", "total_supply", "challenges_result", "last_final_block", "last_ds_final_block", "next_bp_hash",
		"block_merkle_root", "epoch_sync_data_hash", "approvals", "signature", "latest_protocol_version", "chunk_endorsements", "block_body_hash")
	has("chunk", got.Chunks[0], "chunk_hash", "prev_block_hash", "outcome_root", "prev_state_root", "encoded_merkle_root", "encoded_length",
		"height_created", "height_included", "shard_id", "gas_used", "gas_limit", "rent_paid", "validator_reward", "balance_burnt",
		"outgoing_receipts_root", "tx_root", "validator_proposals", "congestion_info", "bandwidth_requests", "signature")
}
