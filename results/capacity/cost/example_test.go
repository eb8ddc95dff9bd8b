package cost_test

import (
	"fmt"

	"volley/results/capacity/cost"
)

// Seconds of a call by its shape.
func ExampleFit() {
	m, err := cost.Fit([]cost.Point{
		{Shape: cost.Single(), Cost: 0.00091}, {Shape: cost.Single(), Cost: 0.00089},
		{Shape: cost.Batch(10), Cost: 0.00196}, {Shape: cost.Batch(10), Cost: 0.00204},
		{Shape: cost.Batch(50), Cost: 0.0070}, {Shape: cost.Batch(50), Cost: 0.0067},
		{Shape: cost.Array(30), Cost: 0.00237}, {Shape: cost.Array(30), Cost: 0.00231},
	})
	if err != nil {
		panic(err)
	}
	fmt.Printf("call %.0f µs, entry %.0f µs, item %.0f µs\n", 1e6*m.Envelope.Value, 1e6*m.Entry.Value, 1e6*m.Item.Value)
	s := m.Speedups([]float64{25})[0]
	fmt.Printf("batch of 25: %.1f times, %.1f to %.1f\n", s.Batch.Value, s.Batch.Low, s.Batch.High)
	// Output:
	// call 779 µs, entry 72 µs, item 50 µs
	// batch of 25: 5.9 times, 5.6 to 6.2
}
