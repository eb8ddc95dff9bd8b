package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/charmbracelet/x/term"

	"volley/results"
	"volley/tui"
)

// onTerminal tells whether a person looks at the streams, on a terminal that can be
// drawn on.
func onTerminal(s streams) bool {
	kind := os.Getenv("TERM")
	return kind != "" && kind != "dumb" && isTerminal(s.out) && isTerminal(s.err)
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(f.Fd())
}

// display shows a run as it goes on: on a screen, or in status lines.
type display struct {
	s       streams
	feed    *tui.Feed // nil: status lines
	control tui.Control

	leave context.CancelFunc // ends the screen
	done  chan struct{}      // closed when the screen has ended
	err   error              // the screen's; read after done
	told  sync.Once
}

// reached opens the screen, if there is to be one.
func (d *display) reached(meta *results.Meta, screen bool) {
	if !screen {
		return
	}
	var ctx context.Context
	ctx, d.leave = context.WithCancel(context.Background())
	d.feed, d.done = tui.NewFeed(*meta), make(chan struct{})
	go func() {
		defer close(d.done)
		d.err = tui.Live(ctx, d.feed, d.control)
	}()
}

// screen tells whether the screen is there to be looked at. When it failed that is
// said once, and status lines take its place.
func (d *display) screen() bool {
	if d.feed == nil {
		return false
	}
	select {
	case <-d.done:
		d.tell()
		return false
	default:
		return true
	}
}

// tell says why the screen failed.
func (d *display) tell() {
	d.told.Do(func() {
		if d.err != nil {
			fmt.Fprintf(d.s.err, "warning: the screen is gone, the run is not touched by that: %s\n", results.Escape(d.err.Error()))
		}
	})
}

func (d *display) correlated(c *results.Correlator) {
	if d.feed != nil {
		d.feed.Correlate(c)
	}
}

func (d *display) snapshot(snapshot *results.Snapshot, phases []results.PhaseMeta) {
	if d.feed != nil {
		d.feed.Snapshot(snapshot)
	}
	if !d.screen() {
		fmt.Fprintln(d.s.err, tui.StatusLine(snapshot, phases, 0))
	}
}

func (d *display) warn(w string) {
	if d.feed != nil {
		d.feed.Warn(w)
	}
	if !d.screen() {
		fmt.Fprintf(d.s.err, "warning: %s\n", results.Escape(w))
	}
}

// failed tells the screen of the first failure of a class; status lines and the report
// have them at the end.
func (d *display) failed(class results.Class, words string) {
	if d.feed != nil {
		d.feed.Failed(class, words)
	}
}

// note says something that is no warning.
func (d *display) note(text string) {
	if d.screen() {
		d.feed.Note(text)
		return
	}
	fmt.Fprintln(d.s.err, text)
}

// end shows what came of the run, until the person leaves; nil: nothing did, the
// screen closes at once.
func (d *display) end(summary *results.Summary) {
	if d.feed == nil {
		return
	}
	if summary != nil {
		d.feed.End(summary)
	} else {
		d.leave()
	}
	<-d.done
	d.leave()
	d.tell()
}
