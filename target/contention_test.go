package target

import (
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestContentionIsTheScalabilityLaw: with c slots always busy the throughput is
// c / (s (1 + sigma (c-1) + kappa c (c-1))).
func TestContentionIsTheScalabilityLaw(t *testing.T) {
	c := Contention{Sigma: 0.1, Kappa: 0.01}
	for busy, want := range map[int]float64{1: 1, 2: 1.12, 4: 1.42, 10: 2.8} {
		if got := c.factor(busy); math.Abs(got-want) > 1e-12 {
			t.Errorf("%d busy: %v, want %v", busy, got, want)
		}
	}
	if got := (Contention{}).factor(1000); got != 1 {
		t.Errorf("without contention: %v", got)
	}
	const entries, slots = 400, 4
	synctest.Test(t, func(t *testing.T) {
		n := genericNode(t, `{"batch_concurrency_limit": 8, "slots": 4, "service": {"echo": "10ms"}, "contention": {"sigma": 0.1, "kappa": 0.01}}`, Options{})
		var times []time.Duration
		for i := range entries { // the first calls find one, two, three and four slots busy, the others four
			times = append(times, time.Duration(10e6*c.factor(min(i+1, slots))))
		}
		begun := time.Now()
		send(n, "application/json", echoes(entries))
		took := time.Since(begun)
		if want := listSchedule(times, slots); took != want {
			t.Errorf("took %v, want %v", took, want)
		}
		throughput, law := entries/took.Seconds(), slots/(0.010*1.42)
		if math.Abs(throughput/law-1) > 0.01 {
			t.Errorf("%.1f entries/s, the law says %.1f", throughput, law)
		}
	})
	for _, tt := range []struct{ config, want string }{
		{`{"contention": {"sigma": -0.1}}`, "config.json:1:26: contention.sigma: want a number that is not under zero"},
		{`{"contention": {"kappa": "1"}}`, "config.json:1:26: contention.kappa: want a number that is not under zero"},
		{`{"contention": {"sigmas": 1}}`, "config.json:1:17: no setting is called contention.sigmas; did you mean sigma?"},
		{`{"cost": {"envelope": "1ms"}}`, "config.json:1:11: no setting is called cost.envelope"},
		{`{"cost": {"call": "1"}}`, "config.json:1:19: cost.call: \"1\" is no duration"},
	} {
		if _, err := ParseGenericConfig(ConfigFile{Name: "config.json", Data: []byte(tt.config)}); err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %s", tt.config, err, tt.want)
		}
	}
}
