package selfcheck_test

import (
	"fmt"

	"volley/results/selfcheck"
)

// A p99.9 over 1,000 calls has no upper bound: the report prints "> max".
func ExampleOrderCI() {
	inOrder := func(rank int64, _ bool) int64 { return 100 * rank } // in microseconds
	for _, n := range []int64{1_000, 10_000} {
		b, _ := selfcheck.OrderCI(n, 0.999, 0.95).Bounds(inOrder)
		if b.UnboundedAbove {
			fmt.Printf("p99.9 of %d: at least %d us, and > max\n", n, b.Lower)
		} else {
			fmt.Printf("p99.9 of %d: %d to %d us\n", n, b.Lower, b.Upper)
		}
	}
	// Output:
	// p99.9 of 1000: at least 99700 us, and > max
	// p99.9 of 10000: 998300 to 999700 us
}

func ExampleMeetsByBinomial() {
	proof := selfcheck.MeetsByBinomial(3, 2_000, 0.99, 0.99)
	fmt.Println(proof.Sentence("response p99 <= 250ms"))
	// Output:
	// response p99 <= 250ms is met: 3 of 2000 samples were over it, which chance would give at most 3e-06 of the time were it missed.
}
