package pool

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// Fit is how well a discipline's predicted front agrees with a measured one.
type Fit struct {
	Discipline Discipline `json:"discipline"`
	// Error is the root mean square of ln(measured/predicted) over the p99 of batches
	// and of probes at the settings that both have: 0.1 is about 10%.
	Error float64 `json:"error"`
	// Worst is the largest such ratio, at least 1.
	Worst  float64 `json:"worst"`
	Points int     `json:"points"`
}

// Choice is the discipline that a measured front asks for.
type Choice struct {
	Discipline Discipline `json:"discipline"`
	Fits       []Fit      `json:"fits"`
	// Certain says that the other discipline's error is at least half as large again,
	// and above what the measurements' own intervals explain.
	Certain  bool     `json:"certain"`
	Sentence string   `json:"sentence"`
	Warnings []string `json:"warnings,omitempty"`
}

// ChooseDiscipline simulates the model under both disciplines at the measured
// settings and takes the one that agrees better. At least two settings with usable
// times are needed; above the number of workers is where the disciplines differ.
func ChooseDiscipline(m Model, measured []Point, e Effort) (Choice, error) {
	var settings []int
	var usable []Point
	noise, most := 0.0, 0
	for _, p := range measured {
		if p.Setting >= 1 && p.Batch.usable() && p.Probe.usable() {
			settings = append(settings, p.Setting)
			usable = append(usable, p)
			most = max(most, p.Setting)
			noise = max(noise, finite(spread(p.Batch)), finite(spread(p.Probe)))
		}
	}
	if len(usable) < 2 {
		return Choice{}, fmt.Errorf("pool: %d settings with measured p99 of batches and probes: at least 2 are needed", len(usable))
	}
	var c Choice
	for _, d := range []Discipline{FIFO, Sharing} {
		model := m
		if model.Discipline = d; d == FIFO && model.Wait.draw != nil {
			model.Work, model.Wait = sum(model.Wait, model.Work), Service{}
			if model.check() != nil {
				c.Warnings = append(c.Warnings, "a FIFO pool could not carry this load with its workers held while entries wait: not considered")
				continue
			}
		}
		front, err := model.Front(settings, e)
		if err != nil {
			return Choice{}, err
		}
		c.Fits = append(c.Fits, fit(d, front, usable))
	}
	c.judge(noise, most, m.Workers)
	return c, nil
}

// sum is the distribution of the sum of two independent times.
func sum(a, b Service) Service {
	s := Service{name: a.String() + " and " + b.String(), mean: a.mean + b.mean}
	s.draw = func(rng *rand.Rand) float64 { return a.sample(rng) + b.sample(rng) }
	return s
}

// spread is half an interval's width in the logarithm, +Inf if it has no end.
func spread(m Measure) float64 { return math.Log(m.High/m.Low) / 2 }

// finite is x, or 0 if it has no end.
func finite(x float64) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return 0
	}
	return x
}

func fit(d Discipline, predicted, measured []Point) Fit {
	f := Fit{Discipline: d, Worst: 1}
	squares := 0.0
	for i, p := range predicted {
		for _, pair := range [][2]Measure{{measured[i].Batch, p.Batch}, {measured[i].Probe, p.Probe}} {
			if !(pair[1].Value > 0) {
				continue
			}
			off := math.Log(pair[0].Value / pair[1].Value)
			squares += off * off
			f.Worst = max(f.Worst, math.Exp(math.Abs(off)))
			f.Points++
		}
	}
	f.Error = math.Sqrt(squares / float64(max(f.Points, 1)))
	return f
}

func (c *Choice) judge(noise float64, most, workers int) {
	best := c.Fits[0]
	c.Certain = true
	for _, f := range c.Fits[1:] {
		if f.Error < best.Error {
			best = f
		}
	}
	c.Discipline = best.Discipline
	for _, f := range c.Fits {
		if f.Discipline != best.Discipline && (f.Error < 1.5*best.Error || f.Error < noise) {
			c.Certain = false
		}
	}
	c.Sentence = fmt.Sprintf("The node behaves like a %s: the model is off by %.0f%% at %d points", c.Discipline, 100*math.Expm1(best.Error), best.Points)
	if c.Discipline == Sharing {
		c.Sentence = fmt.Sprintf("The node behaves like %s: the model is off by %.0f%% at %d points", c.Discipline, 100*math.Expm1(best.Error), best.Points)
	}
	for _, f := range c.Fits {
		if f.Discipline != best.Discipline {
			c.Sentence += fmt.Sprintf(", %s by %.0f%%", f.Discipline, 100*math.Expm1(f.Error))
		}
	}
	c.Sentence += "."
	if !c.Certain {
		c.Warnings = append(c.Warnings, "the measured points do not tell the two disciplines apart with certainty")
	}
	if most <= workers {
		c.Warnings = append(c.Warnings, fmt.Sprintf("no setting above the %d workers was measured, where the disciplines differ", workers))
	}
	if best.Error > 0.25 {
		c.Warnings = append(c.Warnings, "neither discipline describes this node well: trust the measured front, not the predicted one")
	}
}
