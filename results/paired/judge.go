package paired

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Better says which way of a metric is good.
type Better string

// The ways.
const (
	LessIsBetter Better = "less"
	MoreIsBetter Better = "more"
)

// Verdict on B against A.
type Verdict string

// The verdicts. Faster stands for better in whatever the metric measures.
const (
	Faster       Verdict = "faster"
	Slower       Verdict = "slower"
	Equivalent   Verdict = "equivalent"
	Inconclusive Verdict = "inconclusive"
)

// Metric is one thing that was measured of both arms.
type Metric struct {
	Name     string   `json:"name"`
	Better   Better   `json:"better"`
	Estimate Estimate `json:"estimate"`
}

// Rule is how metrics are judged.
type Rule struct {
	// Margin is the relative change that does not matter, such as 0.05; 0 means that
	// nothing is ever called equivalent.
	Margin float64
	// Alpha is the chance of calling at least one of the metrics different when none
	// is: 0 means 0.05.
	Alpha float64
}

// Judgement is the verdict on one metric.
type Judgement struct {
	Name    string  `json:"name"`
	Verdict Verdict `json:"verdict"`
	// P is Holm's, adjusted for all the metrics judged together.
	P        float64  `json:"p_holm"`
	Sentence string   `json:"sentence"`
	Warnings []string `json:"warnings,omitempty"`
}

// Judge gives each metric its verdict: equivalent when the 90% interval lies
// within the margin (two one-sided tests at 5%: D. Schuirmann, J. Pharmacokinetics
// and Biopharmaceutics 15, 1987), even if a difference smaller than that is certain;
// faster or slower when Holm's p over all of them is at most alpha; else
// inconclusive, with what would have been detected.
func Judge(metrics []Metric, r Rule) []Judgement {
	if !(r.Alpha > 0 && r.Alpha < 1) {
		r.Alpha = 0.05
	}
	ps := make([]float64, len(metrics))
	for i, m := range metrics {
		ps[i] = m.Estimate.P
	}
	adjusted := Holm(ps)
	out := make([]Judgement, len(metrics))
	for i, m := range metrics {
		e := m.Estimate
		j := Judgement{Name: m.Name, P: adjusted[i], Verdict: Inconclusive, Warnings: slices.Clone(e.Warnings)}
		switch {
		case r.Margin > 0 && e.Bounded90 && e.Low90 >= 1/(1+r.Margin) && e.High90 <= 1+r.Margin:
			j.Verdict = Equivalent
		case adjusted[i] <= r.Alpha && e.Ratio != 1:
			j.Verdict = Slower
			if (e.Ratio < 1) == (m.Better == LessIsBetter) {
				j.Verdict = Faster
			}
		}
		if least := e.LeastP * float64(len(metrics)); least > r.Alpha && e.LeastP <= r.Alpha {
			j.Warnings = append(j.Warnings, fmt.Sprintf("%d runs of each cannot show a difference in one of %d metrics alone: the least p over all is %.3g; %d pairs can, or fewer metrics", e.N, len(metrics), least, PairsNeeded(len(metrics), r.Alpha)))
		}
		j.Sentence = sentence(m, j, r)
		out[i] = j
	}
	return out
}

func sentence(m Metric, j Judgement, r Rule) string {
	e := m.Estimate
	change := "changes by " + percent(e.Ratio)
	if e.Bounded {
		change += fmt.Sprintf(" (95%%: %s to %s)", percent(e.Low), percent(e.High))
	} else {
		change += " (so few runs have no 95% interval)"
	}
	switch j.Verdict {
	case Equivalent:
		return fmt.Sprintf("%s %s: equivalent, within the margin of %.3g%%.", m.Name, change, 100*r.Margin)
	case Inconclusive:
		return fmt.Sprintf("%s %s: no difference shown%s.", m.Name, change, couldShow(e))
	}
	return fmt.Sprintf("%s %s: %s, p %.2g.", m.Name, change, j.Verdict, j.P)
}

func couldShow(e Estimate) string {
	switch {
	case e.LeastP > 0.05:
		return ", and so few runs could not show one"
	case e.Detectable >= 1e9 || e.Detectable == 0:
		return ""
	}
	return fmt.Sprintf("; one of %.2g%% would have been 4 times of 5", 100*e.Detectable)
}

func percent(ratio float64) string { return fmt.Sprintf("%+.2f%%", 100*(ratio-1)) }

// Holm adjusts p-values for being looked at together (S. Holm, Scandinavian Journal
// of Statistics 6, 1979): the chance that any is at most alpha, if none differs, is
// at most alpha. What is not a p-value counts as 1.
func Holm(ps []float64) []float64 {
	order := make([]int, len(ps))
	clean := make([]float64, len(ps))
	for i, p := range ps {
		order[i], clean[i] = i, p
		if !(p >= 0 && p <= 1) {
			clean[i] = 1
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(clean[a], clean[b]) })
	out := make([]float64, len(ps))
	highest := 0.0
	for rank, i := range order {
		highest = max(highest, min(1, float64(len(ps)-rank)*clean[i]))
		out[i] = highest
	}
	return out
}

// PairsNeeded is the smallest number of pairs that can show a difference in one of
// so many metrics at alpha: 2/2^pairs * metrics <= alpha.
func PairsNeeded(metrics int, alpha float64) int {
	if metrics < 1 || !(alpha > 0 && alpha < 1) {
		return 0
	}
	return 1 + int(math.Ceil(math.Log2(float64(metrics)/alpha)-1e-12))
}
