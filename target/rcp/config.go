package rcp

import (
	"slices"
	"strconv"
	"strings"

	"volley/target"
)

// Config is the node's config file, a flat JSON object; every limit is
// positive, there is no "no limit".
type Config struct {
	BatchSizeLimit         int    `json:"batch_size_limit" doc:"members of a batch, notifications too"`
	BatchConcurrencyLimit  int    `json:"batch_concurrency_limit" doc:"members of one batch under way at once"`
	BatchResponseSizeLimit int    `json:"batch_response_size_limit" doc:"bytes of a batch's answer, and of one embed/multi or retrieve result"`
	EmbedBatchLimit        int    `json:"embed_batch_limit" doc:"inputs of one embed, embed/sparse or embed/multi, documents of one index/add"`
	RerankMaxCandidates    int    `json:"rerank_max_candidates" doc:"passages of one rerank"`
	MaxK                   int    `json:"max_k" doc:"to which retrieve's k, candidateK and rerank.topN are clamped"`
	BodyLimit              int64  `json:"body_limit" doc:"bytes of an HTTP body and of a line"`
	Session                string `json:"session" doc:"over HTTP: stateless (every request counts as initialised), process (all share one state) or token (initialize gives one, for the RCP-Session header)"`
	SessionLimit           int    `json:"session_limit" doc:"tokens out at once"`
	SessionIdleSeconds     int    `json:"session_idle_seconds" doc:"after which an unused token is worth nothing"`
	Slots                  int    `json:"slots" doc:"computations under way at once in the whole node"`

	// Capabilities go by their names in section 6; index needs nothing else,
	// filter, pagination and citations are parts of retrieve.
	Capabilities []string `json:"capabilities" doc:"what the node offers and advertises; one of embed, rerank and retrieve must be among them"`

	Dimension int `json:"dimension" doc:"components of a vector"`
	Hidden    int `json:"hidden" doc:"width of each block's inner layer"`
	Layers    int `json:"layers" doc:"blocks of two layers; 0: hashed features alone"`

	Documents       int               `json:"documents" doc:"of the built-in corpus, in the index at the start; may be 0"`
	IndexLimit      int               `json:"index_limit" doc:"documents in the index"`
	IndexBytesLimit int               `json:"index_bytes_limit" doc:"bytes of their ids, texts and metas"`
	FilterFields    map[string]string `json:"filter_fields" doc:"fields of meta that may be filtered by, and their types: keyword, text, int, float or bool"`

	Service    ServiceTimes      `json:"service" doc:"service times by method, each a law: \"2ms\", {\"exponential\": \"2ms\"}, {\"lognormal\": {\"median\": \"2ms\", \"p99\": \"15ms\"}}, {\"measured\": {\"file\": \"times.txt\"}}; beside it \"cpu\": \"30%\" for a share that is worked"`
	Cost       target.Costs      `json:"cost" doc:"times beside the service times, each a law as of service"`
	Contention target.Contention `json:"contention" doc:"by what all of these grow with the busy slots (Universal Scalability Law)"`
	Seed       uint64            `json:"seed" doc:"of the times that are drawn, nothing else"`

	Admission *target.AdmissionConfig `json:"admission" doc:"a ceiling as a gateway in front sets one, its costs by method; null: none"`
	Misbehave *target.MisbehaveConfig `json:"misbehave" doc:"faults on purpose; null: none"`

	// Version is what initialize and info tell as the server's; "" is the module's,
	// or "devel".
	Version string `json:"-"`
}

// ServiceTimes are spent on top of the computation, with the slot held.
type ServiceTimes struct {
	Embed    target.Service `json:"embed" doc:"of embed, beside its computation"`
	Sparse   target.Service `json:"embed/sparse" doc:"of embed/sparse, beside its computation"`
	Multi    target.Service `json:"embed/multi" doc:"of embed/multi, beside its computation"`
	Rerank   target.Service `json:"rerank" doc:"of rerank, beside its computation"`
	Retrieve target.Service `json:"retrieve" doc:"of retrieve, beside its computation"`
	Add      target.Service `json:"index/add" doc:"of index/add, beside its computation"`
	Delete   target.Service `json:"index/delete" doc:"of index/delete, beside its computation"`
}

// The values of Config.Session (section 5.2).
const (
	Stateless = "stateless" // every HTTP request counts as initialised
	Process   = "process"   // all HTTP requests share one state, gated before initialize
	Token     = "token"     // initialize gives a token, which the RCP-Session header of later requests must bear
)

