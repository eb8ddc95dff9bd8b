package selfcheck

import (
	"fmt"
	"math"
)

// Decision is what the samples prove of an objective.
type Decision string

// The decisions. Undecided is the answer for too little data too.
const (
	Met       Decision = "met"
	Missed    Decision = "missed"
	Undecided Decision = "undecided"
)

// Proof is the outcome of MeetsByBinomial.
type Proof struct {
	Decision Decision `json:"decision"`
	// IfMissed is the probability of so few samples over the limit were the
	// objective only just missed; IfMet of so many were it only just met. A
	// decision needs one of them to be at most 1-conf. Both are 1 when nothing
	// could be computed.
	IfMissed float64 `json:"p_if_missed"`
	IfMet    float64 `json:"p_if_met"`
	Over     int64   `json:"over"`
	N        int64   `json:"n"`
}

// MeetsByBinomial answers whether the p-quantile meets a limit that over of n
// independent samples exceeded, without estimating it. It is the early-stopping
// test of MLPerf's inference rules with tolerance 0: met if h = n-over samples
// under the limit satisfy I(p; h, over+1) = P(Bin(n, 1-p) <= over) <= 1-conf.
// By the same test turned round it is missed if P(Bin(n, 1-p) >= over) <= 1-conf.
// Counts that contradict each other, p outside (0,1) and conf outside (0.5,1)
// leave it undecided.
func MeetsByBinomial(over, n int64, p, conf float64) Proof {
	return MeetsEffective(over, n, 1, p, conf)
}

// MeetsEffective is MeetsByBinomial of n dependent samples that are worth n/tau
// independent ones; counts are rounded against either decision.
func MeetsEffective(over, n int64, tau, p, conf float64) Proof {
	proof := Proof{Undecided, 1, 1, over, n}
	if n < 1 || n > MostSamples || over < 0 || over > n || !inside(p) || !(conf > 0.5 && conf < 1) || !(tau >= 1) || math.IsInf(tau, 0) {
		return proof
	}
	share := float64(over) / tau
	worth := float64(n) / tau
	proof.IfMissed = atMost(int64(math.Ceil(share)), int64(worth), 1-p)
	proof.IfMet = atLeast(int64(share), int64(math.Ceil(worth)), 1-p)
	switch {
	case proof.IfMissed <= 1-conf:
		proof.Decision = Met
	case proof.IfMet <= 1-conf:
		proof.Decision = Missed
	}
	return proof
}

// SamplesToMeet is the smallest n of which over samples may exceed the limit with
// the objective proven met: what a trial needs before it can pass. 0 means that
// the arguments have no such n (see MeetsByBinomial) or that it is out of reach.
func SamplesToMeet(over int64, p, conf float64) int64 {
	if over < 0 || over > MostSamples/2 || !inside(p) || !(conf > 0.5 && conf < 1) {
		return 0
	}
	proven := func(n int64) bool { return atMost(over, n, 1-p) <= 1-conf }
	high := over + 1
	for !proven(high) {
		if high *= 2; high > MostSamples {
			return 0
		}
	}
	return last(over, high, func(n int64) bool { return !proven(n) }) + 1
}

// Sentence says the proof in plain words; objective is its text, such as
// "response p99 <= 250ms".
func (p Proof) Sentence(objective string) string {
	switch p.Decision {
	case Met:
		return fmt.Sprintf("%s is met: %d of %d samples were over it, which chance would give at most %.2g of the time were it missed.", objective, p.Over, p.N, p.IfMissed)
	case Missed:
		return fmt.Sprintf("%s is missed: %d of %d samples were over it, which chance would give at most %.2g of the time were it met.", objective, p.Over, p.N, p.IfMet)
	default:
		return fmt.Sprintf("%s is undecided: %d samples over it of %d prove neither that it is met nor that it is missed.", objective, p.Over, p.N)
	}
}

// Check is the proof as a check: OK when it decides, whichever way. Value is the
// probability that speaks against the likelier decision, Limit what it may be at most
// at 95%.
func (p Proof) Check(objective string) Check {
	c := Check{Name: "proof of " + objective, Limit: 0.05, Unit: pure}
	v := NotEnough
	if p.Decision == Met || p.Decision == Missed {
		v = OK
	}
	return c.judged(v, min(p.IfMissed, p.IfMet), "%s", p.Sentence(objective))
}
