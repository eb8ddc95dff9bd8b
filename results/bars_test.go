package results

import "testing"

// What a day keeps of its intervals is a few hundred values each, however many
// different ones there were, and each within a hundredth.
func TestBarsTellHundredthsApart(t *testing.T) {
	h := newHistogram()
	for v := int64(1); v < 1_000_000; v += 7 {
		if err := h.RecordValue(v); err != nil {
			t.Fatal(err)
		}
	}
	all := bars(h)
	if len(all) > 128*14 {
		t.Errorf("%d bars", len(all))
	}
	var n uint64
	for i, b := range all {
		n += uint64(b.Count)
		if i > 0 && b.Value <= all[i-1].Value {
			t.Fatalf("bar %d at %d comes after %d", i, b.Value, all[i-1].Value)
		}
	}
	if n != uint64(h.TotalCount()) {
		t.Errorf("%d of %d values", n, h.TotalCount())
	}
	for _, q := range []float64{0.5, 0.9, 0.99} {
		exact := float64(h.ValueAtQuantile(100 * q))
		if got, _ := all.Quantile(q); float64(got) < exact || float64(got) > 1.01*exact {
			t.Errorf("quantile %g is %d, want %g to a hundredth more", q, got, exact)
		}
	}
}
