package pool

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Discipline is how entries share the node.
type Discipline string

// The disciplines.
const (
	FIFO    Discipline = "FIFO pool"
	Sharing Discipline = "processor sharing"
)

// Model is a node under a steady Poisson load of batches and probes.
type Model struct {
	Discipline Discipline
	Workers    int     // of the pool, or cores
	Size       Sizes   // entries in a batch
	BatchRate  float64 // batches a second
	ProbeRate  float64 // singletons a second; 0 for none
	Work       Service // that one entry keeps a worker or core busy
	ProbeWork  Service // the same of a probe; the zero value means Work
	// Wait is time an entry holds its slot of the batch before its work without
	// keeping a worker busy. Only processor sharing knows it: in a FIFO pool a
	// worker is held throughout, so that waits belong to Work.
	Wait Service
	// Envelope is added to every call: network, parsing, the answer.
	Envelope float64
}

// Utilisation is the share of the workers' time that the load takes.
func (m Model) Utilisation() float64 {
	return (m.BatchRate*m.Size.mean*m.Work.mean + m.ProbeRate*m.probeWork().mean) / float64(m.Workers)
}

func (m Model) probeWork() Service {
	if m.ProbeWork.draw == nil {
		return m.Work
	}
	return m.ProbeWork
}

func (m Model) check() error {
	if m.Discipline != FIFO && m.Discipline != Sharing {
		return fmt.Errorf("pool: unknown discipline %q", m.Discipline)
	}
	if m.Workers < 1 {
		return fmt.Errorf("pool: %d workers: at least 1 is needed", m.Workers)
	}
	if m.Size.draw == nil || !(m.Size.mean >= 1) {
		return errors.New("pool: batches need a size of at least 1")
	}
	if err := errors.Join(m.Work.check("work of an entry"), m.ProbeWork.check("work of a probe"), m.Wait.check("wait of an entry")); err != nil {
		return err
	}
	if m.Work.draw == nil || m.Work.mean == 0 {
		return errors.New("pool: entries need an amount of work")
	}
	if m.Discipline == FIFO && m.Wait.draw != nil {
		return errors.New("pool: in a FIFO pool a worker is held while an entry waits: add the wait to its work")
	}
	if !(m.BatchRate > 0) || !(m.ProbeRate >= 0) || math.IsInf(m.BatchRate, 0) || math.IsInf(m.ProbeRate, 0) {
		return fmt.Errorf("pool: %g batches/s and %g probes/s are no load", m.BatchRate, m.ProbeRate)
	}
	if !(m.Envelope >= 0) || math.IsInf(m.Envelope, 0) {
		return fmt.Errorf("pool: an envelope of %g s is no time", m.Envelope)
	}
	if rho := m.Utilisation(); !(rho < 1) {
		return fmt.Errorf("pool: the load takes %.3g of the workers' time: a queue without end; lower the rate below 1", rho)
	}
	return nil
}

// Effort is how long to simulate. The zero value of a field means its default.
type Effort struct {
	Batches int // counted in each run, after a warm-up: 4000
	Runs    int // independent ones: 5, at least 2
	Seed    uint64
}

func (e Effort) filled() (Effort, error) {
	if e.Batches == 0 {
		e.Batches = 4000
	}
	if e.Runs == 0 {
		e.Runs = 5
	}
	if e.Batches < 100 || e.Runs < 2 {
		return e, fmt.Errorf("pool: %d runs of %d batches are too few: at least 2 of 100", e.Runs, e.Batches)
	}
	return e, nil
}

// Times are response times in seconds, of one simulated run.
type Times struct {
	N              int
	Mean, P50, P99 float64
}

// Run is one simulated run.
type Run struct{ Batch, Probe Times }

