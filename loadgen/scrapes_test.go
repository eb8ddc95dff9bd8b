package loadgen

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"volley/loadgen/scrape"
	"volley/results"
	"volley/scenario"
)

// fakeMetrics is a page of metrics without a socket.
type fakeMetrics struct {
	read func(ctx context.Context) (series map[string]float64, gap string)
}

func (f *fakeMetrics) Read(ctx context.Context) []scrape.Sample {
	begin := time.Now()
	series, gap := f.read(ctx)
	took := time.Since(begin)
	return []scrape.Sample{{NodeSample: results.NodeSample{Series: series, Err: gap}, Time: begin.Add(took / 2), Took: took}}
}

func (f *fakeMetrics) After(ctx context.Context, _ time.Time) []scrape.Sample {
	ctx, cancel := context.WithTimeout(ctx, scrapeTimeout)
	defer cancel()
	return f.Read(ctx)
}

// scraping runs a plan with metrics that ends half a second before so many seconds are
// over, and gives what was handed out between the samples that enclose the load.
func scraping(t *testing.T, seconds int, every time.Duration, m Metrics, cost func() time.Duration) (account *Account, samples []results.NodeSample, told []string) {
	t.Helper()
	p := plan(1, steady(10, scenario.Calls, time.Duration(seconds)*time.Second-500*time.Millisecond))
	p.Target.Metrics.Every = every
	r := runner{wait: timerWaiter{}, threadCPU: cost, Config: Config{
		Plan: p, Endpoint: &fakeNode{latency: time.Millisecond}, Metrics: m,
		Node: func(s results.NodeSample) error { samples = append(samples, s); return nil },
		Warn: func(w string) { told = append(told, w) },
	}}
	account, err := r.run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if n := len(samples); n < 2 || samples[0].At != account.Before.At || samples[n-1].At != account.After.At {
		t.Fatalf("%+v are not enclosed by those at %v and %v", samples, account.Before.At, account.After.At)
	}
	return account, samples[1 : len(samples)-1], told
}

func times(samples []results.NodeSample) (at []time.Duration) {
	for _, s := range samples {
		at = append(at, s.At)
	}
	return at
}

// never is what every reading costs when it costs nothing.
func never() time.Duration { return 0 }

// A page that stands still is a gap, not a zero, every time; each ends in time, so
// that the run does too, and it is told once.
func TestScrapesOfAFrozenPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		reads := 0
		account, samples, told := scraping(t, 10, time.Second, &fakeMetrics{read: func(ctx context.Context) (map[string]float64, string) {
			if reads++; reads == 1 {
				return map[string]float64{"calls_total": 1}, ""
			}
			<-ctx.Done()
			return nil, "no whole answer in time"
		}}, never)
		if d := time.Since(begin); d > 10*time.Second+scrapeTimeout {
			t.Errorf("a run of 10 s took %v", d)
		}
		// Each of them from a whole second on, for three seconds; the one at the end is cut off.
		if want := []time.Duration{2500 * time.Millisecond, 6500 * time.Millisecond}; !slices.Equal(times(samples), want) {
			t.Errorf("samples at %v, want %v", times(samples), want)
		}
		for _, s := range samples {
			if s.Series != nil || s.Err == "" {
				t.Errorf("%+v", s)
			}
		}
		if account.Before.Series == nil || account.After.Err == "" {
			t.Errorf("before %+v, after %+v", account.Before, account.After)
		}
		if len(told) != 1 || told[0] != "the node's metrics have a gap at 2.5 s: no whole answer in time" {
			t.Errorf("told %q", told)
		}
		if want := []string{"2 of 2 scrapes of the node's metrics failed and are gaps: no whole answer in time"}; !slices.Equal(account.Warnings, want) {
			t.Errorf("warnings %q", account.Warnings)
		}
	})
}

// Reasons that differ in a number alone are one.
func TestScrapesCountReasons(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reads := 0
		account, samples, told := scraping(t, 8, time.Second, &fakeMetrics{read: func(context.Context) (map[string]float64, string) {
			switch reads++; {
			case reads == 5:
				return nil, "refused"
			case reads > 2 && reads < 8:
				return nil, fmt.Sprintf("read from port %d: reset", 4000+reads)
			}
			return map[string]float64{"calls_total": 1}, ""
		}}, never)
		if len(samples) != 7 || len(told) != 2 {
			t.Errorf("%d samples, told %q", len(samples), told)
		}
		if want := []string{"5 of 7 scrapes of the node's metrics failed and are gaps: read from port 4003: reset (4); refused (1)"}; !slices.Equal(account.Warnings, want) {
			t.Errorf("warnings %q", account.Warnings)
		}
	})
}

// Reasons beyond the first few are counted and not told.
func TestScrapesWithManyReasons(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reads := 0
		account, _, told := scraping(t, 13, time.Second, &fakeMetrics{read: func(context.Context) (map[string]float64, string) {
			reads++
			return nil, "reason " + string(rune('a'+reads))
		}}, never)
		if len(told) != mostKinds {
			t.Errorf("told %q", told)
		}
		if w := account.Warnings; len(w) != 1 || !strings.HasPrefix(w[0], "12 of 12 scrapes") || !strings.HasSuffix(w[0], "; reason j (1); further reasons (4)") {
			t.Errorf("warnings %q", w)
		}
	})
}

