package paired

import "math/rand/v2"

// Arm is one of the two settings compared.
type Arm string

// The arms.
const (
	A Arm = "A"
	B Arm = "B"
)

// Order is the order in which to run so many pairs: blocks of ABBA or BAAB chosen
// at random, which cancel a linear drift exactly; an odd last pair is AB or BA. The
// runs 2i and 2i+1 are the i-th pair.
func Order(pairs int, rng *rand.Rand) []Arm {
	var out []Arm
	for len(out) < 2*pairs {
		first, second := A, B
		if rng.IntN(2) == 1 {
			first, second = B, A
		}
		out = append(out, first, second)
		if len(out) < 2*pairs {
			out = append(out, second, first)
		}
	}
	return out
}
