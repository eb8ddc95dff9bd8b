package main

import (
	"context"
	"fmt"
	"time"

	"volley/results/study"
)

// Service times that vary little, and a trial of 2 s is 800 calls. Its p50 is judged: by
// their p99, which pauses of the machine decide, the same pairs on a busy machine found 1
// of 10, by their p50 all.
const (
	asItIs = "{sum: {lognormal: {median: 4ms, p99: 8ms}}}"
	slower = "{sum: {lognormal: {median: 4400us, p99: 8800us}}}"
)

// comparing runs comparisons of one setting with itself, and with one that is slower.
func comparing(ctx context.Context, b *bench) ([]line, error) {
	file, err := b.scenario("compare", `name: compare
target:
  dialect: jsonrpc
  node: {slots: 4, service: `+asItIs+`}
load: [{name: steady, rate: 400 calls/s, arrivals: poisson, for: 2s}]
form: single
mix: [{method: sum, params: [1, 2]}]
`)
	if err != nil {
		return nil, err
	}
	same, slow := b.seedsOr(20), (b.seedsOr(20)+1)/2
	answers := make([]*study.Comparison, same+slow)
	err = each(same+slow, func(i int) error {
		name, how := fmt.Sprintf("same-%d", i+1), []string{"--aa"}
		if i >= same {
			name, how = fmt.Sprintf("slower-%d", i-same+1), []string{"--b", "target.node.service=" + slower}
		}
		args := append([]string{"compare", "--live", file, "--seed", fmt.Sprint(1000 * (i + 1)), "--pairs", "8", "--metric", "p50", "--for", b.trialOr(2 * time.Second).String()}, how...)
		e, err := b.experiment(ctx, name, []int{4}, args...)
		if err != nil {
			return err
		}
		if e.Compare != nil {
			for k := range e.Compare.Metrics {
				if m := &e.Compare.Metrics[k]; m.Primary {
					answers[i] = m
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	count := func(all []*study.Comparison, verdict string) (n, unknown int) {
		for _, m := range all {
			switch {
			case m == nil || m.Ratio == nil:
				unknown++
			case m.Verdict == verdict:
				n++
			}
		}
		return n, unknown
	}
	var lines []line
	for i, m := range answers {
		if m == nil || m.Ratio == nil || m.Low == nil {
			continue
		}
		if i >= same {
			lines = append(lines, told(fmt.Sprintf("slower, seed %d: %s", i-same+1, m.Name), fmt.Sprintf("%+.1f%% (95%%: %+.1f%% to %+.1f%%): %s", 100*(*m.Ratio-1), 100*(*m.Low-1), 100*(*m.High-1), m.Verdict)))
		}
	}
	alike, lost := count(answers[:same], "inconclusive")
	different := same - alike - lost
	most := max(1, same/20)
	lines = append(lines, line{what: "the same setting, called different", expected: "at most " + share(most, same, ""), measured: share(different, same, unknown(lost)), ok: different <= most && lost == 0})
	found, lost := count(answers[same:], "slower")
	need := atLeast(9, 10, slow)
	lines = append(lines, line{what: "10% slower, found", expected: "at least " + share(need, slow, ""), measured: share(found, slow, unknown(lost)), ok: found >= need})
	return lines, nil
}

func unknown(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("(%d without an answer)", n)
}
