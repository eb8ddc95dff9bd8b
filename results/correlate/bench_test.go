package correlate_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"volley/results/correlate"
)

// A report of a full grid with as many names of series as are followed.
func BenchmarkReport(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	g := correlate.NewGrid(correlate.Preset("near"))
	for k := range 1000 {
		s := correlate.Scrape{At: seconds(float64(k)), Series: map[string]float64{}}
		for i := range 500 {
			s.Series[fmt.Sprintf("gauge_%d", i)] = r.Float64()
		}
		g.Scrape(s)
		c := correlate.Client{Start: seconds(float64(k)), End: seconds(float64(k + 1)), Calls: 30, Timed: 30}
		c.Times = correlate.Bars{{Value: uint32(1000 + r.IntN(1000)), Count: 30}}
		g.Client(c)
	}
	for b.Loop() {
		g.Report(correlate.Options{Names: correlate.Preset("near")})
	}
}