// What is answered later than the next scrape is due has no known time: a gap. Then
// the page is read more rarely, and what it says has a time again.
func TestScrapesThatAreLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		account, samples, _ := scraping(t, 9, time.Second, &fakeMetrics{read: func(ctx context.Context) (map[string]float64, string) {
			(timerWaiter{}).until(time.Now().Add(1500*time.Millisecond), ctx.Done())
			return map[string]float64{"calls_total": 1}, ""
		}}, never)
		if want := []time.Duration{1750 * time.Millisecond, 4750 * time.Millisecond, 6750 * time.Millisecond}; !slices.Equal(times(samples), want) {
			t.Fatalf("samples at %v, want %v", times(samples), want)
		}
		if samples[0].Series != nil || samples[0].Err != "late: it took 1.5s, longer than the 1s from one scrape to the next" {
			t.Errorf("the first: %+v", samples[0])
		}
		if samples[1].Series == nil || samples[2].Series == nil {
			t.Errorf("the others: %+v", samples[1:])
		}
		if want := "the node's metrics are read every 2s in place of every 1s: one scrape took 1.5s"; len(account.Warnings) != 2 || account.Warnings[1] != want {
			t.Errorf("warnings %q", account.Warnings)
		}
	})
}

// Reading that takes more than a fifth of a CPU is done more rarely.
func TestScrapesThatCostMuch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var cost time.Duration
		m := &fakeMetrics{read: func(context.Context) (map[string]float64, string) {
			cost += 700 * time.Millisecond
			return map[string]float64{"calls_total": 1}, ""
		}}
		account, samples, told := scraping(t, 13, time.Second, m, func() time.Duration { return cost })
		if want := []time.Duration{time.Second, 4 * time.Second, 8 * time.Second, 12 * time.Second}; !slices.Equal(times(samples), want) {
			t.Errorf("samples at %v, want %v", times(samples), want)
		}
		want := "the node's metrics are read every 4s in place of every 1s: reading them once took 700ms of CPU time"
		if !slices.Equal(told, []string{want}) || !slices.Equal(account.Warnings, []string{want}) {
			t.Errorf("told %q, warnings %q", told, account.Warnings)
		}
	})
}

// Counters that began anew are told with the time, by the process's start as well as
// by what only counters may be called.
func TestScrapesAcrossARestart(t *testing.T) {
	for why, c := range map[string]struct {
		series func(scrape int) map[string]float64
		reset  []string
	}{
		"a counter falls": {func(n int) map[string]float64 { return map[string]float64{"calls_total": float64(n % 3)} }, []string{"2.0 s", "5.0 s"}},
		"the process is another, which counted more": {func(n int) map[string]float64 {
			return map[string]float64{"process_start_time_seconds": float64(100 + n/4), "calls_total": float64(n)}
		}, []string{"3.0 s"}},
		"a gauge falls": {func(n int) map[string]float64 { return map[string]float64{"in_flight": float64(n % 3)} }, nil},
		"a bucket falls": {func(n int) map[string]float64 {
			return map[string]float64{`time_bucket{le="1"}`: float64(max(0, n-3) * 3), "x_total": 1, `y_total{a="b"}`: float64(5 - n/5)}
		}, []string{"4.0 s"}},
	} {
		synctest.Test(t, func(t *testing.T) {
			reads := -1
			account, _, _ := scraping(t, 6, time.Second, &fakeMetrics{read: func(context.Context) (map[string]float64, string) {
				reads++
				return c.series(reads + 1), ""
			}}, never)
			want := []string(nil)
			if c.reset != nil {
				want = []string{"the node's counters were reset (was it restarted?) before " + strings.Join(c.reset, ", ") + " of the run"}
			}
			if !slices.Equal(account.Warnings, want) || account.Reset != (want != nil) {
				t.Errorf("%s: %q, want %q", why, account.Warnings, want)
			}
		})
	}
}

// laggard is a source whose samples come with a delay, several at once, as those of a
// server that scrapes the node do.
type laggard struct {
	every, delay time.Duration
	first        time.Time
	given        int
}

func (l *laggard) Read(context.Context) (samples []scrape.Sample) {
	if l.first.IsZero() {
		l.first = time.Now()
	}
	for at := l.first.Add(time.Duration(l.given) * l.every); !at.Add(l.delay).After(time.Now()); at = at.Add(l.every) {
		l.given++
		samples = append(samples, scrape.Sample{NodeSample: results.NodeSample{Series: map[string]float64{"n": float64(l.given)}}, Time: at})
	}
	return samples
}

func (l *laggard) After(ctx context.Context, t time.Time) (samples []scrape.Sample) {
	for {
		for _, s := range l.Read(ctx) {
			if samples = append(samples, s); !s.Time.Before(t) {
				return samples
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// Samples keep the times that they are of, none is lost at the end, and what is of
// before the load is no sample of it.
func TestScrapesThatComeLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		account, samples, _ := scraping(t, 5, time.Second, &laggard{every: 700 * time.Millisecond, delay: 900 * time.Millisecond}, never)
		if account.Before.At != -900*time.Millisecond || account.Before.Series["n"] != 1 {
			t.Errorf("before: %+v", account.Before)
		}
		if account.After.At < account.Elapsed || account.After.At > account.Elapsed+700*time.Millisecond {
			t.Errorf("after: %+v of a load of %v", account.After, account.Elapsed)
		}
		n := float64(2)
		for _, s := range samples {
			if n++; s.Series["n"] != n || s.At != time.Duration(n-1)*700*time.Millisecond-900*time.Millisecond {
				t.Errorf("sample %v: %+v", n, s)
			}
		}
		if account.After.Series["n"] != n+1 {
			t.Errorf("between the last sample, %v, and %v after the load some are missing", n, account.After.Series["n"])
		}
	})
}
