package loadgen

import (
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

// generator tells of the generator between two instants. What it is worth is for
// results to judge.
func generator(before, after vitals, r *recorder, late *hdrhistogram.Histogram) results.Generator {
	g := results.Generator{
		Planned:     r.counted,
		Sent:        r.total.Calls,
		Overrun:     r.total.Overrun,
		Unsent:      r.total.Unsent,
		OverBound:   r.total.OverBound,
		MaxInFlight: int(r.most.Load()),
		Exhausted:   r.exhausted.Load(),
		Clipped:     r.total.Clipped,
		GCCycles:    after.cycles - before.cycles,
		CPUs:        cpus(),
	}
	r.dials.tell(&g)
	if wall := after.at.Sub(before.at); wall > 0 {
		g.CPUFraction = float64(after.cpu-before.cpu) / float64(wall) / float64(g.CPUs)
	}
	g.GCPauses = came(before.pauses, after.pauses)
	g.GCPauseP99US = 1e6 * quantile(before.pauses, after.pauses, 0.99)
	g.GCPauseMaxUS = 1e6 * quantile(before.pauses, after.pauses, 1)
	g.SchedWaits = came(before.waits, after.waits)
	g.SchedP99US = 1e6 * quantile(before.waits, after.waits, 0.99)
	if late.TotalCount() > 0 {
		g.LatenessP99US = float64(late.ValueAtQuantile(99))
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

// came is how many values came to a cumulative histogram between two samples.
func came(before, after *metrics.Float64Histogram) (n uint64) {
	if after == nil {
		return 0
	}
	for i, count := range after.Counts {
		n += count
		if before != nil && i < len(before.Counts) {
			n -= before.Counts[i]
		}
	}
	return n
}

// quantile reads q from what came to a cumulative histogram between two samples:
// the upper edge of its bucket, or the lower where that is infinite; 0 when
// nothing came.
func quantile(before, after *metrics.Float64Histogram, q float64) float64 {
	if after == nil {
		return 0
	}
	total := came(before, after)
	counts := make([]uint64, len(after.Counts))
	for i, n := range after.Counts {
		if before != nil && i < len(before.Counts) {
			n -= before.Counts[i]
		}
		counts[i] = n
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
