package loadgen

import (
	"fmt"
	"math"
	"runtime/metrics"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"volley/results"
	"volley/scenario"
)

// vitals is the generator's own state at one instant.
type vitals struct {
	at     time.Time
	cpu    time.Duration
	pauses *metrics.Float64Histogram
	waits  *metrics.Float64Histogram // of goroutines, for a CPU
	cycles uint64                    // of the garbage collector
}

func takeVitals() vitals {
	samples := []metrics.Sample{
		{Name: "/sched/pauses/total/gc:seconds"},
		{Name: "/sched/latencies:seconds"},
		{Name: "/gc/cycles/total:gc-cycles"},
	}
	metrics.Read(samples)
	v := vitals{at: time.Now(), cpu: cpuTime()}
	if samples[0].Value.Kind() == metrics.KindFloat64Histogram {
		v.pauses = samples[0].Value.Float64Histogram()
	}
	if samples[1].Value.Kind() == metrics.KindFloat64Histogram {
		v.waits = samples[1].Value.Float64Histogram()
	}
	if samples[2].Value.Kind() == metrics.KindUint64 {
		v.cycles = samples[2].Value.Uint64()
	}
	return v
}

// busyCPU is the share of its CPUs above which the generator, by its own account,
// had no room left.
const busyCPU = 0.9

// generator judges the generator. It decided the rate itself, in place of the
// node, when its CPUs were full, or when more than one call in twenty was sent
// after its phase's end or not at all although a caller was free.
func generator(before, after vitals, r *recorder, late *hdrhistogram.Histogram, cut bool) results.Generator {
	g := results.Generator{
		Verdict:     results.GeneratorOK,
		Planned:     r.counted,
		Sent:        r.total.Calls,
		Overrun:     r.total.Overrun,
		Unsent:      r.total.Unsent,
		OverBound:   r.total.OverBound,
		MaxInFlight: int(r.most.Load()),
		Clipped:     r.total.Clipped,
		GCCycles:    after.cycles - before.cycles,
		CPUs:        cpus(),
	}
	r.dials.tell(&g)
	if wall := after.at.Sub(before.at); wall > 0 {
		g.CPUFraction = float64(after.cpu-before.cpu) / float64(wall) / float64(g.CPUs)
	}
	g.GCPauseMaxUS = 1e6 * quantile(before.pauses, after.pauses, 1)
	g.SchedP99US = 1e6 * quantile(before.waits, after.waits, 0.99)
	if late.TotalCount() > 0 {
		g.LatenessP99US = float64(late.ValueAtQuantile(99))
	}
	// What was never sent waited for a caller or the ceiling until the run ended; what
	// overran may have. The rest had a free caller, and is ours.
	waited := g.OverBound + r.total.Held
	ours := g.Overrun - min(g.Overrun, waited)
	switch {
	case g.CPUFraction >= busyCPU:
		g.Verdict = results.GeneratorLimited
		g.Reason = fmt.Sprintf("the generator used %.0f%% of its %d CPUs", 100*g.CPUFraction, g.CPUs)
	case r.exhausted.Load() > 0:
		g.Verdict = results.GeneratorLimited
		g.Reason = fmt.Sprintf("%d calls could not be sent for want of sockets, ports or memory on this machine: raise its limits (ulimit -n) or lower in_flight", r.exhausted.Load())
	case !cut && ours*20 > g.Planned:
		g.Verdict = results.GeneratorLimited
		g.Reason = fmt.Sprintf("%s of %s calls were sent after their phase's end, although callers were free", results.Count(ours), results.Count(g.Planned))
	}
	return g
}

// lateness merges the measured phases'.
func (r *recorder) lateness(p *scenario.Plan) *hdrhistogram.Histogram {
	sum := results.NewLatency().Lateness
	for i, h := range r.late {
		if h != nil && p.Phases[i].Measured {
			sum.Merge(h)
		}
	}
	return sum
}

// quantile reads q from what came to a cumulative histogram between two samples:
// the upper edge of its bucket, or the lower where that is infinite; 0 when
// nothing came.
func quantile(before, after *metrics.Float64Histogram, q float64) float64 {
	if after == nil {
		return 0
	}
	var total uint64
	counts := make([]uint64, len(after.Counts))
	for i, n := range after.Counts {
		if before != nil && i < len(before.Counts) {
			n -= before.Counts[i]
		}
		counts[i] = n
		total += n
	}
	want := uint64(math.Ceil(q * float64(total)))
	var seen uint64
	for i, n := range counts {
		if seen += n; n > 0 && seen >= want {
			if edge := after.Buckets[i+1]; !math.IsInf(edge, 1) {
				return edge
			}
			return max(after.Buckets[i], 0)
		}
	}
	return 0
}
