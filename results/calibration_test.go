package results

import (
	"testing"

	"volley/results/selfcheck"
)

// TestCalibrationCheck: half of the ceiling is the most that may be asked, and nothing
// is judged that is not known.
func TestCalibrationCheck(t *testing.T) {
	for _, c := range []struct {
		name string
		c    *Calibration
		want selfcheck.Verdict
		ok   bool
	}{
		{"within", &Calibration{Asked: 500, Held: 1000}, selfcheck.OK, true},
		{"over half", &Calibration{Asked: 501, Held: 1000}, selfcheck.Warn, true},
		{"over all of it", &Calibration{Asked: 5000, Held: 1000}, selfcheck.Warn, true},
		{"closed loops alone", &Calibration{Held: 1000}, "", false},
		{"not calibrated", &Calibration{Missing: "none", Asked: 500}, "", false},
		{"an old run", nil, "", false},
	} {
		s := Summarise(Meta{}, &Aggregate{}, End{Generator: Generator{Calibration: c.c}})
		if listed := len(s.Checks) > 0; listed != c.ok {
			t.Errorf("%s: among the checks %t, want %t", c.name, listed, c.ok)
		}
		got, ok := c.c.Check()
		if ok != c.ok || ok && got.Verdict != c.want {
			t.Errorf("%s: %+v, %t", c.name, got, ok)
		}
	}
}
