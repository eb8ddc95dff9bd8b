package pool_test

import (
	"fmt"

	"volley/results/capacity/pool"
)

// Measured p99 of batches and of the probe, in seconds, in four blocks.
func ExampleRecommend() {
	r, err := pool.Recommend([]pool.Point{
		pool.NewPoint(1, []float64{.126, .131, .120, .128}, []float64{.0050, .0051, .0049, .0050}),
		pool.NewPoint(2, []float64{.111, .116, .106, .112}, []float64{.0059, .0058, .0061, .0060}),
		pool.NewPoint(4, []float64{.106, .110, .102, .107}, []float64{.0088, .0090, .0087, .0089}),
		pool.NewPoint(8, []float64{.104, .109, .100, .105}, []float64{.0150, .0148, .0155, .0151}),
	}, pool.Guard{})
	if err != nil {
		panic(err)
	}
	fmt.Println(r.Setting)
	fmt.Println(r.Reason)
	// Output:
	// 4
	// 4 slots has the best batch p99, 106 ms, within the guard of 10 ms for the p99 of singletons, and every smaller setting was shown to be worse. 1 of 4 settings are outside the guard.
}
