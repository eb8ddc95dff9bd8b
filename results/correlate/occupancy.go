package correlate

import (
	"fmt"
	"math"
)

// Occupancy is how many of its execution slots a batch in the node holds, and whether
// the limit on them is what holds batches up.
//
// From the gauges: entries in flight over batches in flight, over the scrapes that
// found a batch in flight, as a ratio of sums with its standard error (the ratio
// estimator: W. G. Cochran, Sampling Techniques, 3rd ed., 6.4). From the sums: the
// increase of the methods' processing time over that of the batches', which by
// Little's law is the same ratio of means, exactly; it needs a node whose methods'
// times are those of the entries of batches alone.
//
// The limit binds when it leaves batches fewer slots than they have entries, by 10% or
// more on average, and they hold at least 80% of those. With limit c a batch of n equal
// entries runs in ceil(n/c) rounds, all but the last of them full, so that batches can
// hold sum(n)/sum(ceil(n/c)) slots on average, and sum(n)/batches without a limit. It
// does not bind when no batch is larger than the limit. Where that is not known, as the
// mean is not over the limit but some batch may be, nothing is claimed.
type Occupancy struct {
	Limit     int      `json:"limit"`       // 0: not known
	BatchSize float64  `json:"batch_size"`  // mean entries of a batch of the client's
	Largest   *float64 `json:"largest"`     // no batch in the node had more entries; nil: not known
	Gauges    *float64 `json:"from_gauges"` // nil: not exposed, or fewer than 10 samples with a batch in flight
	GaugesSE  *float64 `json:"from_gauges_se"`
	Samples   int      `json:"samples"`
	Sums      *float64 `json:"from_sums"` // nil: not to be had
	Verdict   Verdict  `json:"verdict"`
	Reason    string   `json:"reason"` // one sentence
}

// Value is what the verdict is of: Sums, or else Gauges; false without either.
func (o *Occupancy) Value() (float64, bool) {
	switch {
	case o.Sums != nil:
		return *o.Sums, true
	case o.Gauges != nil:
		return *o.Gauges, true
	}
	return 0, false
}

const (
	fewestSlots   = 10 // samples of the gauges
	fewestBatches = 30 // behind the sums
	nearlyFull    = 0.8
	littleCost    = 0.9 // of the slots without a limit: what is over it hardly tells
)

// Occupancy judges with a limit, 0 being one that is not known, and with the most
// entries that a batch of the client's has, 0 likewise.
func (i *Interval) Occupancy(limit, largest int) (*Occupancy, string) {
	c := &i.Client
	batches := i.Node.Histograms[BatchTime]
	methods, timed := i.Node.Histograms[MethodTime]
	_, sampled := i.Node.Gauges[EntriesInFlight]
	switch {
	case c.Batches == 0:
		return nil, "no batch was sent"
	case !sampled && !timed:
		return nil, "the node exposes neither entries in flight nor the time of methods"
	}
	o := &Occupancy{Limit: limit, BatchSize: float64(c.BatchEntries) / float64(c.Batches), Samples: i.Node.Slots.N}
	if most, ok := i.largestBatch(largest); ok {
		o.Largest = &most
	}
	if ratio, se, ok := i.Node.Slots.ratio(); ok && o.Samples >= fewestSlots {
		o.Gauges, o.GaugesSE = &ratio, &se
	}
	if timed && batches.Count >= fewestBatches && batches.Sum > 0 && i.batchesAlone() {
		ratio := methods.Sum / batches.Sum
		o.Sums = &ratio
	}
	o.judge(i)
	return o, ""
}

// batchesAlone tells whether all calls of methods were entries of batches.
func (i *Interval) batchesAlone() bool {
	if i.Client.singles() > 0 {
		return false
	}
	if singles, exposed := i.Node.Counters[Singles]; exposed {
		return singles == 0
	}
	calls, counted := i.Node.Counters[MethodCalls]
	entries, both := i.Node.Counters[Entries]
	return counted && both && calls <= entries
}

