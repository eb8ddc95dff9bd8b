package loadgen

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"volley/loadgen/transport"
	"volley/results"
	"volley/results/selfcheck"
	"volley/scenario"
)

// Config is what a run needs.
type Config struct {
	Plan     *scenario.Plan
	Endpoint transport.Endpoint // Run opens connections and closes those, not the endpoint

	Metrics Metrics // where the node's own metrics are read; nil for nowhere

	// Snapshot receives what happened in each second of the run, and what is left
	// at its end. Node receives the samples of the node's metrics, those before
	// and after the load among them, from one goroutine at a time each. An error ends the run and is returned.
	// Either may be nil.
	Snapshot func(*results.Snapshot) error
	Node     func(results.NodeSample) error

	// Failed, when not nil, is told of each class that calls fail with once, after the
	// first snapshot with one of them: with the node's or the system's own words, ""
	// for none.
	Failed func(class results.Class, words string)

	// Sent, when not nil, is told of every call when it is over: when it was due and
	// when it was sent, from the first phase's start. It is called from several
	// goroutines, which wait for it.
	Sent func(due, sent time.Duration)

	// Stop, when closed, ends the load: no more calls are sent, those under way
	// have Plan.Drain to finish. nil: never.
	Stop <-chan struct{}

	// Rates, when not nil, changes the rate of open loops while the run goes on.
	Rates *Rates

	// Secrets are texts that must not come back in what a node says: they are
	// struck out of warnings, errors and samples.
	Secrets []string

	// Warn receives warnings as they arise, one at a time; what they say is in the
	// Account too. May be nil.
	Warn func(string)
}

// Account is what Run knows beyond the snapshots.
type Account struct {
	// Before and After are the node's metrics right before the load and right after
	// the drain, where there are Metrics.
	Before, After results.NodeSample
	Reset         bool                // the node's counters began anew in between
	Interrupted   bool                // stopped before the plan was through
	Stopped       time.Duration       // when interrupted: when sending ended, from the first phase's start
	Left          bool                // ctx ended: After was not read
	Elapsed       time.Duration       // from the first phase's start to the end of the drain
	Generator     results.Generator   // without a verdict: that is what the checks come to
	Arrivals      [][]selfcheck.Check // of when calls were sent; see results.End
	Warnings      []string
	Pinned        map[string]string  // the hash of each pinned block by its name
	RateSteps     []results.RateStep // changes of the rate by hand that took effect; the snapshots have them too
}

// Run executes the plan and returns when it is through, drained, and every
// goroutine that it started has ended. When ctx ends it leaves at once; calls under
// way are cut off and counted so. What the node does wrong is in the snapshots; an
// error is a *[CanaryError], one of Snapshot's or Node's, one of the plan, or, when ctx
// ended before the load, the context's.
func Run(ctx context.Context, c Config) (*Account, error) {
	r := runner{Config: c, wait: newWaiter()}
	return r.run(ctx)
}

// runner is one run, with the means that tests put in place of the clock and the network.
type runner struct {
	Config
	wait    waiter
	scraper *scraper // nil: there are no metrics

	threadCPU func() time.Duration // of the calling thread; nil: what the system says

	account Account
	ahead   bool // the endpoint's connections are Starters
	line    *line
	monitor *monitor
	phases  []results.PhaseMeta
	steps   []results.RateStep // of the rate, that snapshots told of
	rec     *recorder
	quit    quitting
	cut     context.CancelFunc // cuts off the calls under way

	telling sync.Mutex // one warning at a time

	mu  sync.Mutex
	err error // the first of ours
}

