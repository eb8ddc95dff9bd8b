package rcp

import (
	"volley/target"
)

// Config is the node's config file, a flat JSON object; every limit is
// positive, there is no "no limit".
type Config struct {
	BatchSizeLimit         int          `json:"batch_size_limit"`          // members of a batch, notifications too
	BatchConcurrencyLimit  int          `json:"batch_concurrency_limit"`   // members of one batch under way at once
	BatchResponseSizeLimit int          `json:"batch_response_size_limit"` // bytes of a batch's answer, and of one embed/multi result
	EmbedBatchLimit        int          `json:"embed_batch_limit"`         // inputs of one embed, embed/sparse or embed/multi
	RerankMaxCandidates    int          `json:"rerank_max_candidates"`     // passages of one rerank
	BodyLimit              int64        `json:"body_limit"`                // bytes of an HTTP body
	Session                string       `json:"session"`                   // over HTTP: "stateless" or "process"
	Slots                  int          `json:"slots"`                     // computations under way at once in the whole node
	Dimension              int          `json:"dimension"`                 // components of a vector
	Seed                   uint64       `json:"seed"`                      // of the service times' draws, nothing else
	Service                ServiceTimes `json:"service"`
}

// ServiceTimes are spent on top of the computation, with the slot held.
type ServiceTimes struct {
	Embed  target.Service `json:"embed"`
	Sparse target.Service `json:"embed/sparse"`
	Multi  target.Service `json:"embed/multi"`
	Rerank target.Service `json:"rerank"`
}

// The two values of Config.Session (section 5.2).
const (
	Stateless = "stateless" // every HTTP request counts as initialised
	Process   = "process"   // all HTTP requests share one state, gated before initialize
)

// DefaultConfig is what a node without a config file runs with.
func DefaultConfig() Config {
	return Config{
		BatchSizeLimit:         256,
		BatchConcurrencyLimit:  16,
		BatchResponseSizeLimit: 10 << 20,
		EmbedBatchLimit:        256,
		RerankMaxCandidates:    1000,
		BodyLimit:              10 << 20,
		Session:                Stateless,
		Slots:                  4,
		Dimension:              256,
	}
}

// maxDimension keeps a vector within what a slot may reasonably hold; the
// largest published embeddings have 8192 components.
const maxDimension = 1 << 16

// ParseConfig reads a config file over the defaults. Its errors are
// *target.ConfigError, located in the file.
func ParseConfig(f target.ConfigFile) (Config, error) {
	c := DefaultConfig()
	if err := f.Decode(&c, true); err != nil {
		return Config{}, err
	}
	for _, limit := range []struct {
		key   string
		value int64
	}{
		{"batch_size_limit", int64(c.BatchSizeLimit)},
		{"batch_concurrency_limit", int64(c.BatchConcurrencyLimit)},
		{"batch_response_size_limit", int64(c.BatchResponseSizeLimit)},
		{"embed_batch_limit", int64(c.EmbedBatchLimit)},
		{"rerank_max_candidates", int64(c.RerankMaxCandidates)},
		{"body_limit", c.BodyLimit},
		{"slots", int64(c.Slots)},
		{"dimension", int64(c.Dimension)},
	} {
		if limit.value < 1 {
			return Config{}, f.Errorf([]string{limit.key}, "%s is %d, but must be at least 1", limit.key, limit.value)
		}
	}
	if c.Dimension > maxDimension {
		return Config{}, f.Errorf([]string{"dimension"}, "dimension is %d, but must be at most %d", c.Dimension, maxDimension)
	}
	if c.Session != Stateless && c.Session != Process {
		return Config{}, f.Errorf([]string{"session"}, "session is %q, but must be %q or %q", c.Session, Stateless, Process)
	}
	return c, nil
}
