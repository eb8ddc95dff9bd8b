package selfcheck

import (
	"fmt"
	"math"
	"strconv"
	"time"
)

// Verdict is what a check concludes.
type Verdict string

// The verdicts, from the best to the worst; Worst orders by them.
const (
	OK        Verdict = "ok"
	NotEnough Verdict = "not enough data" // nothing can be concluded, either way
	Warn      Verdict = "warn"            // the numbers stand, with this to be known
	Void      Verdict = "void"            // the generator failed: the numbers say nothing of the node
)

func (v Verdict) rank() int {
	switch v {
	case OK:
		return 0
	case NotEnough:
		return 1
	case Warn:
		return 2
	default:
		return 3
	}
}

// Check is one judgement in the form that a report prints and run.json stores.
type Check struct {
	Name    string  `json:"name"`
	Phase   string  `json:"phase,omitempty"` // "": of the whole run
	Verdict Verdict `json:"verdict"`
	// Value was compared with Limit, both in Unit ("1" is a pure number). They
	// are always finite. Value is 0 where nothing could be computed: the verdict
	// is NotEnough then.
	Value float64 `json:"value"`
	Limit float64 `json:"limit"`
	Unit  string  `json:"unit"`
	// Sentence says what was found, in plain words and with no line break.
	Sentence string `json:"sentence"`
}

// Worst is the most severe verdict among checks; NotEnough when there are none.
func Worst(checks []Check) Verdict {
	if len(checks) == 0 {
		return NotEnough
	}
	worst := OK
	for _, c := range checks {
		if c.Verdict.rank() > worst.rank() {
			worst = c.Verdict
		}
	}
	return worst
}

// The units of checks.
const (
	pure   = "1"
	micros = "us"
)

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

func allFinite(series []float64) bool {
	for _, v := range series {
		if !finite(v) {
			return false
		}
	}
	return true
}

// judged fills c's verdict, value and sentence. Numbers that overflowed on the way
// judge nothing.
func (c Check) judged(v Verdict, value float64, format string, a ...any) Check {
	if !finite(value) || !finite(c.Limit) {
		c.Limit = 0
		return c.unknown("The numbers are too large to be judged.")
	}
	c.Verdict, c.Value, c.Sentence = v, value, fmt.Sprintf(format, a...)
	return c
}

// unknown is c when nothing can be concluded.
func (c Check) unknown(format string, a ...any) Check {
	return c.judged(NotEnough, 0, format, a...)
}

// brief is d in words of about three digits: "20 us", "1.5 ms", "12 s".
func brief(d time.Duration) string {
	value, unit := float64(d)/1e3, "us"
	switch a := d.Abs(); {
	case a >= time.Second:
		value, unit = d.Seconds(), "s"
	case a >= time.Millisecond:
		value, unit = float64(d)/1e6, "ms"
	}
	return strconv.FormatFloat(value, 'g', max(3, len(strconv.FormatInt(int64(value), 10))), 64) + " " + unit
}

func inMicros(d time.Duration) float64 { return float64(d) / 1e3 }
