// Command capacity holds what volley measures and models of a node against what is
// known of it: the bundled node with injected times, whose queueing has formulas. See
// README.md beside it.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"
)

// part is one of the questions.
type part struct {
	name, about string
	run         func(ctx context.Context, b *bench) ([]line, error)
}

var parts = []part{
	{"queue", "response times of an M/M/4 node against the formulas", queue},
	{"search", "the highest rate that meets an objective against the formula's", searching},
	{"limit", "batch_concurrency_limit: the recommended one, and the front, against a simulation", limit},
	{"cost", "costs of a call, an entry and an item against those injected", costs},
	{"compare", "the same setting twice, and one slowed down by 10%", comparing},
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	b := &bench{}
	var jobs int
	var chosen string
	flag.StringVar(&chosen, "parts", "", "`names` of what is measured, all of it unless given: "+names())
	flag.IntVar(&jobs, "jobs", 4, "experiments at a time")
	flag.IntVar(&b.seeds, "seeds", 0, "seeds of every part in place of its own number")
	flag.DurationVar(&b.trial, "for", 0, "length of every trial in place of the part's own: for a quick look, not for a verdict")
	flag.StringVar(&b.volley, "volley", "bin/volley", "the program")
	flag.StringVar(&b.dir, "dir", "", "`directory` for the experiments, which then stay; the same again goes on with them")
	flag.Parse()
	if err := run(ctx, b, jobs, chosen); err != nil {
		fmt.Fprintln(os.Stderr, "capacity:", err)
		os.Exit(1)
	}
}

func names() string {
	var all []string
	for _, p := range parts {
		all = append(all, p.name)
	}
	return strings.Join(all, ", ")
}

func run(ctx context.Context, b *bench, jobs int, chosen string) error {
	wanted := strings.FieldsFunc(chosen, func(r rune) bool { return r == ',' || r == ' ' })
	for _, name := range wanted {
		if !slices.ContainsFunc(parts, func(p part) bool { return p.name == name }) {
			return fmt.Errorf("no part %q: want some of %s", name, names())
		}
	}
	if jobs < 1 || b.seeds < 0 || b.trial < 0 {
		return fmt.Errorf("-jobs, -seeds and -for: want more than 0")
	}
	if b.dir == "" {
		dir, err := os.MkdirTemp("", "volley-capacity-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		b.dir = dir
	}
	b.slots = make(chan struct{}, jobs)
	missed := 0
	for _, p := range parts {
		if len(wanted) > 0 && !slices.Contains(wanted, p.name) {
			continue
		}
		began := time.Now()
		fmt.Printf("%s: %s\n", p.name, p.about)
		lines, err := p.run(ctx, b)
		for _, l := range lines {
			fmt.Println(l)
			if !l.ok {
				missed++
			}
		}
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		fmt.Printf("  took %v\n\n", time.Since(began).Round(time.Second))
	}
	if missed > 0 {
		return fmt.Errorf("%d lines are not as expected", missed)
	}
	return nil
}

// line is one of the table: what was expected, what was measured, and whether that
// fits.
type line struct {
	what, expected, measured string
	ok                       bool
	note                     bool // it is told, and not judged
}

func (l line) String() string {
	verdict := "ok"
	switch {
	case l.note:
		verdict = ""
	case !l.ok:
		verdict = "MISSED"
	}
	return strings.TrimRight(fmt.Sprintf("  %-38s %-28s %-44s %s", l.what, l.expected, l.measured, verdict), " ")
}

// told is a line without a verdict.
func told(what, measured string) line {
	return line{what: what, measured: measured, ok: true, note: true}
}
