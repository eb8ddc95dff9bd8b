package target

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Costs are what the parts of an exchange take beside the work that they are,
// so that it can be told what sharing one saves: a call (an HTTP request or a
// line, be it a singleton or a batch) once, each entry that is executed, and
// each item of an entry, the elements of its array parameter. An entry whose
// method takes no such array has one item.
//
// Entry and Item are spent in the entry's execution slot, together with the
// method's service time. Call is spent where an envelope is read and taken
// apart: on the connection, whose next body waits for it, and in no slot. So
// calls of one connection pay it one after another, of several at once.
type Costs struct {
	Call  Service `json:"call" doc:"of an HTTP request or a line, once, on its connection"`
	Entry Service `json:"entry" doc:"of each entry that is executed, in its slot"`
	Item  Service `json:"item" doc:"of each element of an entry's array parameter, in its slot"`
}

// ExecutionConfig is what an Execution is made of.
type ExecutionConfig struct {
	Slots      int // at least 1
	Cost       Costs
	Contention Contention
	Seed       uint64 // of the times that are drawn
}

// Execution is where a dialect's calls run: the slots, first come first served,
// and what is spent in them beside the calls' own work. Safe for concurrent use.
//
// What is drawn comes from the seed alone, and from Vary: the n-th entry that arrives
// draws from the n-th stream of the seed, whenever it runs and whatever runs beside it.
// So the same calls in the same order take the same times, as far as these are drawn,
// with any number of slots and any limit: two settings of a node can be held against each
// other at equal work.
type Execution struct {
	pool       *Pool
	cost       Costs
	contention Contention
	wait       func(context.Context, time.Duration) error
	injected   *injected // nil: nothing ever costs anything

	seed    uint64
	turns   atomic.Uint64 // entries that came
	calls   atomic.Uint64 // envelopes
	sources sync.Pool     // of *source
}

// Executing is a dialect whose calls run in an Execution that the node shares:
// it spends the cost of calls there and says how waits are waited.
type Executing interface {
	Execution() *Execution
}

// NewExecution builds an execution whose waits are the function Wait's, until a
// node with Options.Wait takes it over. services are all that Enter will be given.
func NewExecution(c ExecutionConfig, services ...Service) *Execution {
	x := &Execution{
		pool: NewPool(c.Slots), cost: c.Cost, contention: c.Contention, wait: Wait, seed: c.Seed,
		sources: sync.Pool{New: func() any { return newSource() }},
	}
	for _, s := range slices.Concat(services, []Service{c.Cost.Call, c.Cost.Entry, c.Cost.Item}) {
		if !s.IsZero() {
			x.injected = newInjected()
			break
		}
	}
	return x
}

// Vary has times drawn in another sequence of the seed, by its number; 0 is the seed's
// own. It is for before the first call.
func (x *Execution) Vary(sequence uint64) {
	if sequence != 0 {
		x.seed = scattered(x.seed ^ scattered(sequence))
	}
}

// share makes a dialect's execution the node's: it waits as the options say, and
// its series are served. A dialect without one gives nil.
func (n *Node) share(d Dialect, o Options) *Execution {
	e, ok := d.(Executing)
	if !ok {
		return nil
	}
	x := e.Execution()
	if o.Wait != nil {
		x.wait = o.Wait
	}
	if x.injected != nil {
		n.metrics.registry.MustRegister(x.injected.collectors...)
	}
	return x
}

// Instant says that a call of this service time does nothing in its slot but its
// own work: it waits for a slot at most.
func (x *Execution) Instant(s Service) bool {
	return s.IsZero() && x.cost.Entry.IsZero() && x.cost.Item.IsZero()
}

// turn is the number of an entry that has just come; 0 where nothing is ever drawn.
func (x *Execution) turn() uint64 {
	if x == nil || x.injected == nil {
		return 0
	}
	return x.turns.Add(1)
}

// Enter takes a slot and spends in it what an entry of so many items costs, which is
// drawn by the entry's turn (Call.Turn). Its error is the context's, and then no slot is
// held; else Leave must follow.
func (x *Execution) Enter(ctx context.Context, s Service, items int, turn uint64) error {
	if err := x.pool.Acquire(ctx); err != nil {
		return err
	}
	if x.Instant(s) {
		return nil
	}
	factor := x.contention.factor(x.pool.Busy())
	r := x.source(turn)
	b := x.bill(r.rand, s, items)
	x.sources.Put(r)
	b.wait *= factor
	b.cpu *= factor
	if err := x.spend(ctx, b); err != nil {
		x.pool.Release()
		return err
	}
	return nil
}

