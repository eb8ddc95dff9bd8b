package scenario

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

const (
	maxReplay = 4 << 30              // bounds the file of one replay, in bytes
	maxDue    = 366 * 24 * time.Hour // bounds a due time
)

// Replay is a file of due times, which a phase sends its calls at: seconds from the
// phase's start, one a line, none before the one above it. Blank lines and lines that
// begin with # are passed over. The file is read as it is needed, so that
// its length costs no memory.
type Replay struct {
	File  string // absolute
	Calls int    // due within the phase
}

// Open gives the due times from the first on.
func (r *Replay) Open() (*DueTimes, error) {
	file, err := os.Open(r.File)
	if err != nil {
		return nil, fmt.Errorf("replay: %w", err)
	}
	info, err := file.Stat()
	switch {
	case err != nil:
	case !info.Mode().IsRegular():
		err = fmt.Errorf("%s is no regular file", r.File)
	case info.Size() > maxReplay:
		err = fmt.Errorf("%s is longer than %d GiB", r.File, maxReplay>>30)
	}
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("replay: %w", err)
	}
	d := &DueTimes{file: file, lines: bufio.NewScanner(file)}
	d.lines.Buffer(make([]byte, 64<<10), 64<<10)
	return d, nil
}

// DueTimes reads the due times of a Replay. It is not safe for concurrent use.
type DueTimes struct {
	file  *os.File
	lines *bufio.Scanner
	line  int
	last  time.Duration
}

// Next gives the next due time; io.EOF behind the last.
func (d *DueTimes) Next() (time.Duration, error) {
	for d.lines.Scan() {
		d.line++
		text := strings.TrimSpace(d.lines.Text())
		if text == "" || text[0] == '#' {
			continue
		}
		due, err := dueTime(text)
		if err == nil && due < d.last {
			err = fmt.Errorf("%s is before the due time above it: sort the file", text)
		}
		if err != nil {
			return 0, fmt.Errorf("replay file %s, line %d: %w", d.file.Name(), d.line, err)
		}
		d.last = due
		return due, nil
	}
	err := d.lines.Err()
	switch {
	case errors.Is(err, bufio.ErrTooLong):
		return 0, fmt.Errorf("replay file %s, line %d: the line is longer than any number", d.file.Name(), d.line+1)
	case err != nil:
		return 0, fmt.Errorf("replay: %w", err)
	}
	return 0, io.EOF
}

// Close closes the file.
func (d *DueTimes) Close() error { return d.file.Close() }

// dueTime reads seconds, to the nanosecond.
func dueTime(text string) (time.Duration, error) {
	seconds, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil || math.IsNaN(seconds):
		return 0, fmt.Errorf("%s is no number of seconds", clip(text))
	case seconds < 0:
		return 0, fmt.Errorf("%s is before the phase's start", text)
	case seconds > maxDue.Seconds():
		return 0, fmt.Errorf("%s is more than a year of seconds", text)
	}
	return time.Duration(math.Round(seconds * 1e9)), nil
}

// replay makes p a phase whose calls are due as a file says. A length that is not
// given ends with the millisecond after the last of them.
func (d *decoder) replay(n *node, p *Phase) {
	name := d.text(n)
	if name == "" {
		return
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(d.dir, name)
	}
	if abs, err := filepath.Abs(name); err == nil {
		name = abs
	}
	p.Replay = &Replay{File: name}
	last, err := p.Replay.count(p.For)
	switch {
	case err != nil:
		d.report(n, "one due time a line, in seconds from the phase's start; files are looked for beside the scenario", "%s", err)
		return
	case p.Replay.Calls == 0:
		d.report(n, "", "no due time of %s lies within the phase", filepath.Base(name))
		return
	case p.For == 0:
		p.For = last.Truncate(time.Millisecond) + time.Millisecond
	}
	p.Arrivals = replayed
	p.Rate = Rate{Value: float64(p.Replay.Calls) / p.For.Seconds(), Unit: Calls}
	p.To = p.Rate.Value
}

// count reads the due times before end, all when end is zero, and gives the last.
func (r *Replay) count(end time.Duration) (last time.Duration, err error) {
	times, err := r.Open()
	if err != nil {
		return 0, err
	}
	defer times.Close()
	for {
		due, err := times.Next()
		switch {
		case err == io.EOF || err == nil && end > 0 && due >= end:
			return last, nil
		case err != nil:
			return 0, err
		}
		last = due
		r.Calls++
	}
}
