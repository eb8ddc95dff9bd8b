package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"os/exec"
	"syscall"
	"time"

	"volley/loadgen/experiment"
	"volley/results"
	"volley/results/correlate"
	"volley/scenario"
)

const (
	// restWithin bounds how long a node may take to come to rest between trials.
	restWithin = 10 * time.Second
	restEvery  = 100 * time.Millisecond
	lookWithin = time.Minute // a Prometheus server has its own cadence
	// applyWithin bounds the scenario's command, and then again how long the node may
	// take to be ready.
	applyWithin = 2 * time.Minute
	readyEvery  = 250 * time.Millisecond
)

// settle waits until the node's gauges of batches and entries under way are back at
// what they were when it was reached, before any load of ours.
func (l *lab) settle(ctx context.Context, plan *scenario.Plan) []experiment.Note {
	if l.place.metrics == nil {
		return nil
	}
	names, err := seriesNames(plan)
	if err != nil {
		return []experiment.Note{{Text: err.Error()}}
	}
	gauges := func() (map[correlate.Role]float64, error) {
		s := l.place.look(ctx)
		if s.Err != "" {
			return nil, errors.New(s.Err)
		}
		levels := map[correlate.Role]float64{}
		for _, role := range []correlate.Role{correlate.BatchesInFlight, correlate.EntriesInFlight} {
			if v, ok := total(names[role], s.Series); ok {
				levels[role] = v
			}
		}
		return levels, nil
	}
	deadline := time.Now().Add(restWithin)
	for {
		levels, err := gauges()
		switch {
		case err != nil && time.Now().After(deadline):
			return []experiment.Note{{NotIdle: true, Text: fmt.Sprintf("whether the node was at rest is not known: %v", err)}}
		case err != nil:
		case l.rest == nil:
			l.rest = levels
			return nil
		default:
			if busy := l.above(levels); busy == "" {
				return nil
			} else if time.Now().After(deadline) {
				return []experiment.Note{{NotIdle: true, Text: fmt.Sprintf("the node was not at rest %v after the trial before: %s", restWithin, busy)}}
			}
		}
		if !pause(ctx, restEvery) {
			return nil
		}
	}
}

// above says which gauge is over its value at rest; "" for none.
func (l *lab) above(levels map[correlate.Role]float64) string {
	for role, v := range levels {
		if v > l.rest[role] {
			return fmt.Sprintf("%s at %s, %s before any load", role, results.Number(v), results.Number(l.rest[role]))
		}
	}
	return ""
}

// runApply runs the scenario's command; what it says goes to log.
func runApply(ctx context.Context, command []string, log *os.File) error {
	bounded, cancel := context.WithTimeout(ctx, applyWithin)
	defer cancel()
	c := exec.CommandContext(bounded, command[0], command[1:]...)
	c.Stdout, c.Stderr = log, log
	c.WaitDelay = time.Second
	err := c.Run()
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return &exit{exitInterrupted, errors.New("interrupted while target.apply ran")}
	case bounded.Err() != nil:
		return &exit{exitUnreachable, fmt.Errorf("target.apply: %s did not end within %v; see %s", command[0], applyWithin, log.Name())}
	}
	return &exit{exitUnreachable, fmt.Errorf("target.apply: %s: %w: %s; see %s", command[0], err, lastLine(log.Name()), log.Name())}
}

// ready waits until the address that the target names for it answers.
func ready(ctx context.Context, t *scenario.Target) error {
	if t.Ready == "" {
		return nil
	}
	client := &http.Client{
		Timeout:       5 * time.Second,
		Transport:     &http.Transport{DialContext: guardedDial(t), DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	deadline := time.Now().Add(applyWithin)
	for {
		why := ask(ctx, client, t.Ready)
		switch {
		case why == "":
			return nil
		case ctx.Err() != nil:
			return &exit{exitInterrupted, errors.New("interrupted while the node was not ready yet")}
		case time.Now().After(deadline):
			return &exit{exitUnreachable, fmt.Errorf("target.ready: the node was not ready within %v after target.apply: %s", applyWithin, why)}
		}
		pause(ctx, readyEvery)
	}
}

// ask says why an address does not answer; "" when it does.
func ask(ctx context.Context, client *http.Client, address string) string {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return "it is no address"
	}
	response, err := client.Do(request)
	if err != nil {
		return results.Escape(withoutURL(err).Error())
	}
	response.Body.Close()
	if response.StatusCode >= 400 {
		return fmt.Sprintf("it answered %d", response.StatusCode)
	}
	return ""
}

// pause waits; false when ctx ended.
func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// guardedDial connects where the target may be connected to.
func guardedDial(t *scenario.Target) func(ctx context.Context, network, address string) (net.Conn, error) {
	refuse := guard(t.Authorised)
	return (&net.Dialer{Control: func(_, address string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(address)
		if err != nil {
			return err
		}
		return refuse(to.Addr())
	}}).DialContext
}

// withoutURL is the error of a request without its address, which may hold secrets.
func withoutURL(err error) error {
	if e, ok := errors.AsType[*url.Error](err); ok {
		return e.Err
	}
	return err
}

// look reads the node's metrics once, as they are from now on.
func (r *reached) look(ctx context.Context) results.NodeSample {
	ctx, cancel := context.WithTimeout(ctx, lookWithin)
	defer cancel()
	samples := r.metrics.After(ctx, time.Now())
	if len(samples) == 0 {
		return results.NodeSample{Err: "no sample of the node's metrics came"}
	}
	return samples[len(samples)-1].NodeSample
}
