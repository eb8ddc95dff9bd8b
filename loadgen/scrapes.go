package loadgen

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"time"

	"volley/loadgen/scrape"
	"volley/results"
)

// Metrics is where the node's metrics are read: a [scrape.Page] or a
// [scrape.Prometheus]. Run calls it from one goroutine at a time. A failure is a
// sample with an error.
type Metrics interface {
	// Read gives what there is to be had now, the oldest first, possibly nothing. It
	// returns when ctx ends.
	Read(ctx context.Context) []scrape.Sample
	// After gives at least one sample, the last of which is of later than t, or has an
	// error. It bounds its time itself.
	After(ctx context.Context, t time.Time) []scrape.Sample
}

// What reading the metrics may cost.
const (
	// scrapeTimeout bounds one scrape of a cadence shorter than that; of a longer one
	// the cadence does, up to longestScrape.
	scrapeTimeout = 3 * time.Second
	longestScrape = 10 * time.Second
	// scrapeShare is the share of one CPU that reading the metrics may take.
	scrapeShare = 0.2
	// longestCadence bounds how rarely they are read for that.
	longestCadence = time.Minute
)

// scraper reads the node's metrics during the load, and keeps account of what went
// wrong. Each thing that goes wrong is told once as it happens, and in the end with
// its number.
type scraper struct {
	from      Metrics
	asked     time.Duration // the cadence
	cadence   time.Duration // what became of it
	start     time.Time
	cpu       func() time.Duration // of the calling thread
	printable func(string) string
	tell      func(string) // as it happens

	scrapes int
	gaps    []gaps
	more    int // gaps for further reasons
	reset   resets
	slowed  string // why the cadence became wider
	others  int    // series that were not kept, the most in any sample
}

// gaps are scrapes that failed for the same reason.
type gaps struct {
	kind, first string
	n           int
}

// wait waits for the next multiple of the cadence; false when done comes first.
func (s *scraper) wait(done <-chan struct{}) bool {
	next := time.Since(s.start).Truncate(s.cadence) + s.cadence
	return timerWaiter{}.until(s.start.Add(next), done)
}

// read reads the metrics once, unless ctx ends first. Samples of before the start are
// not given.
func (s *scraper) read(ctx context.Context) []results.NodeSample {
	bounded, cancel := context.WithTimeout(ctx, min(max(s.cadence, scrapeTimeout), longestScrape))
	defer cancel()
	before := s.cpu()
	found := s.from.Read(bounded)
	cost := s.cpu() - before
	if ctx.Err() != nil { // the load is over: nothing failed
		return nil
	}
	samples := make([]results.NodeSample, 0, len(found))
	for _, f := range found {
		if f.Err == "" && f.Took > s.cadence {
			// Its values are of some time in the exchange: nobody knows which.
			f.Series = nil
			f.Err = fmt.Sprintf("late: it took %v, longer than the %v from one scrape to the next", f.Took.Round(time.Millisecond), s.cadence)
			s.widen(2*s.cadence, fmt.Sprintf("one scrape took %v", f.Took.Round(time.Millisecond)))
		}
		if sample := s.sample(f); sample.At >= 0 {
			samples = append(samples, sample)
		}
	}
	if share := time.Duration(float64(s.cadence) * scrapeShare); cost > share {
		s.widen(time.Duration(float64(cost)/scrapeShare), fmt.Sprintf("reading them once took %v of CPU time", cost.Round(time.Millisecond)))
	}
	return samples
}

// widen makes the cadence at least so wide, in multiples of what was asked for.
func (s *scraper) widen(to time.Duration, why string) {
	was := s.cadence
	for s.cadence < to && 2*s.cadence <= longestCadence {
		s.cadence *= 2
	}
	if s.cadence > was {
		s.slowed = why
		s.tell(s.pace())
	}
}

func (s *scraper) pace() string {
	return fmt.Sprintf("the node's metrics are read every %v in place of every %v: %s", s.cadence, s.asked, s.slowed)
}

func (s *scraper) passedOver() string {
	return fmt.Sprintf("the node exposes %s series beside those that volley knows, more than are kept: target.metrics.keep chooses among them", results.Count(uint64(s.others)))
}

// sample sets the time and counts what is wrong.
func (s *scraper) sample(f scrape.Sample) results.NodeSample {
	n := f.NodeSample
	n.At = f.Time.Sub(s.start)
	if n.Err != "" {
		n.Series, n.Err = nil, s.printable(n.Err)
	}
	if n.At < 0 {
		return n
	}
	s.scrapes++
	if f.Others > 0 && s.others == 0 {
		s.others = f.Others
		s.tell(s.passedOver())
	}
	s.others = max(s.others, f.Others)
	if n.Err != "" {
		s.gap(n)
	} else if s.reset.see(n) {
		s.tell(fmt.Sprintf("the node's counters were reset before %s of the run: was it restarted?", seconds(n.At)))
	}
	return n
}

