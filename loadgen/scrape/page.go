package scrape

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"volley/results"
)

// Sample is one scrape and when its values were so; the NodeSample's own At is left
// zero, for only the caller knows when the run began. A scrape that failed has an
// Err, no series, and the time of the attempt.
type Sample struct {
	results.NodeSample
	Time time.Time
	Took time.Duration // of the exchange; zero where another server made it
	// Others is how many series there are beside those that are kept, where they were
	// too many to keep them all; 0 where that was not so, or was wanted so.
	Others int

	began time.Time // nothing of it is older
}

// pageTimeout bounds the reading of a page that totals hang on.
const pageTimeout = 3 * time.Second

// accept asks for the classic text format, which is the cheapest to read.
const accept = "text/plain;version=0.0.4;q=1,application/openmetrics-text;version=1.0.0;q=0.5,*/*;q=0.1"

// Page is a node's own page of metrics. It is used by one goroutine at a time.
type Page struct {
	client *client
	filter *filter
	proven bool // it was read once
}

// NewPage gives the page at an address. It is not yet read.
func NewPage(a Address, k Keep) (*Page, error) {
	c, err := newClient(a)
	if err != nil {
		return nil, err
	}
	return &Page{client: c, filter: newFilter(k)}, nil
}

// Close closes the connection.
func (p *Page) Close() { p.client.close() }

// Read reads the page once and gives one sample, of the middle of the exchange. It
// returns when the exchange is over or ctx ends.
func (p *Page) Read(ctx context.Context) []Sample {
	begin := time.Now()
	series, told, err := p.read(ctx)
	s := Sample{Took: time.Since(begin)}
	s.Time = begin.Add(s.Took / 2)
	s.Series = series
	if err != nil {
		s.Series, s.Err = nil, reason(err)
	}
	if p.filter.narrowed {
		s.Others = told - len(series)
	}
	p.proven = p.proven || err == nil
	return []Sample{s}
}

// After is Read, within a time of its own: what is read now is of later than t. A page
// that could be read before is tried again as long as there is time: the totals of a
// run hang on it.
func (p *Page) After(ctx context.Context, _ time.Time) []Sample {
	ctx, cancel := context.WithTimeout(ctx, pageTimeout)
	defer cancel()
	for {
		s := p.Read(ctx)
		if s[0].Err == "" || !p.proven || !pause(ctx, 200*time.Millisecond) {
			return s
		}
	}
}

// pause waits; false when ctx ended first.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// reason says in plain words why a scrape failed.
func reason(err error) string {
	if errors.Is(err, context.DeadlineExceeded) {
		return "no whole answer in time"
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return "half an answer: the connection ended in the middle of it"
	}
	return err.Error()
}

// read gives the series that are kept, and how many the page tells.
func (p *Page) read(ctx context.Context) (series map[string]float64, told int, err error) {
	resp, err := p.client.get(ctx, p.client.url, accept)
	if err != nil {
		return nil, 0, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		drain(resp)
		return nil, 0, fmt.Errorf("the page answered %s", status(resp))
	}
	series, told, err = parse(resp.Body, resp.Header.Get("Content-Type"), p.filter)
	if err == nil && told == 0 {
		err = errors.New("the page tells no series at all")
	}
	return series, told, err
}
