package target

import (
	"encoding/json"
	"errors"
)

// Contention makes what a call costs depend on how many run beside it. A call
// that starts when k execution slots are busy, its own among them, costs
//
//	1 + sigma (k-1) + kappa k (k-1)
//
// times what it would alone. With k slots always busy the node's throughput is
// then k / (s (1 + sigma (k-1) + kappa k (k-1))), the Universal Scalability
// Law: sigma is the share that is done one after another (waiting for a lock),
// kappa the cost of keeping two in step (shared cache lines).
// N. J. Gunther, "Guerrilla Capacity Planning", Springer 2007, chapter 4.
//
// The zero value changes nothing.
type Contention struct {
	Sigma Coefficient `json:"sigma" doc:"the share that is done one after another, 0 and more"`
	Kappa Coefficient `json:"kappa" doc:"the cost of keeping two in step, 0 and more"`
}

// Coefficient is a number that is not under zero.
type Coefficient float64

// UnmarshalJSON refuses what is no number, or one under zero.
func (c *Coefficient) UnmarshalJSON(b []byte) error {
	var x *float64
	if json.Unmarshal(b, &x) != nil || x != nil && *x < 0 {
		return errors.New("want a number that is not under zero")
	}
	if x != nil {
		*c = Coefficient(*x)
	}
	return nil
}

// factor is by what a cost is multiplied when so many slots are busy.
func (c Contention) factor(busy int) float64 {
	k := float64(busy)
	return 1 + float64(c.Sigma)*(k-1) + float64(c.Kappa)*k*(k-1)
}
