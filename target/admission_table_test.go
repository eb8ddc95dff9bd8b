package target

import (
	"strconv"
	"testing"
	"time"
)

// TestBucketsAreBounded: no number of clients makes the table grow over its
// bound; clients that have been idle until their bucket was full make room, and
// others keep what they have paid.
func TestBucketsAreBounded(t *testing.T) {
	a := newAdmission(&AdmissionConfig{Rate: 1, Burst: 2}, newMetrics("volley_rpc_"))
	now := time.Unix(1_000_000, 0)
	take := func(client string) admissionOutcome {
		o, _ := a.take(now, client, 1)
		return o
	}
	for i := range mostClients + 5000 {
		take(strconv.Itoa(i))
	}
	if len(a.clients) > mostClients {
		t.Errorf("%d buckets, over the bound of %d", len(a.clients), mostClients)
	}
	if take("0") != admitted || take("0") != limited {
		t.Error("a client lost what it had paid")
	}
	if take("beyond") != limited {
		t.Error("a client beyond the bound has a bucket of its own")
	}
	now = now.Add(time.Minute)
	if take("beyond") != admitted {
		t.Error("idle clients make no room")
	}
	if len(a.clients) > 1 {
		t.Errorf("%d buckets, of which one is not idle", len(a.clients))
	}
}

// TestLimitedTellsTheTime: at the time that is told, and not before, the same
// body is let in.
func TestLimitedTellsTheTime(t *testing.T) {
	for _, rate := range []float64{0.1, 1, 3, 7.3, 500, 1e6} {
		for cost := 1; cost <= 10; cost++ {
			a := newAdmission(&AdmissionConfig{Rate: rate, Burst: 10}, newMetrics("volley_rpc_"))
			now := time.Unix(1_000_000, 0)
			a.take(now, "", 10)
			o, wait := a.take(now, "", cost)
			if o != limited || wait <= 0 {
				t.Fatalf("rate %v, cost %d: outcome %d, wait %v", rate, cost, o, wait)
			}
			if o, _ := a.take(now.Add(wait*9/10), "", cost); o != limited {
				t.Errorf("rate %v, cost %d: let in before %v", rate, cost, wait)
			}
			if o, again := a.take(now.Add(wait), "", cost); o != admitted {
				t.Errorf("rate %v, cost %d: not let in after %v, but after %v more", rate, cost, wait, again)
			}
		}
	}
}

func BenchmarkAdmission(b *testing.B) {
	a := newAdmission(&AdmissionConfig{Rate: 1e9, Burst: 1 << 30}, newMetrics("volley_rpc_"))
	now := time.Now()
	b.ReportAllocs()
	for b.Loop() {
		a.take(now, "192.0.2.1", 100)
	}
}