func (r *runner) run(ctx context.Context) (*Account, error) {
	ctx, cancel := context.WithCancel(ctx)
	r.quit.done = make(chan struct{})

	// Before the load there is nothing to drain: the calls that go before it end
	// with the first interrupt.
	early, endEarly := context.WithCancel(ctx)

	var watcher sync.WaitGroup
	watcher.Go(func() {
		select {
		case <-r.Stop:
		case <-ctx.Done():
		}
		r.quit.quit()
		endEarly()
	})
	defer watcher.Wait()
	defer cancel() // before the wait, whose goroutine it ends

	r.rec = newRecorder(len(r.Plan.Phases))
	r.phases, _ = Describe(r.Plan)
	if err := r.prepare(ctx, early); err != nil {
		return nil, err
	}
	r.load(ctx, early)
	r.mu.Lock()
	defer r.mu.Unlock()
	return &r.account, r.err
}

// prepare makes the calls that go before the load; they end with early.
func (r *runner) prepare(ctx, early context.Context) error {
	sizes := newSizes(r.Plan)
	seq := newSequence(&sizes)
	conn, err := r.Endpoint.Open()
	_, r.ahead = conn.(transport.Starter)
	if err != nil {
		return &CanaryError{Words: r.printable(err.Error()), Err: errors.New("no connection to the node")}
	}
	s := r.scout(early, conn)
	s.seq = seq
	work, pinned, err := s.ready()
	if err != nil {
		_ = s.leave() // it says how a session ends that served nothing
	}
	if e := conn.Close(); err == nil && e != nil {
		r.warn(fmt.Sprintf("closing the first connection: %v", e))
	}
	switch {
	case err != nil && early.Err() != nil:
		return context.Cause(early)
	case err != nil:
		return err
	}
	for _, w := range s.warnings {
		r.warn(w)
	}
	r.account.Pinned = pinned
	calls, cut := context.WithCancel(ctx)
	r.cut = cut
	r.line = &line{
		ctx: calls, work: work, seq: seq, endpoint: r.Endpoint, field: s.field, rec: r.rec, fidelity: newFidelity(r.Plan, &sizes),
		expect: r.Plan.Expect, dialect: r.Plan.Target.Dialect, rates: r.Rates, ceiling: ceiling(r.Plan, &sizes), timeout: r.Plan.Timeout, quit: &r.quit, sent: r.Sent,
	}
	return nil
}

// scout gives who makes the calls beside the load, over a connection.
func (r *runner) scout(ctx context.Context, conn transport.Conn) *scout {
	s := &scout{
		ctx: ctx, printable: r.printable, plan: r.Plan, conn: conn, judge: newCorrelator(),
		learn: func(secret string) { r.Secrets = append(slices.Clip(r.Secrets), secret) },
	}
	if r.line != nil {
		s.seq = r.line.seq
	}
	s.judge.speak(r.Plan.Target.Dialect)
	return s
}

// ceiling gives the bucket that keeps the load to what was authorised. It holds
// one call of the greatest size, so that each can pass.
func ceiling(p *scenario.Plan, z *sizes) *rate.Limiter {
	if p.Target.Authorised == nil {
		return nil
	}
	limit := p.Target.Authorised.MaxRate.Value
	return rate.NewLimiter(rate.Limit(limit), max(z.size.max, int(math.Ceil(limit/100)), 1))
}

