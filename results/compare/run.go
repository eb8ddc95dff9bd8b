package compare

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"volley/results"
	"volley/results/paired"
	"volley/results/selfcheck"
	"volley/results/study"
)

// Run is what is compared of one stored run.
type Run struct {
	Dir         string
	Seed        uint64
	Started     time.Time
	Environment map[string]string
	Block       int // of the experiment that made it; 0: none did

	summary *results.Summary
	plan    map[string]string // the effective plan, key by key; nil: not stored
	flaw    string            // why it should not be compared at all; "" for nothing
	values  map[string]float64
	windows []paired.Window // of the response time
	slices  []results.PhaseSlice
	calls   int64 // with a response time
	spec    *study.Trial
}

// Read takes from a run directory what is compared. A run that is void, cut off or
// damaged is read as far as it goes; Check refuses it.
func Read(dir string) (*Run, error) {
	stored, err := results.Open(dir)
	if err != nil {
		return nil, err
	}
	trial, err := study.ReadTrial(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	s := &stored.Summary
	r := &Run{
		Dir: dir, Seed: s.Seed, Started: s.Started, Environment: s.Environment,
		summary: s, values: map[string]float64{}, flaw: flaw(s, trial), spec: trial,
	}
	if trial != nil {
		r.Block = trial.Block
	}
	if len(stored.Meta.Plan) > 0 {
		if r.plan, err = flatten(stored.Meta.Plan); err != nil {
			return nil, fmt.Errorf("%s: plan.yaml: %w", dir, err)
		}
	}
	return r, r.measure(stored)
}

// flaw says why a run's figures are not worth comparing. An experiment has judged its
// trials itself: a node that did not keep up with a rate is none of the generator's
// faults.
func flaw(s *results.Summary, trial *study.Trial) string {
	switch {
	case trial != nil && trial.Void:
		return "is void: " + trial.Reason
	case trial == nil && s.Status == results.Void:
		return "is void: " + s.VoidReason
	case s.Status == results.Interrupted:
		return "was interrupted"
	case s.Status == results.Running:
		return "still goes on"
	case s.Status == results.Cut:
		return "was cut off"
	case len(s.RateSteps) > 0:
		return "had its rate changed by hand"
	}
	return ""
}

// measure reads the run's intervals.
func (r *Run) measure(stored *results.Run) error {
	phases := stored.Meta.Phases
	measured := func(i int) bool { return i < len(phases) && phases[i].Measured }
	whole := results.PhaseSlice{Latency: results.NewLatency()}
	var calls uint64
	for s, err := range stored.Snapshots() {
		if err != nil {
			return err
		}
		for i := range s.Phases {
			p := &s.Phases[i]
			calls += p.Calls
			if !measured(p.Phase) {
				continue
			}
			whole.Merge(p)
			r.slices = append(r.slices, *p)
			r.windows = append(r.windows, window(p))
		}
	}
	if err := stored.Tells(calls); err != nil {
		return err
	}
	r.take(&whole)
	return nil
}

// take fills in the metrics of a run that came to that in its measured phases.
func (r *Run) take(whole *results.PhaseSlice) {
	r.calls = whole.Response.TotalCount()
	from := source{r.summary, whole}
	for i := range metrics {
		m := &metrics[i]
		if v := m.of(&from); v != nil && !math.IsNaN(*v) && !math.IsInf(*v, 0) {
			r.values[m.Name] = *v
		}
	}
}

// never stands for the response time of a call that was not answered, at once or ever:
// the longest that there is.
const never = float64(time.Hour / time.Microsecond)

// window gives the response times of an interval. Calls that were not answered are in
// it, as the slowest.
func window(p *results.PhaseSlice) paired.Window {
	var w paired.Window
	var in int64
	for _, bar := range bars(p.Response) {
		w = append(w, paired.Bin{Value: math.Max(1, float64(bar.To)), Count: bar.Count})
		in += bar.Count
	}
	waited := int64(p.CallsByClass[results.Timeout] + p.CallsByClass[results.CutOff])
	if atOnce := int64(p.Unanswered) - waited; atOnce > 0 {
		w = append(w, paired.Bin{Value: never, Count: atOnce})
	}
	return w
}

func bars(h *hdrhistogram.Histogram) []hdrhistogram.Bar {
	if h == nil {
		return nil
	}
	return slices.DeleteFunc(h.Distribution(), func(b hdrhistogram.Bar) bool { return b.Count == 0 })
}

// block is how many of the run's windows depend on each other as far as being beyond
// the quantile goes, ten times over; 0 where that is not known.
func (r *Run) block(limit float64) int {
	var d selfcheck.Overdispersion
	var calls int64
	for i := range r.slices {
		p := &r.slices[i]
		var over int64
		for _, bar := range bars(p.Response) {
			if float64(bar.To) > limit {
				over += bar.Count
			}
		}
		d.Add(over, int64(p.Calls))
		calls += int64(p.Calls)
	}
	tau, known := d.Tau()
	if !known || calls == 0 {
		return 0
	}
	return int(math.Ceil(10 * tau * float64(len(r.slices)) / float64(calls)))
}
