package results

import (
	"encoding/json"
	"io"
	"time"

	"volley/results/correlate"
	"volley/results/selfcheck"
)

// Format is the version of run.json and of the run directory that this package
// writes. Older ones stay readable.
const Format = 1

// What a run's status can be.
const (
	Running     = "running"     // it goes on; what a killed run left says so too, but Open tells it as Cut
	Finished    = "finished"    // the plan was carried out
	Interrupted = "interrupted" // it was told to stop; what was sent is accounted for
	Void        = "void"        // its numbers are not those that were asked for; see VoidReason
	Cut         = "cut off"     // it was killed; what it wrote was read
)

// Summary is what run.json holds: a run's account, distributions, verdicts and
// warnings. Latencies are in microseconds, rates per second, durations in
// seconds.
type Summary struct {
	Format     int        `json:"format"`
	Volley     string     `json:"volley"`
	Name       string     `json:"name"`
	Seed       uint64     `json:"seed"`
	Dialect    string     `json:"dialect"`
	URL        string     `json:"url"`
	Bundled    bool       `json:"bundled"`
	Started    time.Time  `json:"started"`
	Finished   *time.Time `json:"finished"` // null while the run goes on
	Status     string     `json:"status"`
	VoidCause  string     `json:"void_cause,omitempty"` // VoidRate, VoidGenerator, VoidShort, or ""
	VoidReason string     `json:"void_reason,omitempty"`

	// Totals cover everything that was sent, warm-up included. Phases are those of
	// the plan, in its order; Measured is the measured ones together, its
	// percentiles read from merged histograms.
	Totals   Totals         `json:"totals"`
	Phases   []PhaseSummary `json:"phases"`
	Measured Span           `json:"measured"`
	// Breakdown splits Measured by method and size of call; none in older runs.
	Breakdown []BreakdownRow `json:"breakdown,omitempty"`
	// RateSteps are the changes of the asked rate by hand.
	RateSteps []RateStep `json:"rate_steps,omitempty"`
	Form      string     `json:"form,omitempty"` // of Meta
	Rows      []string   `json:"rows,omitempty"` // of Meta

	Objectives     []ObjectiveResult `json:"objectives"`
	Reconciliation []Row             `json:"reconciliation"`
	Correlation    *correlate.Report `json:"correlation,omitempty"` // nil: the node's metrics were not read
	// Checks are the run's self-checks: whether these numbers can be trusted, and what may
	// be claimed of them. A void one makes the run void; one that warns is told among the
	// warnings too. Those of an older run are none.
	Checks      []selfcheck.Check `json:"checks"`
	Generator   Generator         `json:"generator"`
	Warnings    []string          `json:"warnings"`
	Environment map[string]string `json:"environment"`
	Pinned      map[string]string `json:"pinned,omitempty"` // what the plan's pins stood for

	// Dir is the run directory, where it is known. It is not stored.
	Dir string `json:"-"`
}

// Partial tells whether the run's figures are of a part of what it was to do only,
// as it was cut off or goes on.
func (s *Summary) Partial() bool { return s.Status == Cut || s.Status == Running }

// ObjectivesMet tells whether every objective was met; true when there is none.
func (s *Summary) ObjectivesMet() bool {
	for _, o := range s.Objectives {
		if !o.Met {
			return false
		}
	}
	return true
}

// WriteJSON writes the summary as run.json has it.
func (s *Summary) WriteJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(s)
}

// PhaseSummary is one phase: what was asked, and what came of it.
type PhaseSummary struct {
	Name     string  `json:"name"`
	Measured bool    `json:"measured"`
	Target   Target  `json:"target"`
	Arrivals string  `json:"arrivals,omitempty"` // "" for a closed loop
	ForS     float64 `json:"for_s"`
	Span
}

// Span is an account over some time.
type Span struct {
	// ElapsedS is the time that the rates are over: from the phase's start to its
	// end, or to when the run stopped if that was earlier, or to the last call
	// sent if that was later.
	ElapsedS float64 `json:"elapsed_s"`
	Totals
	Achieved Achieved `json:"achieved"`
	Distributions
}

