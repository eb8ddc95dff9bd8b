package paired_test

import (
	"fmt"

	"volley/results/paired"
)

func Example() {
	before := []float64{20.1, 19.8, 20.5, 21.0, 20.2, 19.9, 20.4, 20.0}
	after := []float64{21.9, 22.0, 22.3, 23.4, 22.1, 21.8, 22.6, 22.2}
	p99, err := paired.Ratios(before, after)
	if err != nil {
		panic(err)
	}
	for _, j := range paired.Judge([]paired.Metric{{Name: "response p99", Better: paired.LessIsBetter, Estimate: p99}}, paired.Rule{Margin: 0.03}) {
		fmt.Println(j.Sentence)
	}
	// Output:
	// response p99 changes by +10.13% (95%: +9.09% to +11.11%): slower, p 0.0078.
}