// largestBatch bounds the size of every batch that the node saw: by its histogram,
// and by the client's largest one where the node saw no batch but the client's.
func (i *Interval) largestBatch(ours int) (most float64, known bool) {
	sizes, ok := i.Node.Histograms[BatchSize]
	if ok {
		most, known = sizes.AtMost()
	}
	if ours > 0 && i.Node.Histograms[BatchTime].Count <= float64(i.Client.Batches+i.edges()) && (!known || most > float64(ours)) {
		return float64(ours), true
	}
	return most, known
}

func (o *Occupancy) judge(i *Interval) {
	value, known := o.Value()
	over := o.BatchSize > float64(o.Limit)
	switch {
	case o.Limit <= 0:
		o.Verdict, o.Reason = Unknown, "the limit on a batch's entries at once is not told"
		if known {
			o.Reason = fmt.Sprintf("batches of %.3g entries hold %.3g slots on average, but the limit on them is not told", o.BatchSize, value)
		}
	case o.Largest != nil && *o.Largest <= float64(o.Limit):
		o.Verdict = BindsNot
		o.Reason = fmt.Sprintf("no batch has more than %.0f entries, and the limit is %d", *o.Largest, o.Limit)
	case !known:
		o.Verdict = NotEnough
		o.Reason = fmt.Sprintf("%d scrapes found a batch in flight (%d needed)", o.Samples, fewestSlots)
	case !over && o.Largest == nil:
		o.Verdict = Unknown
		o.Reason = fmt.Sprintf("batches of %.3g entries on average hold %.3g slots of %d, but how large they get is not known", o.BatchSize, value, o.Limit)
	default:
		o.compare(value, i.rounds(o.Limit, o.BatchSize, o.Largest))
	}
}

// compare judges batches of which some are over the limit, and which take that many
// rounds.
func (o *Occupancy) compare(value, rounds float64) {
	most, only := o.BatchSize/rounds, ""
	if most >= littleCost*o.BatchSize {
		o.Verdict = BindsNot
		o.Reason = fmt.Sprintf("batches of %.3g entries on average hold %.3g slots, and as few are over the limit of %d they could hold %.3g", o.BatchSize, value, o.Limit, most)
		return
	}
	o.Verdict = Binds
	if value < nearlyFull*most {
		o.Verdict, only = BindsNot, "only "
	}
	o.Reason = fmt.Sprintf("batches of %.3g entries hold %s%.3g slots on average, where the limit of %d leaves about %.3g", o.BatchSize, only, value, o.Limit, most)
}

// rounds is how many rounds a batch takes on average if it fills the limit's slots in
// each but the last: by the node's histogram of sizes, of whose buckets every batch is
// taken to be as large as it may be, or else as if all had the mean size.
func (i *Interval) rounds(limit int, mean float64, largest *float64) float64 {
	sizes, ok := i.Node.Histograms[BatchSize]
	if !ok || len(sizes.Buckets) == 0 || !(sizes.Count > 0) {
		return math.Max(1, math.Ceil(mean/float64(limit)))
	}
	sum, below := 0.0, 0.0
	add := func(upTo, size float64) {
		if largest != nil {
			size = math.Min(size, *largest)
		}
		sum += (upTo - below) * math.Max(1, math.Ceil(size/float64(limit)))
		below = upTo
	}
	for _, b := range sizes.Buckets {
		add(b.Count, b.Le)
	}
	add(sizes.Count, sizes.Buckets[len(sizes.Buckets)-1].Le) // at least that
	return sum / sizes.Count
}

// ratio is y over x and its standard error; false where no sample had a batch.
func (s Slots) ratio() (r, se float64, ok bool) {
	if s.N == 0 || !(s.Batches > 0) {
		return 0, 0, false
	}
	r = s.Entries / s.Batches
	n := float64(s.N)
	residuals := math.Max(0, s.EntriesSquared-2*r*s.BatchesEntries+r*r*s.BatchesSquared)
	if s.N > 1 {
		se = math.Sqrt(residuals/(n-1)/n) / (s.Batches / n)
	}
	return r, se, true
}
