package results_test

import (
	"math"
	"strings"
	"testing"

	"volley/results"
)

func TestWords(t *testing.T) {
	for _, tt := range []struct{ got, want string }{
		{results.Micros(0), "0 us"},
		{results.Micros(152), "152 us"},
		{results.Micros(999.4), "999 us"},
		{results.Micros(999.6), "1.00 ms"},
		{results.Micros(3_850), "3.85 ms"},
		{results.Micros(9_999), "10.0 ms"},
		{results.Micros(99_960), "100 ms"},
		{results.Micros(999_499), "999 ms"},
		{results.Micros(999_500), "1.00 s"},
		{results.Micros(1_060_000), "1.06 s"},
		{results.Micros(3_600_000_000), "3,600 s"},
		{results.Seconds(0), "0 s"},
		{results.Seconds(30), "30 s"},
		{results.Seconds(2.5), "2.5 s"},
		{results.Seconds(12.3456), "12.35 s"},
		{results.Seconds(0.5), "500 ms"},
		{results.Seconds(0.0015), "1.5 ms"},
		{results.Seconds(0.9999), "1 s"},
		{results.Seconds(86_400), "86,400 s"},
		{results.Number(10_000_000), "10,000,000"},
		{results.Number(0.5), "0.5"},
		{results.Number(1234.5), "1,234.5"},
		{results.Number(-2), "-2"},
		{results.Number(math.Inf(1)), "+Inf"},
		{results.Rate(0), "0"},
		{results.Rate(0.00016), "0.00016"},
		{results.Rate(0.16), "0.16"},
		{results.Rate(59.04), "59.0"},
		{results.Rate(999.4), "999"},
		{results.Rate(999.5), "1,000"},
		{results.Rate(11_988.4), "11,988"},
		{results.Count(0), "0"},
		{results.Count(999), "999"},
		{results.Count(1_000), "1,000"},
		{results.Count(math.MaxUint64), "18,446,744,073,709,551,615"},
		{results.Share(0, 0), ""},
		{results.Share(0, 7), "0%"},
		{results.Share(7, 7), "100%"},
		{results.Share(1, 100_000), "<0.01%"},
		{results.Share(99_999, 100_000), ">99.99%"},
		{results.Share(1, 1_000), "0.10%"},
		{results.Share(921, 1_000), "92.1%"},
		{results.Share(9_997, 10_000), "99.97%"},
		{results.Share(9_994, 100_000), "9.99%"},
		{results.Share(9_996, 100_000), "10.0%"},
		{results.Brief("steady"), "steady"},
		{results.Brief(strings.Repeat("é", 40)), strings.Repeat("é", 40)},
		{results.Brief(strings.Repeat("é", 41)), strings.Repeat("é", 39) + "…"},
		{(&results.Distribution{}).TooFew(), ""},
		{(&results.Distribution{N: 3688}).TooFew(), ""},
		{(&results.Distribution{N: 35}).TooFew(), "too few calls for p90 (36 needed), p99 (368 needed), p99.9 (3,688 needed)"},
		{(&results.Distribution{N: 4000, CI: &results.Intervals{
			P50: results.Interval{High: new(int64)}, P90: results.Interval{High: new(int64)}, P99: results.Interval{High: new(int64)},
		}}).TooFew(), "too few independent calls for p99.9 (3,688 needed)"},
	} {
		if tt.got != tt.want {
			t.Errorf("got %q, want %q", tt.got, tt.want)
		}
	}
}
