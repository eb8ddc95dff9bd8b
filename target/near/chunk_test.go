package near

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

type blockChunks struct {
	Chunks []map[string]json.RawMessage `json:"chunks"`
	Header struct {
		Hash           string `json:"hash"`
		ChunkMask      []bool `json:"chunk_mask"`
		ChunksIncluded int    `json:"chunks_included"`
	} `json:"header"`
}

type wholeChunk struct {
	Author       string                     `json:"author"`
	Header       map[string]json.RawMessage `json:"header"`
	Receipts     []struct{}                 `json:"receipts"`
	Transactions []struct{}                 `json:"transactions"`
}

func TestAChunkIsThatOfItsBlock(t *testing.T) {
	d, _ := nodeStanding(t, `{"volley": {"shards": 3, "accounts": 10}}`)
	seen := map[string]bool{}
	for _, height := range []int{startHead, startHead - 5} {
		var block blockChunks
		result(t, d, "block", fmt.Sprintf(`{"block_id":%d}`, height), &block)
		if len(block.Chunks) != 3 || block.Header.ChunksIncluded != 3 || fmt.Sprint(block.Header.ChunkMask) != "[true true true]" {
			t.Fatalf("%+v", block)
		}
		for shard, want := range block.Chunks {
			hash := string(want["chunk_hash"])
			if seen[hash] || string(want["shard_id"]) != fmt.Sprint(shard) {
				t.Errorf("chunk %s of shard %s", hash, want["shard_id"])
			}
			seen[hash] = true
			for _, params := range []string{
				`{"chunk_id":` + hash + `}`,
				`[` + hash + `]`,
				fmt.Sprintf(`{"block_id":%d,"shard_id":%d}`, height, shard),
				fmt.Sprintf(`{"block_id":%q,"shard_id":%d}`, block.Header.Hash, shard),
				fmt.Sprintf(`[[%d,%d]]`, height, shard),
				fmt.Sprintf(`[[%q,%d]]`, block.Header.Hash, shard),
			} {
				var got wholeChunk
				result(t, d, "chunk", params, &got)
				if !reflect.DeepEqual(got.Header, want) || got.Author != "test.near" || got.Receipts == nil || got.Transactions == nil {
					t.Errorf("%s: %+v, want %s", params, got, want)
				}
			}
		}
	}
}

func TestChunkErrors(t *testing.T) {
	d, _ := nodeStanding(t, `{"gc_num_epochs_to_keep": 3, "volley": {"epoch_length": 100, "shards": 2, "tracked_shards": [0]}}`)
	missing := func(hash [hashSize]byte) string {
		text := string(appendBase58(nil, hash[:]))
		return handler("UNKNOWN_CHUNK", `{"chunk_hash":"`+text+`"}`, "\"Chunk Missing (unavailable on the node): ChunkHash(`"+text+"`) \\n Cause: Unknown\"")
	}
	head := d.chain.at(startHead)
	text := func(hash [hashSize]byte) string { return string(appendBase58(nil, hash[:])) }
	const neither = "data did not match any variant of untagged enum ChunkReference"
	for _, c := range []struct {
		name, params string
		status       int
		want         string
	}{
		{"no such shard", `{"block_id":1300000,"shard_id":2}`, 200, handler("INVALID_SHARD_ID", `{"shard_id":2}`, `"Shard id 2 does not exist"`)},
		{"a shard that is not tracked", `{"block_id":1300000,"shard_id":1}`, 200, missing(d.chain.chunkHash(startHead, 1))},
		{"its chunk", `{"chunk_id":"` + text(d.chain.chunkHash(startHead, 1)) + `"}`, 200, missing(d.chain.chunkHash(startHead, 1))},
		{"a block's hash", `{"chunk_id":"` + head.hash + `"}`, 200, missing(head.raw)},
		{"a chunk to come", `{"chunk_id":"` + text(d.chain.chunkHash(startHead+1, 0)) + `"}`, 200, missing(d.chain.chunkHash(startHead+1, 0))},
		{"a chunk of no shard", `{"chunk_id":"` + text(d.chain.chunkHash(startHead, 9)) + `"}`, 200, missing(d.chain.chunkHash(startHead, 9))},
		{"a collected chunk", `{"chunk_id":"` + text(d.chain.chunkHash(startHead-250, 0)) + `"}`, 200, missing(d.chain.chunkHash(startHead-250, 0))},
		{"nothing's hash", `["11111111111111111111111111111111"]`, 200, missing([hashSize]byte{})},
		{"a collected block", `{"block_id":1299750,"shard_id":0}`, 422,
			handler("UNKNOWN_BLOCK", `{}`, `"DB Not Found Error: BLOCK: `+d.chain.at(1299750).hash+` \n Cause: Unknown"`)},
		{"a block to come", `{"block_id":1300001,"shard_id":0}`, 200, handler("UNKNOWN_BLOCK", `{}`, `"DB Not Found Error: BLOCK HEIGHT: 1300001 \n Cause: Unknown"`)},
		{"a passed block that never was", `{"block_id":7,"shard_id":0}`, 422, handler("UNKNOWN_BLOCK", `{}`, `"DB Not Found Error: BLOCK HEIGHT: 7 \n Cause: Unknown"`)},
		{"no params", ``, 400, failedArgs("invalid type: null, expected struct RpcChunkRequest")},
		{"nothing", `{}`, 400, failedArgs(neither)},
		{"a block alone", `{"block_id":5}`, 400, failedArgs(neither)},
		{"a negative shard", `{"block_id":5,"shard_id":-1}`, 400, failedArgs(neither)},
		{"two positions", `[1300000,0]`, 400, failedArgs(neither)},
		{"a pair of three", `[[1300000,0,0]]`, 400, failedArgs(neither)},
		{"a short hash", `["22"]`, 400, failedArgs(neither)},
	} {
		if got := ask(t, d, "chunk", c.params); got != (exchange{"chunk", c.status, c.want}) {
			t.Errorf("%s:\n got %+v\nwant %d %s", c.name, got, c.status, c.want)
		}
	}
}

func TestShardsThatAreNotTracked(t *testing.T) {
	d, _ := nodeStanding(t, `{"volley": {"shards": 4, "tracked_shards": [1, 3], "accounts": 50}}`)
	told := map[uint64]int{}
	for n := range 50 {
		id := fmt.Sprintf("user%d.near", n)
		shard := d.shards.of([]byte(id))
		told[shard]++
		got := ask(t, d, "query", `["account/`+id+`",""]`)
		want := handler("UNAVAILABLE_SHARD", fmt.Sprintf(`{"requested_shard_id":%d}`, shard), fmt.Sprintf(`"The node does not track the shard ID %d"`, shard))
		if tracked := shard%2 == 1; tracked != strings.Contains(got.body, `"amount":`) || !tracked && got.body != want {
			t.Errorf("%s of shard %d: %s", id, shard, got.body)
		}
		structured := ask(t, d, "EXPERIMENTAL_view_account", `{"account_id":"`+id+`","finality":"final"}`)
		if shard%2 == 0 && structured.body != internal(fmt.Sprintf("The node does not track the shard ID %d", shard)) {
			t.Errorf("%s, structured: %s", id, structured.body)
		}
		tx := ask(t, d, "tx", `["11111111111111111111111111111111","`+id+`"]`)
		if strings.Contains(tx.body, `"name":"DOES_NOT_TRACK_SHARD"`) == (shard%2 == 1) {
			t.Errorf("%s of shard %d: %s", id, shard, tx.body)
		}
	}
	if len(told) != 4 {
		t.Errorf("fifty accounts lie in shards %v", told)
	}
}
