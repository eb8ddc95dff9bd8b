package results

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"volley/results/selfcheck"
)

// check makes the self-checks: of each measured phase that something was sent in, and
// of the run. The generator's verdict is what they come to.
func (s *Summary) check(a *Aggregate, e *End) {
	s.Checks = []selfcheck.Check{}
	for i := range s.Phases {
		p := &s.Phases[i]
		if !p.Measured || p.Calls+p.Unsent == 0 {
			continue
		}
		var all []selfcheck.Check
		if p.Target.Unit != unitCallers {
			all = append(all, p.sent(), s.late(p, a.window(i)).Check())
			if i < len(e.Arrivals) {
				all = append(all, p.arrivals(e.Arrivals[i])...)
			}
		}
		if w := a.window(i); w != nil && p.Calls > 0 {
			all = append(all, w.checks(p)...)
		}
		for _, c := range all {
			c.Phase = p.Name
			s.Checks = append(s.Checks, c)
		}
	}
	if g := &s.Generator; g.CPUs > 0 {
		s.Checks = append(s.Checks, s.saturation(a)...)
	}
	if c, ok := s.Generator.Calibration.Check(); ok {
		s.Checks = append(s.Checks, c)
	}
	for _, o := range s.Objectives {
		if o.Proof != nil {
			s.Checks = append(s.Checks, o.Proof.Check(o.Text))
		}
	}
	s.Generator.Verdict, s.Generator.Reason = "", ""
	if s.Generator.CPUs > 0 {
		s.Generator.Verdict = GeneratorOK
	}
	if c, ok := s.limiting(); ok {
		s.Generator.Verdict, s.Generator.Reason = GeneratorLimited, CheckWarning(c)
	}
}

// saturation judges the generator's own state: its CPUs in the busiest measured phase,
// as a quiet warm-up would hide that, where the windows tell it, and else over the run.
func (s *Summary) saturation(a *Aggregate) []selfcheck.Check {
	v, phase := s.Generator.vitals(), ""
	if p, fraction, ok := a.busiest(s.Phases); ok {
		v.CPUFraction, phase = math.Round(1e4*fraction)/1e4, p.Name
		s.Generator.CPUBusiest = v.CPUFraction
	}
	all := selfcheck.Saturation(v, max(s.strictest(), micros(s.Measured.Response.P99)))
	for i := range all {
		if all[i].Name == selfcheck.CPUName {
			all[i].Phase = phase
		}
	}
	return all
}

// limiting gives the first check that voids.
func (s *Summary) limiting() (selfcheck.Check, bool) {
	for _, c := range s.Checks {
		if c.Verdict == selfcheck.Void {
			return c, true
		}
	}
	return selfcheck.Check{}, false
}

// CheckWarning is a check's sentence as it stands among warnings.
func CheckWarning(c selfcheck.Check) string {
	text := strings.TrimSuffix(c.Sentence, ".")
	if first, size := utf8.DecodeRuneInString(text); size > 0 {
		text = string(unicode.ToLower(first)) + text[size:]
	}
	if c.Phase == "" {
		return text
	}
	return "phase " + quoted(c.Phase) + ": " + text
}

// sent judges how many of the planned calls were sent in time, and by whose fault.
func (p *PhaseSummary) sent() selfcheck.Check {
	inTime, planned := p.inTime()
	return selfcheck.Sent(int64(inTime), int64(planned), p.holder() == "")
}

// arrivals are the generator's own checks. Those of a process with chance in it are
// held to the plan's rate, and say nothing where that was changed by hand; a paced one
// is held to its due times, which change with it.
func (p *PhaseSummary) arrivals(all []selfcheck.Check) []selfcheck.Check {
	if p.Target.ByHand == nil || p.Arrivals == string(selfcheck.Constant) {
		return all
	}
	all = slices.Clone(all)
	for i := range all {
		all[i].Verdict, all[i].Value = selfcheck.NotEnough, 0
		all[i].Sentence = "The rate was changed by hand, so the gaps between sends can't be held to the plan."
	}
	return all
}

// late is how late an open loop's calls were sent.
func (s *Summary) late(p *PhaseSummary, w *windows) selfcheck.Late {
	l := selfcheck.Late{
		N: p.Lateness.N, Waited: int64(p.OverBound + p.Held),
		P50: micros(p.Lateness.P50), P99: micros(p.Lateness.P99),
		Response: micros(p.Response.P99), SLO: s.strictest(),
	}
	// Whether it is no accident takes a dependence that is known.
	if ci := p.Lateness.CI; ci != nil && !p.Lateness.Independent && ci.P99.Low != nil {
		l.AtLeast = micros(*ci.P99.Low)
	}
	return l
}

// strictest is the least upper limit that an objective sets on a percentile, the mean
// or the maximum of the response time; 0: none.
func (s *Summary) strictest() time.Duration {
	least := math.Inf(1)
	for _, o := range s.Objectives {
		if o.Metric == "response" && (o.Op == "<=" || o.Op == "<") {
			least = min(least, o.Limit)
		}
	}
	if math.IsInf(least, 1) {
		return 0
	}
	return micros(int64(least))
}

func micros(us int64) time.Duration { return time.Duration(us) * time.Microsecond }

// checks are those that take a phase's windows.
func (w *windows) checks(p *PhaseSummary) (all []selfcheck.Check) {
	if p.steady() {
		p50 := w.p50.Values()
		all = append(all, selfcheck.MSER5(p50).Check())
		all = append(all, selfcheck.Stationary(p50, w.inFlight.Values()).Checks...)
	}
	all = append(all, w.little())
	if d := &p.Response; d.CI != nil {
		tau := func(value int64) float64 {
			if t, ok := w.response.Tau(value); ok {
				return t
			}
			return 1
		}
		if t, ok := w.response.Tau(d.P99); ok {
			all = append(all, selfcheck.Dependence(d.N, t))
		} else {
			all = append(all, selfcheck.Dependence(d.N, 0))
		}
		for i, v := range [...]int64{d.P50, d.P90, d.P99, d.P999} {
			c := selfcheck.Percentile(d.N, tau(v), quantiles[i].q, confidence)
			if ci := d.CI.list()[i]; ci.Low != nil && ci.High != nil {
				assumed := ""
				if d.Independent {
					assumed = ", if calls are independent of each other, which is not known"
				}
				c.Verdict, c.Sentence = selfcheck.OK, fmt.Sprintf("%s is in %s to %s at 95%%%s.", quantiles[i].name, Micros(float64(*ci.Low)), Micros(float64(*ci.High)), assumed)
			}
			all = append(all, c)
		}
	}
	return all
}

// steady tells whether the phase is to describe one state of the node: its rate does
// not change.
func (p *PhaseSummary) steady() bool { return p.Target.To == nil && p.Target.ByHand == nil }

func (a *Aggregate) window(i int) *windows {
	if i < len(a.windows) {
		return a.windows[i]
	}
	return nil
}
