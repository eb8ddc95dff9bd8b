package report

import (
	"testing"

	"volley/results"
)

func TestCalibration(t *testing.T) {
	for _, c := range []struct {
		name string
		c    *results.Calibration
		want string
	}{
		{"a run of before there was any", nil, ""},
		{"none", &results.Calibration{Missing: "none\x1b[1m for these calls", Asked: 50}, "Calibration: none\\x1b[1m for these calls\n"},
		{
			"on a machine that pauses", &results.Calibration{Held: 900, LateLimitUS: 26600, FloorP50US: 108, FloorP99US: 34600},
			"Calibration: the generator kept its schedule up to 900 calls/s, if 26.6 ms late\n" +
				"             at most, as the machine paused it; its floor is a response p50 of\n" +
				"             108 us, p99 34.6 ms\n",
		},
		{
			"one", &results.Calibration{LateLimitUS: 1000, Held: 30269, NotHeld: 31609, Asked: 49.4, FloorP50US: 108, FloorP99US: 1800},
			"Calibration: the generator kept its schedule up to 30,269 calls/s (no longer at\n" +
				"             31,609), asked were 49.4 at most; its floor is a response p50 of\n" +
				"             108 us, p99 1.80 ms\n",
		},
		{
			"a closed loop, and no end found", &results.Calibration{Held: 900, FloorP50US: 108, FloorP99US: 1800},
			"Calibration: the generator kept its schedule up to 900 calls/s; its floor is a\n" +
				"             response p50 of 108 us, p99 1.80 ms\n",
		},
	} {
		var p page
		p.calibration(c.c)
		if got := p.String(); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}
