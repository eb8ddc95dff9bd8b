package rcp

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"volley/target"
)

func TestParseConfig(t *testing.T) {
	c, err := ParseConfig(target.ConfigFile{Name: "node.json", Data: []byte(`{
		"batch_size_limit": 1, "batch_concurrency_limit": 2, "batch_response_size_limit": 3,
		"embed_batch_limit": 4, "rerank_max_candidates": 5, "body_limit": 6,
		"session": "process", "slots": 7, "dimension": 8, "seed": 9,
		"service": {"embed": "300us", "embed/sparse": {"constant": "2ms"}, "rerank": {"exponential": "2ms"}}
	}`)})
	if err != nil {
		t.Fatal(err)
	}
	service := c.Service
	c.Service = ServiceTimes{}
	if want := (Config{1, 2, 3, 4, 5, 6, Process, 7, 8, 9, ServiceTimes{}}); c != want {
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
		if c, err := ParseConfig(target.ConfigFile{Data: []byte(empty)}); err != nil || c != DefaultConfig() {
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
		{"{\n \"session\": \"sticky\"}", "node.json:2:13:", `"stateless" or "process"`},
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