// Simulate runs the model once with at most slots entries of each batch in work.
// Random numbers are drawn so that the same seed gives the same arrivals and the
// same works whatever the slots: settings compared by the same seeds differ by
// their setting only.
func (m Model) Simulate(slots, batches int, seed uint64) (Run, error) {
	if err := m.check(); err != nil {
		return Run{}, err
	}
	if slots < 1 || batches < 1 {
		return Run{}, fmt.Errorf("pool: %d slots, %d batches: at least 1 of each", slots, batches)
	}
	s := newSimulation(m, slots, seed)
	s.run(m.warmUp(batches), batches)
	return Run{timesOf(s.batches), timesOf(s.probes)}, nil
}

// warmUp is a tenth of the batches counted, and at least those of five relaxation
// times of a queue as busy as this, rho/(1-sqrt(rho))^2 batches each: from an empty
// node, what comes earlier is too fast. Near a utilisation of 1 it is cut off.
func (m Model) warmUp(batches int) int {
	rho := m.Utilisation()
	remembered := 5 * rho / math.Pow(1-math.Sqrt(rho), 2)
	return max(batches/10, int(min(remembered, 20*float64(batches))))
}

func timesOf(t []float64) Times {
	if len(t) == 0 {
		return Times{}
	}
	slices.Sort(t)
	sum := 0.0
	for _, x := range t {
		sum += x
	}
	at := func(p float64) float64 { return t[max(0, int(math.Ceil(p*float64(len(t))))-1)] }
	return Times{len(t), sum / float64(len(t)), at(0.5), at(0.99)}
}

// Front simulates the settings: for each the median run's p99, with the 95% t
// interval of its logarithm over the runs.
func (m Model) Front(slots []int, e Effort) ([]Point, error) {
	e, err := e.filled()
	if err != nil {
		return nil, err
	}
	front := make([]Point, 0, len(slots))
	for _, c := range slots {
		var batch, probe, mean, probeMean []float64
		for i := range e.Runs {
			r, err := m.Simulate(c, e.Batches, e.Seed+uint64(i))
			if err != nil {
				return nil, err
			}
			batch = append(batch, r.Batch.P99)
			mean = append(mean, r.Batch.Mean)
			if r.Probe.N > 0 {
				probe = append(probe, r.Probe.P99)
				probeMean = append(probeMean, r.Probe.Mean)
			}
		}
		p := NewPoint(c, batch, probe)
		p.BatchMean, p.ProbeMean = median(mean), median(probeMean)
		front = append(front, p)
	}
	return front, nil
}

// Over is the median of repeated measurements of a time with the 95% t interval of
// the mean of their logarithms, widened to hold the median. It is the zero value
// when nothing is above 0 and finite; of one measurement the interval is all times.
func Over(repeats []float64) Measure {
	var logs []float64
	for _, x := range repeats {
		if x > 0 && !math.IsInf(x, 0) {
			logs = append(logs, math.Log(x))
		}
	}
	if len(logs) == 0 {
		return Measure{}
	}
	mid := math.Exp(median(logs))
	if len(logs) == 1 {
		return Measure{Value: mid, Low: 0, High: math.Inf(1)}
	}
	mean := 0.0
	for _, l := range logs {
		mean += l / float64(len(logs))
	}
	squares := 0.0
	for _, l := range logs {
		squares += (l - mean) * (l - mean)
	}
	df := float64(len(logs) - 1)
	half := tQuantile(len(logs)-1) * math.Sqrt(squares/df/float64(len(logs)))
	return Measure{mid, min(mid, math.Exp(mean-half)), max(mid, math.Exp(mean+half))}
}

// tQuantile is the 97.5% quantile of Student's t.
func tQuantile(df int) float64 {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(df)}.Quantile(0.975)
}

func median(x []float64) float64 {
	if len(x) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(x))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}

// streams are independent random numbers for arrivals and works.
func streams(seed uint64) (batches, probes *rand.Rand) {
	return rand.New(rand.NewPCG(seed, 1)), rand.New(rand.NewPCG(seed, 2))
}
