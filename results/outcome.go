package results

import (
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Outcome is what became of one call. Times are offsets from the run's start
// on the monotonic clock; Sent is never before Due.
//
//	response = Done - Due    what a user feels
//	service  = Done - Sent
//	lateness = Sent - Due    the generator's own fault
//
// Without an answer, Done is when the call was given up.
type Outcome struct {
	Phase           int // index into Meta.Phases, by Due
	Due, Sent, Done time.Duration
	Class           Class // the call's

	Batch         bool // on the wire an array
	Entries       int  // members sent, of whatever kind
	Items         int  // items sent in all entries
	Notifications int  // members sent as notifications
	Malformed     int  // members sent malformed on purpose

	// ByClass counts every entry once: its values add up to Entries.
	ByClass [NumClasses]int
	// MissingMalformed is how many of ByClass[Missing] were sent malformed on purpose.
	MissingMalformed int
	// Codes are the error codes met: of RPCError, RateLimited and Rejected entries, and of
	// what was answered AsOne (then counted once, for the call).
	Codes []CodeCount
	AsOne bool // one error object answered the whole batch: a BatchError, or RateLimited
	// Surplus counts answers beyond those that were asked for: one to an id that was not
	// sent is none where it stands in the place of an answer that is missing.
	Surplus    int
	Deviations Deviations // what departs from the protocol and fails nothing
	// Parts are the entries by the row of the mix that they were drawn from, each row
	// once. They add up to ByClass; nil: nobody asks.
	Parts      []Part
	HTTPStatus int    // 0 when there was none
	BytesOut   int    // of the body sent
	BytesIn    int    // of the body received
	OverBound  bool   // no caller was free when it was due
	Overrun    bool   // open loop: sent well after its phase's end; see Counts.Overrun
	Held       bool   // held back by the authorised ceiling
	Detail     string // the node's or the system's own words, when Class.Failed
	Oddity     string // of ContentType, the type; else of Huge, the size; else of StatusOfNothing, the status
}

// Answered tells whether the node answered the call: with a JSON-RPC answer, an
// error being one too, to an entry at least or to the batch as a whole; or, where
// nothing was asked but to be notified, by the exchange's success. A reply in which
// every answer is missing or unreadable is none.
func (o *Outcome) Answered() bool {
	switch o.Class {
	case HTTPError, Timeout, Refused, Reset, CutOff:
		return false
	case RateLimited:
		return len(o.Codes) > 0
	case Missing, MalformedResponse, UnknownID:
		return o.ByClass[OK]+o.ByClass[RPCError]+o.ByClass[RateLimited]+o.ByClass[ResultError]+o.ByClass[Duplicate]+o.ByClass[Rejected] > 0 ||
			o.Class == UnknownID && o.ByClass[UnknownID] == 0 // of notifications that were answered
	}
	return true
}

// CodeCount is a JSON-RPC error code and how many entries carried it.
type CodeCount struct {
	Code  int64
	Count int
}

// Counts adds up outcomes. Its zero value is ready for use.
type Counts struct {
	Calls, Entries, Items, Notifications, Malformed uint64
	Batches, BatchEntries                           uint64             // calls that were arrays, and their entries
	ByClass                                         [NumClasses]uint64 // entries
	CallsByClass                                    [NumClasses]uint64
	BatchesByClass                                  [NumClasses]uint64 // calls that were arrays
	BatchEntriesByClass                             [NumClasses]uint64 // entries of calls that were arrays
	ByCode                                          map[int64]uint64
	BatchByCode                                     map[int64]uint64 // of ByCode, those of entries of calls that were arrays
	SingleByCode                                    map[int64]uint64 // of ByCode, those of bare requests
	BatchErrorEntries                               map[int64]uint64 // entries of batches that were answered by one error object, by its code
	// LimitedBatches were turned away as a whole as over a rate (RateLimited), with
	// LimitedEntries; LimitedUnread counts calls that HTTP 429 turned away without a
	// JSON-RPC answer.
	LimitedBatches, LimitedEntries, LimitedUnread uint64
	// Overrun counts calls of an open loop sent later than their phase's end by more
	// than the greater of 10 ms and 1% of its length: the rate was not reached.
	Overrun           uint64
	Held              uint64 // calls that the authorised ceiling held back
	ByHTTPStatus      map[int]uint64
	Surplus           uint64
	Deviations        [NumDeviations]uint64 // calls whose replies departed so
	BytesOut, BytesIn uint64
	OverBound         uint64 // calls that found no free caller when due
	Unsent            uint64 // calls due but never sent: the run ended first
	Clipped           uint64 // latencies outside the histogram's range
	// Unanswered counts calls that the node did not answer, at once or ever; see
	// Outcome.Answered. Each misses every objective for the response or service time.
	Unanswered uint64
	// GoodItems counts the items of good entries (GoodEntries), all entries of a call
	// holding equally many.
	GoodItems uint64
}

// Latency holds the three distributions of one phase over some interval, in
// microseconds, with three significant digits from 1 us to one hour. What does
// not fit is recorded at the range's edge and counted in Counts.Clipped.
//
// Response and Service are of the calls that were answered (Outcome.Answered) and
// of those that waited in vain (Timeout, CutOff), whose time is a lower bound of
// what an answer would have taken. A call that failed without an answer is in
// neither: that a node refuses fast makes it no faster. Lateness is of every call.
type Latency struct {
	Response, Service, Lateness *hdrhistogram.Histogram
}

// PhaseSlice is one phase's part of an interval.
type PhaseSlice struct {
	Phase    int           // index into Meta.Phases
	LastSent time.Duration // the latest Outcome.Sent
	// FirstSent is the earliest Outcome.Sent; it means nothing without calls.
	FirstSent time.Duration
	Counts
	Latency
}

// Snapshot is what is known over one interval: the calls that were done in it.
// A receiver owns what it is given.
type Snapshot struct {
	Start, End time.Duration // offsets from the run's start
	Wall       time.Time     // at End
	Phases     []PhaseSlice  // those with something to tell
	Current    int           // the phase the plan is in; len(Meta.Phases) when draining
	InFlight   int           // calls under way at End
	// InFlightMean is the mean number of calls under way over the interval, by the
	// integral of it; nil: not known, as of older runs.
	InFlightMean *float64
	Planned      uint64 // calls that became due in the interval
	// Asked is the mean of the rate that the phase it is in asked for in the interval, in
	// the phase's unit, changes by hand included; 0 for a closed loop, when draining, and
	// in older runs.
	Asked float64
	// RateSteps are the changes of the rate by hand that took effect.
	RateSteps []RateStep
	Health    Health    // the generator's own
	Breakdown Breakdown // of the calls of Phases, by mix row and size band
}

// NodeSample is one scrape of the node: series (name with its sorted labels as
// in the exposition, `name{a="b"}`) and values. A scrape that failed has Err
// and no series.
type NodeSample struct {
	At     time.Duration      `json:"at_ns"` // offset from the run's start, middle of the exchange
	Series map[string]float64 `json:"series,omitempty"`
	Err    string             `json:"error,omitempty"`
}