// DefaultConfig is what a node without a config file runs with.
func DefaultConfig() Config {
	return Config{
		BatchSizeLimit:         256,
		BatchConcurrencyLimit:  16,
		BatchResponseSizeLimit: 10 << 20,
		EmbedBatchLimit:        256,
		RerankMaxCandidates:    1000,
		MaxK:                   200,
		BodyLimit:              10 << 20,
		Session:                Stateless,
		SessionLimit:           1024,
		SessionIdleSeconds:     600,
		Slots:                  4,
		Capabilities:           slices.Clone(capabilityNames[:]),
		Dimension:              256,
		Hidden:                 512,
		Layers:                 1,
		Documents:              200,
		IndexLimit:             10_000,
		IndexBytesLimit:        64 << 20,
		FilterFields:           corpusFields(),
	}
}

// maxDimension keeps a vector within what a slot may reasonably hold; the
// largest published embeddings have 8192 components.
const maxDimension = 1 << 16

// maxWeights keeps the model within what a person would start by mistake: 64 MiB,
// and a fraction of a second to draw.
const maxWeights = 1 << 26

// ParseConfig reads a config file over the defaults. Its errors are
// *target.ConfigError, located in the file.
func ParseConfig(f target.ConfigFile) (Config, error) {
	c := DefaultConfig()
	c.Capabilities, c.FilterFields = nil, nil // a file's replace the defaults, and do not add to them
	if err := f.Decode(&c, true); err != nil {
		return Config{}, err
	}
	if c.Capabilities == nil {
		c.Capabilities = DefaultConfig().Capabilities
	}
	if c.FilterFields == nil {
		c.FilterFields = corpusFields()
	}
	if err := c.checkLimits(f); err != nil {
		return Config{}, err
	}
	if err := c.check(f); err != nil {
		return Config{}, err
	}
	return c, nil
}

// checkLimits refuses a limit that is not positive.
func (c *Config) checkLimits(f target.ConfigFile) error {
	for _, limit := range []struct {
		key   string
		value int64
	}{
		{"batch_size_limit", int64(c.BatchSizeLimit)},
		{"batch_concurrency_limit", int64(c.BatchConcurrencyLimit)},
		{"batch_response_size_limit", int64(c.BatchResponseSizeLimit)},
		{"embed_batch_limit", int64(c.EmbedBatchLimit)},
		{"rerank_max_candidates", int64(c.RerankMaxCandidates)},
		{"max_k", int64(c.MaxK)},
		{"body_limit", c.BodyLimit},
		{"session_limit", int64(c.SessionLimit)},
		{"session_idle_seconds", int64(c.SessionIdleSeconds)},
		{"slots", int64(c.Slots)},
		{"dimension", int64(c.Dimension)},
		{"hidden", int64(c.Hidden)},
		{"index_limit", int64(c.IndexLimit)},
		{"index_bytes_limit", int64(c.IndexBytesLimit)},
	} {
		if limit.value < 1 {
			return f.Errorf([]string{limit.key}, "%s is %d, but must be at least 1", limit.key, limit.value)
		}
	}
	return nil
}

// check refuses what cannot be, limits apart.
func (c *Config) check(f target.ConfigFile) error {
	refuse := func(key, format string, a ...any) error {
		return f.Errorf([]string{key}, key+" "+format, a...)
	}
	switch {
	case c.Dimension > maxDimension:
		return refuse("dimension", "is %d, but must be at most %d", c.Dimension, maxDimension)
	case c.Layers < 0:
		return refuse("layers", "is %d, but must be at least 0", c.Layers)
	case c.Layers > 0 && c.Hidden > maxWeights/2/c.Dimension/c.Layers:
		return refuse("hidden", "is %d, but with a dimension of %d and %d layers it must be at most %d",
			c.Hidden, c.Dimension, c.Layers, maxWeights/2/c.Dimension/c.Layers)
	case c.Documents < 0 || c.Documents > c.IndexLimit:
		return refuse("documents", "is %d, but must be from 0 to index_limit, %d", c.Documents, c.IndexLimit)
	case c.SessionIdleSeconds > 1<<31:
		return refuse("session_idle_seconds", "is %d, but must be at most %d", c.SessionIdleSeconds, 1<<31)
	case c.Session != Stateless && c.Session != Process && c.Session != Token:
		return refuse("session", "is %q, but must be %q, %q or %q", c.Session, Stateless, Process, Token)
	}
	for i, name := range c.Capabilities {
		if !slices.Contains(capabilityNames[:], name) {
			return f.Errorf([]string{"capabilities", strconv.Itoa(i)}, "there is no capability %q: want some of %s", name, strings.Join(capabilityNames[:], ", "))
		}
	}
	if o := offered(c.Capabilities); !o[capEmbed] && !o[capRerank] && !o[capRetrieve] {
		return refuse("capabilities", "has none of embed, rerank and retrieve, and a node must offer one")
	}
	for name, kind := range c.FilterFields {
		if !slices.Contains(filterTypes, kind) {
			return f.Errorf([]string{"filter_fields", name}, "the type of %s is %q, but must be one of %s", name, kind, strings.Join(filterTypes, ", "))
		}
	}
	return nil
}