// Leave gives back the slot that Enter took.
func (x *Execution) Leave() { x.pool.Release() }

// Wait lets a duration pass as the node's waits do. It is not counted among the
// costs.
func (x *Execution) Wait(ctx context.Context, d time.Duration) error { return x.wait(ctx, d) }

// envelope spends what a call costs. It ends early with the context. Without an
// execution it costs nothing.
func (x *Execution) envelope(ctx context.Context) {
	if x == nil || x.cost.Call.IsZero() {
		return
	}
	var b bill
	r := x.source(envelopes | x.calls.Add(1))
	b.add(x.cost.Call, x.cost.Call.Draw(r.rand), 1)
	x.sources.Put(r)
	_ = x.spend(ctx, b) // whoever runs next looks at the context for himself
}

// bill is what something costs, in nanoseconds.
type bill struct{ wait, cpu float64 }

func (b *bill) add(s Service, d time.Duration, times float64) {
	cpu := float64(d) * times * s.cpu
	b.cpu += cpu
	b.wait += float64(d)*times - cpu
}

// bill draws an entry's cost. Every item is a draw of its own.
func (x *Execution) bill(r *rand.Rand, s Service, items int) (b bill) {
	b.add(s, s.Draw(r), 1)
	b.add(x.cost.Entry, x.cost.Entry.Draw(r), 1)
	if x.cost.Item.law == constant {
		b.add(x.cost.Item, x.cost.Item.Draw(nil), float64(items))
		return b
	}
	for range items {
		b.add(x.cost.Item, x.cost.Item.Draw(r), 1)
	}
	return b
}

// spend waits, then works. What the context cuts off is not counted.
func (x *Execution) spend(ctx context.Context, b bill) error {
	if d := clipped(b.wait); d > 0 {
		begun := time.Now()
		if err := x.wait(ctx, d); err != nil {
			return err
		}
		x.injected.wait.observe(d, time.Since(begun))
	}
	if d := clipped(b.cpu); d > 0 {
		spent, err := burnCPU(ctx, d)
		if err != nil {
			return err
		}
		x.injected.cpu.observe(d, spent)
	}
	return nil
}

// source is one stream of the seed at a time.
type source struct {
	pcg  rand.PCG
	rand *rand.Rand
}

func newSource() *source {
	s := new(source)
	s.rand = rand.New(&s.pcg)
	return s
}

// envelopes marks the streams that calls draw from, apart from those of entries.
const envelopes = 1 << 63

// source gives the stream of that number; it goes back to x.sources.
func (x *Execution) source(stream uint64) *source {
	s := x.sources.Get().(*source)
	s.pcg.Seed(x.seed, scattered(stream))
	return s
}

// scattered takes neighbouring numbers far apart (the finalizer of SplitMix64,
// Steele, Lea and Flood 2014).
func scattered(n uint64) uint64 {
	n += 0x9e3779b97f4a7c15
	n = (n ^ n>>30) * 0xbf58476d1ce4e5b9
	n = (n ^ n>>27) * 0x94d049bb133111eb
	return n ^ n>>31
}

// injected are the series of what was asked for and what it came to.
type injected struct {
	wait, cpu  twofold
	collectors []prometheus.Collector
}

type twofold struct{ asked, came prometheus.Observer }

func (t twofold) observe(asked, came time.Duration) {
	t.asked.Observe(asked.Seconds())
	t.came.Observe(came.Seconds())
}

func newInjected() *injected {
	buckets := prometheus.ExponentialBuckets(10e-6, 2, 21) // 10 us to 10.5 s
	asked := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "volley_asked_seconds", Help: "Seconds that configured costs asked for, waited or worked.", Buckets: buckets,
	}, []string{"kind"})
	came := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "volley_injected_seconds", Help: "Seconds that configured costs came to: by the clock where waited, of processor time where worked.", Buckets: buckets,
	}, []string{"kind"})
	kind := func(name string) twofold { return twofold{asked.WithLabelValues(name), came.WithLabelValues(name)} }
	return &injected{wait: kind("wait"), cpu: kind("cpu"), collectors: []prometheus.Collector{asked, came}}
}
