package study

import (
	"time"

	"volley/results/capacity/search"
)

// What an answer's status can be.
const (
	Finished    = "finished"
	Interrupted = "interrupted" // it goes on with the same command
	Void        = "void"        // nothing but void trials somewhere: the generator was the limit
)

// Head is what every answer begins with.
type Head struct {
	Format      int               `json:"format"`
	Volley      string            `json:"volley"`
	Name        string            `json:"name"`
	Seed        uint64            `json:"seed"`
	Dialect     string            `json:"dialect"`
	Bundled     bool              `json:"bundled"`
	Started     time.Time         `json:"started"`
	Finished    time.Time         `json:"finished"`
	Status      string            `json:"status"`
	Warnings    []string          `json:"warnings"`
	Environment map[string]string `json:"environment"`

	Dir string `json:"-"` // where it is stored, when that is known
}

// Search is search.json: the highest rate at which every objective is met.
type Search struct {
	Head
	// Lower and Upper enclose the rate: the narrowest of the objectives' intervals, as
	// all have to be met. Null where there is no such bound.
	Lower                 *float64 `json:"lower"`
	Upper                 *float64 `json:"upper"`
	Unit                  string   `json:"unit"`
	ConditionalThroughput *float64 `json:"conditional_throughput"`
	// Answer is search.Found and so on, of the objective that limits.
	Answer    search.Status   `json:"answer"`
	LimitedBy string          `json:"limited_by,omitempty"` // of an answer AtLeast: what kept it from more
	Limiting  string          `json:"limiting,omitempty"`   // the objective's text
	Sentence  string          `json:"sentence"`
	Goals     []search.Result `json:"objectives"`
	Trials    []SearchTrial   `json:"trials"`
	LoadedS   float64         `json:"loaded_s"` // time under load, measured
	// ResponseP99US is the lowest response p99 that an objective allows, in
	// microseconds, to hold the trials' against; 0: none speaks of it.
	ResponseP99US float64     `json:"response_p99_limit_us,omitempty"`
	Saturated     *Saturation `json:"saturation,omitempty"`
}

// SearchTrial is one trial of a search.
type SearchTrial struct {
	N        int              `json:"n"`
	Dir      string           `json:"dir"` // below the experiment's
	Load     float64          `json:"load"`
	ForS     float64          `json:"for_s"`
	Purpose  string           `json:"purpose"`
	Verdicts []search.Verdict `json:"verdicts"` // by objective
	Why      []string         `json:"why"`      // by objective: what decided
	Loss     float64          `json:"loss"`
	Achieved float64          `json:"achieved"` // in the search's unit
	P99US    int64            `json:"response_p99_us"`
}

// Saturation is the closed-loop run that gave the first guess.
type Saturation struct {
	N        int     `json:"n"`
	Callers  int     `json:"callers"`
	Achieved float64 `json:"achieved"`
}
