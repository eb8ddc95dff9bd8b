package study

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"volley/results/capacity/usl"
)

// closed are cells of a closed loop that follows the law, each repeated with a little
// noise in proportion.
func closed(law usl.Curve, callers ...float64) *Sweep {
	a := &Sweep{Varied: []Varied{{Name: CallersSetting}}}
	for i, n := range callers {
		c := Cell{Settings: []Setting{{Name: CallersSetting, Value: fmt.Sprint(n)}}}
		x := Metric{Name: CallsPerS, Unit: "calls/s", Value: law.Throughput(n)}
		for k := range 3 {
			x.Repeats = append(x.Repeats, x.Value*(1+0.01*math.Sin(float64(7*i+3*k))))
		}
		x.Low, x.High = interval(x.Repeats)
		c.Metrics = []Metric{x, {Name: ResponseMean, Unit: "us", Value: law.ResponseTime(n) * 1e6}}
		a.Cells = append(a.Cells, c)
	}
	return a
}

func TestScalabilityFindsTheLaw(t *testing.T) {
	law := usl.Curve{Sigma: 0.03, Kappa: 1e-3, Lambda: 500} // peak at 31
	m := Scalability(closed(law, 1, 2, 4, 8, 16, 32, 64, 96))
	if m == nil || len(m.Parameters) != 4 || len(m.Points) != 8 || len(m.Curve) < 20 {
		t.Fatalf("%+v", m)
	}
	for i, want := range []float64{law.Sigma, law.Kappa, law.Lambda, law.Peak()} {
		if p := m.Parameters[i]; p.Low == nil || *p.Low > want || *p.High < want || math.Abs(p.Value/want-1) > 0.1 {
			t.Errorf("%s is %g in %v to %v, want %g", p.Name, p.Value, p.Low, p.High, want)
		}
	}
	for i, p := range m.Points {
		if p.Residual == nil || math.Abs(*p.Residual) > 0.02*p.Y || math.Abs(p.X/[]float64{1, 2, 4, 8, 16, 32, 64, 96}[i]-1) > 1e-9 {
			t.Errorf("point %+v", p)
		}
	}
	for _, p := range m.Curve {
		if p.Low == nil || *p.Low > law.Throughput(p.X) || *p.High < law.Throughput(p.X) {
			t.Errorf("at %g the curve is %g in %v to %v, the law says %g", p.X, p.Y, p.Low, p.High, law.Throughput(p.X))
		}
	}
	if len(m.Warnings) > 0 || !strings.Contains(m.Sentence, "greatest at 3") {
		t.Errorf("%q, warnings %q", m.Sentence, m.Warnings)
	}
}

func TestScalabilitySaysWhatItCannotTell(t *testing.T) {
	law := usl.Curve{Sigma: 0.03, Kappa: 1e-3, Lambda: 500}
	growing := Scalability(closed(usl.Curve{Sigma: 0.05, Lambda: 500}, 1, 2, 4, 8, 16, 32))
	if !strings.Contains(growing.Sentence, "No peak of throughput") {
		t.Errorf("a law without a peak: %q", growing.Sentence)
	}
	few := Scalability(closed(law, 1, 2, 4))
	if few == nil || len(few.Parameters) > 0 || !strings.Contains(strings.Join(few.Warnings, "\n"), "at least 4 are needed") {
		t.Errorf("three levels: %+v", few)
	}
	flawed := closed(law, 1, 2, 4, 8, 16, 32, 64, 96)
	flawed.Cells[2].Metrics[1].Value /= 2
	flawed.Cells[7].Metrics = append(flawed.Cells[7].Metrics, Metric{Name: ErrorsPerItem, Unit: "1", Value: 0.2})
	text := strings.Join(Scalability(flawed).Warnings, "\n")
	for _, want := range []string{"4 callers had 2 calls in flight", "at 96 callers 20% of the items"} {
		if !strings.Contains(text, want) {
			t.Errorf("warnings %q, want %q", text, want)
		}
	}
	if m := Scalability(&Sweep{Varied: []Varied{{Name: "size"}}}); m != nil {
		t.Errorf("of sizes: %+v", m)
	}
	if m := Scalability(&Sweep{Varied: []Varied{{Name: CallersSetting}}}); m == nil || len(m.Warnings) == 0 {
		t.Errorf("of no cells: %+v", m)
	}
}
