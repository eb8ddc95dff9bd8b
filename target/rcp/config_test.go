package rcp

import (
	"errors"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"volley/target"
)

func TestParseConfig(t *testing.T) {
	c, err := ParseConfig(target.ConfigFile{Name: "node.json", Data: []byte(`{
		"batch_size_limit": 1, "batch_concurrency_limit": 2, "batch_response_size_limit": 3,
		"embed_batch_limit": 4, "rerank_max_candidates": 5, "body_limit": 6,
		"session": "process", "slots": 7, "dimension": 8, "seed": 9, "max_k": 10,
		"session_limit": 11, "session_idle_seconds": 12, "capabilities": ["rerank"], "hidden": 13, "layers": 14,
		"documents": 15, "index_limit": 16, "index_bytes_limit": 17, "filter_fields": {"when": "int"},
		"service": {"embed": "300us", "embed/sparse": {"constant": "2ms"}, "rerank": {"exponential": "2ms"}}
	}`)})
	if err != nil {
		t.Fatal(err)
	}
	service := c.Service
	c.Service = ServiceTimes{}
	want := Config{
		BatchSizeLimit: 1, BatchConcurrencyLimit: 2, BatchResponseSizeLimit: 3, EmbedBatchLimit: 4, RerankMaxCandidates: 5,
		BodyLimit: 6, Session: Process, Slots: 7, Dimension: 8, Seed: 9, MaxK: 10, SessionLimit: 11, SessionIdleSeconds: 12,
		Capabilities: []string{"rerank"}, Hidden: 13, Layers: 14, Documents: 15, IndexLimit: 16, IndexBytesLimit: 17,
		FilterFields: map[string]string{"when": "int"},
	}
	if !reflect.DeepEqual(c, want) {
		t.Errorf("%+v, want %+v", c, want)
	}
	r := rand.New(rand.NewPCG(1, 1))
	if d := service.Embed.Draw(r); d != 300*time.Microsecond {
		t.Errorf("service of embed: %v", d)
	}
	if d := service.Sparse.Draw(r); d != 2*time.Millisecond {
		t.Errorf("service of embed/sparse: %v", d)
	}
	if !service.Multi.IsZero() || service.Rerank.IsZero() {
		t.Errorf("service of embed/multi %v, of rerank %v", service.Multi, service.Rerank)
	}
	for _, empty := range []string{``, `{}`} {
		if c, err := ParseConfig(target.ConfigFile{Data: []byte(empty)}); err != nil || !reflect.DeepEqual(c, DefaultConfig()) {
			t.Errorf("%q: %+v, %v", empty, c, err)
		}
	}
}

// A refusal says where in the file and what is wrong.
func TestParseConfigRefuses(t *testing.T) {
	for _, row := range []struct{ data, place, says string }{
		{`{"slots": 0}`, "node.json:1:11:", "slots"},
		{`{"batch_size_limit": -1}`, "node.json:1:22:", "at least 1"},
		{`{"batch_concurrency_limit": 0}`, "node.json:1:29:", "at least 1"},
		{`{"batch_response_size_limit": 0}`, "node.json:1:31:", "at least 1"},
		{`{"embed_batch_limit": 0}`, "node.json:1:23:", "at least 1"},
		{`{"rerank_max_candidates": 0}`, "node.json:1:27:", "at least 1"},
		{`{"body_limit": 0}`, "node.json:1:16:", "at least 1"},
		{`{"dimension": 0}`, "node.json:1:15:", "at least 1"},
		{`{"dimension": 65537}`, "node.json:1:15:", "at most 65536"},
		{"{\n \"session\": \"sticky\"}", "node.json:2:13:", `"stateless", "process" or "token"`},
		{`{"max_k": 0}`, "node.json:1:11:", "at least 1"},
		{`{"session_limit": 0}`, "node.json:1:19:", "at least 1"},
		{`{"session_idle_seconds": 0}`, "node.json:1:26:", "at least 1"},
		{`{"hidden": 0}`, "node.json:1:12:", "at least 1"},
		{`{"layers": -1}`, "node.json:1:12:", "at least 0"},
		{`{"hidden": 200000}`, "node.json:1:12:", "at most 131072"},
		{`{"documents": -1}`, "node.json:1:15:", "from 0"},
		{`{"documents": 6, "index_limit": 5}`, "node.json:1:15:", "index_limit, 5"},
		{`{"index_bytes_limit": 0}`, "node.json:1:23:", "at least 1"},
		{`{"capabilities": ["embed", "graph"]}`, "node.json:1:18:", "graph"},
		{`{"capabilities": ["index", "filter"]}`, "node.json:1:18:", "one of"},
		{`{"capabilities": []}`, "node.json:1:18:", "none of embed"},
		{`{"filter_fields": {"when": "date"}}`, "node.json:1:28:", "keyword"},
		{`{"batch_size_limits": 5}`, "node.json:1:2:", "batch_size_limit"},
		{`{"service": {"embed/spars": "1ms"}}`, "node.json:1:14:", "embed/sparse"},
		{`{"service": {"embed": "soon"}}`, "node.json:1:23:", "soon"},
		{`{"slots": "4"}`, "node.json:1:11:", "slots"},
		{`{"seed": -1}`, "node.json:1:10:", "seed"},
		{`{"slots": 4`, "node.json:1:", ""},
	} {
		_, err := ParseConfig(target.ConfigFile{Name: "node.json", Data: []byte(row.data)})
		if _, ok := errors.AsType[*target.ConfigError](err); !ok {
			t.Errorf("%s: %v is no ConfigError", row.data, err)
			continue
		}
		if !strings.HasPrefix(err.Error(), row.place) || !strings.Contains(err.Error(), row.says) {
			t.Errorf("%s: %q should stand at %s and say %q", row.data, err, row.place, row.says)
		}
	}
}
