package main

import (
	"context"
	"fmt"
	"time"

	"volley/results/capacity/queueing"
	"volley/results/study"
)

// The node of the first two parts: a pool of four, service times exponential.
const servers = 4

// bare is a scenario of bare requests to such a node, behind as much load that is not
// measured as its queue forgets itself in, some times over.
func bare(name string, mean time.Duration, rate float64, warm time.Duration, slo string) string {
	return fmt.Sprintf(`name: %s
target:
  dialect: jsonrpc
  node: {slots: %d, service: {sum: {exponential: %q}}}
load:
  - {name: warm up, rate: %g calls/s, arrivals: poisson, for: %v, measured: false}
  - {name: steady, rate: %g calls/s, arrivals: poisson, for: 10s}
form: single
mix: [{method: sum, params: [1, 2]}]
slo: [%s]
`, name, servers, mean.String(), rate, warm, rate, slo)
}

// overhead is what a call takes beside the injected time, in seconds: the way there
// and back, and the node's timers. How much of it a slot is held is not known; so what
// is expected is between the formula for the injected time and that for all of it.
func overhead(ctx context.Context, b *bench, mean time.Duration) (float64, error) {
	file, err := b.scenario("overhead-"+mean.String(), bare("overhead", mean, 40, time.Second, ""))
	if err != nil {
		return 0, err
	}
	run, err := b.single(ctx, "overhead-"+mean.String(), file, "--set", "target.node.service={sum: "+mean.String()+"}")
	if err != nil {
		return 0, err
	}
	s := run.Summary.Measured.Service
	if s.N == 0 {
		return 0, fmt.Errorf("no call was answered")
	}
	return max(0, float64(s.P50)/1e6-mean.Seconds()), nil
}

// queue sets mean and p99 at three utilisations against M/M/4.
func queue(ctx context.Context, b *bench) ([]line, error) {
	const mean, repeats = 10 * time.Millisecond, 6
	more, err := overhead(ctx, b, mean)
	if err != nil {
		return nil, err
	}
	utilisations := []float64{0.5, 0.8, 0.9}
	lines := make([][]line, len(utilisations))
	err = each(len(utilisations), func(i int) error {
		rho := utilisations[i]
		rate := rho * servers / mean.Seconds()
		name := fmt.Sprintf("queue-%g", rho)
		file, err := b.scenario(name, bare(name, mean, rate, 5*time.Second, ""))
		if err != nil {
			return err
		}
		e, err := b.experiment(ctx, name, []int{4}, "sweep", file, "--vary", fmt.Sprintf("rate=%g", rate), "--repeats", fmt.Sprint(repeats), "--for", b.trialOr(30*time.Second).String())
		if err != nil {
			return err
		}
		lines[i], err = held(e.Sweep, rho, rate, mean.Seconds(), more)
		return err
	})
	all := []line{told("overhead beside the injected time", milli(more))}
	for _, l := range lines {
		all = append(all, l...)
	}
	return all, err
}

// held compares a cell with the formulas.
func held(sweep *study.Sweep, rho, rate, mean, more float64) ([]line, error) {
	if sweep == nil || len(sweep.Cells) != 1 {
		return nil, fmt.Errorf("the sweep has no answer")
	}
	low, err := queueing.NewMMC(servers, rate, 1/mean)
	if err != nil {
		return nil, err
	}
	high, err := queueing.NewMMC(servers, rate, 1/(mean+more))
	if err != nil {
		return nil, fmt.Errorf("with an overhead of %s a call the node cannot keep up with %g calls/s: %w", milli(more), rate, err)
	}
	var all []line
	for _, m := range []struct {
		what, metric string
		of           func(queueing.MMC) float64
	}{
		{"mean", study.ResponseMean, queueing.MMC.Sojourn},
		{"p99", study.ResponseP99, func(q queueing.MMC) float64 { return q.SojournQuantile(.99) }},
	} {
		from, to := m.of(low), m.of(high)
		l := line{what: fmt.Sprintf("utilisation %g, response %s", rho, m.what), expected: band(from, to)}
		got, ok := sweep.Cells[0].Metric(m.metric)
		if ok && got.Low != nil && got.High != nil {
			l.measured = fmt.Sprintf("%s (95%%: %s)", milli(got.Value/1e6), band(*got.Low/1e6, *got.High/1e6))
			l.ok = *got.Low/1e6 <= to && *got.High/1e6 >= from
		} else {
			l.measured = "too few trials count"
		}
		all = append(all, l)
	}
	return all, nil
}