// load makes the load: from the sample before it, which ends with early, to the one
// after it.
func (r *runner) load(ctx, early context.Context) {
	before, _ := r.sampleAfter(early, time.Now())
	r.monitor = newMonitor(cpus(), r.wait.spun, r.rec.dials.count)
	restore := func() {}
	if r.ahead {
		restore = widen()
	}
	vitals := takeVitals()
	l := r.line
	l.start = time.Now()
	r.rec.start = l.start
	r.account.Before = since(l.start, before)
	r.bound(r.account.Before)

	done := make(chan struct{})
	scraping, endScraping := context.WithCancel(ctx)
	var watchers sync.WaitGroup
	watchers.Go(func() { r.snapshots(done) })
	if every := r.Plan.Target.Metrics.Every; r.Metrics != nil {
		r.scraper = newScraper(r, every, r.account.Before)
		if every > 0 {
			watchers.Go(func() { r.scrapes(scraping) })
		}
	}

	calls := newPool(l, r.Plan.InFlight, r.ahead)
	d := newDispatcher(l, r.Plan, calls, r.wait)
	if err := d.run(); err != nil {
		r.fail(err)
	}
	l.finished.Store(true)
	by := d.last
	if closed(l.quit.done) {
		by = min(by, l.now()+r.Plan.Drain)
	}
	calls.drain(l.ctx, l.start.Add(by))
	if r.account.Interrupted = closed(l.quit.done); r.account.Interrupted {
		r.account.Stopped = l.quit.at.Sub(l.start)
	}
	r.quit.quit() // for callers that the ceiling still holds back
	r.cut()
	calls.close()
	restore()
	r.account.Elapsed = l.now()
	r.account.RateSteps = r.Rates.since(0)
	close(done)
	endScraping() // one that hangs does not hold up the end
	watchers.Wait()

	after := takeVitals()
	after.cpu -= r.wait.spun()
	if r.account.Left = ctx.Err() != nil; !r.account.Left {
		r.account.After = r.last(ctx)
		r.account.Left = ctx.Err() != nil
		r.bound(r.account.After)
		r.endSession(ctx)
	}
	r.judge(vitals, after)
}

// widen lets as many threads more run Go as sleep in the kernel between calls: one of
// the dispatcher's, and one for each CPU of the transport's. A thread in the kernel
// keeps its place for a while; were places as few as CPUs, what wants to run
// meanwhile would wait for it. The function that it returns takes that back. Of runs at
// the same time the first widens, and the last to end takes it back.
func widen() func() {
	widened.Lock()
	defer widened.Unlock()
	if widened.runs++; widened.runs == 1 {
		widened.cpus = runtime.GOMAXPROCS(0)
		runtime.GOMAXPROCS(2*widened.cpus + 1)
	}
	return func() {
		widened.Lock()
		defer widened.Unlock()
		if widened.runs--; widened.runs == 0 {
			runtime.GOMAXPROCS(widened.cpus)
		}
	}
}

// cpus is how many CPUs Go may use, whatever widen did.
func cpus() int {
	widened.Lock()
	defer widened.Unlock()
	if widened.runs > 0 {
		return widened.cpus
	}
	return runtime.GOMAXPROCS(0)
}

// widened is what widen did: the number of threads is the process's.
var widened struct {
	sync.Mutex
	runs, cpus int
}

// judge says what is known of the generator, and what the node said of calls that
// failed. Calls that were late or never sent are in the snapshots; what all of that
// says of the run is for results to judge.
func (r *runner) judge(before, after vitals) {
	late := r.rec.lateness(r.Plan)
	r.account.Generator = generator(before, after, r.rec, late)
	r.account.Arrivals = r.line.fidelity.checks()
	for _, w := range r.rec.sentences(r.printable) {
		r.warn(w)
	}
	if made := r.rec.dials.count(); !onPurpose(r.Plan.Target.Connections) && r.Plan.Target.Transport != "stdio" {
		if w := closings(made, r.rec.most.Load(), &r.rec.total); w != "" {
			r.warn(w)
		}
	}
	if r.scraper != nil {
		r.account.Reset = len(r.scraper.reset.at) > 0
		r.account.Warnings = append(r.account.Warnings, r.scraper.warnings()...)
	}
}

// warn is for what is told once, and tell for what will be in the account in other words.
func (r *runner) warn(w string) {
	r.account.Warnings = append(r.account.Warnings, w)
	r.tell(w)
}

func (r *runner) tell(w string) {
	if r.Warn == nil {
		return
	}
	r.telling.Lock()
	defer r.telling.Unlock()
	r.Warn(w)
}

// fail ends the run for a reason of our own.
func (r *runner) fail(err error) {
	r.mu.Lock()
	if r.err == nil {
		r.err = err
	}
	r.mu.Unlock()
	r.quit.quit()
	r.cut()
}