// Target is what a phase asked for.
type Target struct {
	Value float64  `json:"value"`
	To    *float64 `json:"to,omitempty"` // the rate at the end of a ramp
	Unit  string   `json:"unit"`         // calls/s, entries/s, items/s, callers
	// ByHand tells of changes by hand, which Value and To know nothing of; null: none.
	ByHand *ByHand `json:"by_hand,omitempty"`
}

// Achieved is what was reached: what was sent over the time it took, and as
// goodput the entries among it that came to a good end, and their items.
type Achieved struct {
	CallsPerS          float64 `json:"calls_per_s"`
	EntriesPerS        float64 `json:"entries_per_s"`
	ItemsPerS          float64 `json:"items_per_s"`
	GoodputEntriesPerS float64 `json:"goodput_entries_per_s"`
	GoodputItemsPerS   float64 `json:"goodput_items_per_s"`
}

// Distributions are those of the calls that were answered, whatever the answer,
// and of those that waited in vain, with the time they waited; lateness is of all.
// See Latency.
type Distributions struct {
	Response Distribution `json:"response_us"`
	Service  Distribution `json:"service_us"`
	Lateness Distribution `json:"lateness_us"`
}

// Distribution is a latency distribution in microseconds. Without a sample every
// value is 0 here and null in JSON.
type Distribution struct {
	N    int64   `json:"n"`
	Mean float64 `json:"mean"`
	P50  int64   `json:"p50"`
	P90  int64   `json:"p90"`
	P99  int64   `json:"p99"`
	P999 int64   `json:"p99.9"`
	Max  int64   `json:"max"`
	// Worth is how many independent values N are worth about the p99, by the dependence
	// that whole seconds show; 0 where too few were measured to tell, of lateness, and in
	// older runs.
	Worth float64 `json:"n_effective,omitempty"`
	// CI are the percentiles' 95% intervals; nil where the values come from a rate that
	// changes, and describe no one state, and in older runs.
	CI *Intervals `json:"ci,omitempty"`
	// Independent: CI takes calls for independent, as too few whole seconds were measured
	// to tell how much they depend on each other; if they do it is too narrow.
	Independent bool `json:"ci_assumes_independence,omitempty"`
}

// MarshalJSON writes null for the values of an empty distribution, so that no
// script takes nothing for a latency of 0.
func (d Distribution) MarshalJSON() ([]byte, error) {
	if d.N == 0 {
		return []byte(`{"n":0,"mean":null,"p50":null,"p90":null,"p99":null,"p99.9":null,"max":null}`), nil
	}
	type plain Distribution
	return json.Marshal(plain(d))
}

// ObjectiveResult is an objective and what the measured phases say to it. One for
// the response or service time is over all calls: a call without an answer is
// slower than any limit.
type ObjectiveResult struct {
	Text   string  `json:"text"`
	Metric string  `json:"metric"`
	Stat   string  `json:"stat,omitempty"`
	Op     string  `json:"op"`
	Limit  float64 `json:"limit"`
	// Value is in Limit's unit; null, and then not met, without a sample, or where
	// calls without an answer leave a response or service time none: a percentile
	// falls among them, or it is the mean or the maximum.
	Value *float64 `json:"value"`
	Met   bool     `json:"met"`
	N     uint64   `json:"n"` // calls, or entries, behind the value
	// Proof is what the calls prove of an upper limit on a percentile, by how many of them
	// were over it, with their dependence on each other counted; nil of other
	// objectives, of a rate that changes, and in older runs.
	Proof      *selfcheck.Proof `json:"proof,omitempty"`
	Unanswered uint64           `json:"unanswered,omitempty"` // of N; told of response and service times
}

// Row is one line of the reconciliation of the client's account with the node's
// counters.
type Row struct {
	What   string   `json:"what"`
	Client uint64   `json:"client"`         // what we are certain of
	Node   *float64 `json:"node"`           // null: not exposed, or not to be had
	Match  *bool    `json:"match"`          // null: nothing is claimed; Note says why
	Note   string   `json:"note,omitempty"` // what else must be known
}