func (s *scraper) gap(n results.NodeSample) {
	kind := strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, n.Err)
	for i := range s.gaps {
		if s.gaps[i].kind == kind {
			s.gaps[i].n++
			return
		}
	}
	if len(s.gaps) == mostKinds {
		s.more++
		return
	}
	s.gaps = append(s.gaps, gaps{kind, n.Err, 1})
	s.tell(fmt.Sprintf("the node's metrics have a gap at %s: %s", seconds(n.At), n.Err))
}

// mostKinds bounds the reasons that are told apart.
const mostKinds = 8

// warnings says in the end what went wrong, and how often.
func (s *scraper) warnings() (lines []string) {
	failed := s.more
	var reasons []string
	for _, g := range s.gaps {
		failed += g.n
		reason := g.first
		if len(s.gaps) > 1 {
			reason = fmt.Sprintf("%s (%d)", g.first, g.n)
		}
		reasons = append(reasons, reason)
	}
	if s.more > 0 {
		reasons = append(reasons, fmt.Sprintf("further reasons (%d)", s.more))
	}
	if failed > 0 {
		lines = append(lines, fmt.Sprintf("%d of %d scrapes of the node's metrics failed and are gaps: %s",
			failed, s.scrapes, strings.Join(reasons, "; ")))
	}
	if s.slowed != "" {
		lines = append(lines, s.pace())
	}
	if s.others > 0 {
		lines = append(lines, s.passedOver())
	}
	if n := len(s.reset.at); n > 0 {
		when := make([]string, 0, n)
		for _, at := range s.reset.at {
			when = append(when, seconds(at))
		}
		lines = append(lines, "the node's counters were reset (was it restarted?) before "+strings.Join(when, ", ")+" of the run")
	}
	return lines
}

// end looks at the last sample, which is no interval's.
func (s *scraper) end(after results.NodeSample) {
	if after.Series != nil {
		s.reset.see(after)
	}
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }

// newScraper gives the scraper of a run that begins now. before is the sample of
// before it.
func newScraper(r *runner, every time.Duration, before results.NodeSample) *scraper {
	s := &scraper{
		from: r.Metrics, asked: every, cadence: every, start: r.line.start,
		cpu: r.threadCPU, printable: r.printable, tell: r.tell,
	}
	if s.cpu == nil {
		s.cpu = threadCPU
	}
	s.reset.last = before.Series
	return s
}

// sampleAfter gives the first sample of later than then, which totals hang on, and
// what came before it. Without metrics it is empty.
func (r *runner) sampleAfter(ctx context.Context, then time.Time) (last scrape.Sample, sooner []scrape.Sample) {
	if r.Metrics == nil {
		return scrape.Sample{}, nil
	}
	sooner = r.Metrics.After(ctx, then)
	last = sooner[len(sooner)-1]
	if last.Err != "" {
		last.Series, last.Err = nil, r.printable(last.Err)
	}
	return last, sooner[:len(sooner)-1]
}

// last gives the sample of after the load. What was scraped during the load and not
// read yet is handed out first.
func (r *runner) last(ctx context.Context) results.NodeSample {
	last, sooner := r.sampleAfter(ctx, time.Now())
	if r.scraper == nil {
		return results.NodeSample{}
	}
	var samples []results.NodeSample
	for _, f := range sooner {
		if s := r.scraper.sample(f); s.At >= 0 {
			samples = append(samples, s)
		}
	}
	r.hand(samples)
	after := since(r.line.start, last)
	r.scraper.end(after)
	return after
}

// since sets the sample's time in a run that starts then.
func since(start time.Time, s scrape.Sample) results.NodeSample {
	if !s.Time.IsZero() {
		s.At = s.Time.Sub(start)
	}
	return s.NodeSample
}

// scrapes hands out samples until ctx ends. It has a thread of its own, whose CPU time
// is what reading the metrics costs.
func (r *runner) scrapes(ctx context.Context) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for r.scraper.wait(ctx.Done()) {
		if !r.hand(r.scraper.read(ctx)) {
			return
		}
	}
}

// bound hands out the sample of before or after the load; of none it does nothing.
func (r *runner) bound(s results.NodeSample) {
	if r.Metrics != nil {
		r.hand([]results.NodeSample{s})
	}
}

// hand gives samples to whoever wants them; false when that failed.
func (r *runner) hand(samples []results.NodeSample) bool {
	if r.Node == nil {
		return true
	}
	for _, s := range samples {
		if err := r.Node(s); err != nil {
			r.fail(err)
			return false
		}
	}
	return true
}
