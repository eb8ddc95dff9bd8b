package scrape

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Prometheus is a Prometheus server, or what speaks its query API, that scrapes the
// node. It is used by one goroutine at a time.
//
// Samples are read with range selectors, which give what was scraped with the times
// of the scrapes; an instant selector would give the time of the query. A scrape is
// given once, however often it is seen. Series are named as the node's own page
// names them: the labels that the server adds to all series of a target are taken off.
type Prometheus struct {
	client *client
	match  string // label matchers, without braces
	keep   Keep

	ready    bool
	names    string        // expression of the names that are asked for; "" is all
	all      int           // series that there are, where they were too many to ask for all
	skew     time.Duration // the server's clock less ours
	unsure   time.Duration // by how much that may be wrong
	interval time.Duration // between scrapes; 0: not known
	last     int64         // what was scraped up to then was given, or is of no interest, in milliseconds of the server's clock
	seen     bool          // last was a scrape
}

const (
	// lookBack is how far back the first look goes, to find the interval of scrapes.
	lookBack = 5 * time.Minute
	// longestInterval is assumed where it cannot be found: the server's default.
	longestInterval = time.Minute
	// scrapeMargin is how much longer than the interval a scrape is waited for.
	scrapeMargin = 3 * time.Second
	// queryTimeout bounds one query.
	queryTimeout = 3 * time.Second
	// longestWait bounds the wait for a scrape, whatever its interval.
	longestWait = 2 * time.Minute
)

// NewPrometheus gives the server at an address, which is that of its web interface.
// match selects the node's series among its own, as label matchers
// (`job="near",instance="10.0.0.1:3030"`), with or without braces. It is not yet asked.
func NewPrometheus(a Address, match string, k Keep) (*Prometheus, error) {
	c, err := newClient(a)
	if err != nil {
		return nil, err
	}
	match = strings.TrimSpace(match)
	match = strings.TrimSuffix(strings.TrimPrefix(match, "{"), "}")
	match = strings.Trim(match, ", ")
	if match == "" {
		return nil, errors.New(`nothing says which series are the node's: write label matchers, such as job="near"`)
	}
	return &Prometheus{client: c, match: match, keep: k}, nil
}

// Close closes the connection.
func (p *Prometheus) Close() { p.client.close() }

// Read gives the scrapes that the server made since the last one that was given, the
// oldest first; none when there is no new one. A scrape of the server's that failed,
// a query that fails, and scrapes that stopped are samples with an error. It returns
// when the query is over or ctx ends.
func (p *Prometheus) Read(ctx context.Context) []Sample {
	samples, err := p.read(ctx)
	if err != nil {
		samples = append(samples, p.gap(reason(err)))
	}
	return samples
}

func (p *Prometheus) gap(why string) Sample {
	s := Sample{Time: time.Now()}
	s.Err = why
	return s
}

// After waits until the server has made a whole scrape that began later than t, and
// gives what it had not given up to then, that scrape last. It waits the interval of
// scrapes and a little longer, for a server that does not answer as long as two
// queries may take; then the last sample has an error that says so.
func (p *Prometheus) After(ctx context.Context, t time.Time) []Sample {
	began := time.Now()
	heard := began // from the server, the last time
	var all []Sample
	p.ready = false // clocks drift
	for {
		found, err := p.readFor(ctx)
		for _, s := range found {
			all = append(all, s)
			if s.Err == "" && !s.began.Before(t.Add(p.unsure)) {
				return all
			}
		}
		if err == nil {
			heard = time.Now()
		}
		wait := p.patience()
		late := time.Since(began) > wait || time.Since(heard) >= 2*queryTimeout
		if late || !pause(ctx, min(max(p.interval/10, 100*time.Millisecond), time.Second)) {
			why := fmt.Sprintf("Prometheus made no new scrape of the node within %v", wait.Round(time.Second))
			if err != nil {
				why = reason(err)
			}
			return append(all, p.gap(why))
		}
	}
}

// patience is how long After may take.
func (p *Prometheus) patience() time.Duration {
	if p.interval == 0 {
		return longestInterval + scrapeMargin
	}
	return min(p.interval+scrapeMargin, longestWait)
}

// readFor is read within the time of one query.
func (p *Prometheus) readFor(ctx context.Context) ([]Sample, error) {
	ctx, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	return p.read(ctx)
}

func (p *Prometheus) read(ctx context.Context) ([]Sample, error) {
	if !p.ready {
		if err := p.prepare(ctx); err != nil {
			return nil, err
		}
		p.ready = true
	}
	now := time.Now().Add(p.skew)
	since := min(now.Sub(time.UnixMilli(p.last))+p.unsure+100*time.Millisecond, lookBack)
	matrix, err := p.query(ctx, p.selector(), max(since, time.Second))
	if err != nil {
		return nil, err
	}
	scrapes, err := matrix.scrapes(p.last)
	if err != nil {
		return nil, err
	}
	samples := make([]Sample, len(scrapes))
	for i, s := range scrapes {
		if p.seen {
			p.interval = time.Duration(s.at-p.last) * time.Millisecond
		}
		p.last, p.seen = s.at, true
		samples[i].began = time.UnixMilli(s.at).Add(-p.skew)
		samples[i].Time = samples[i].began.Add(s.took / 2)
		samples[i].Series = s.series
		samples[i].Others = max(p.all-len(s.series), 0)
		if s.down {
			samples[i].Series, samples[i].Err = nil, "Prometheus could not scrape the node (its series up is 0)"
		}
	}
	if old := now.Sub(time.UnixMilli(p.last)); len(samples) == 0 && p.interval > 0 && old > 5*p.interval/2+scrapeMargin {
		return nil, fmt.Errorf("Prometheus made no new scrape of the node for %v", old.Round(time.Second))
	}
	return samples, nil
}

func (p *Prometheus) selector() string {
	if p.names == "" {
		return "{" + p.match + "}"
	}
	return "{" + p.match + ",__name__=~" + strconv.Quote(p.names) + "}"
}

// prepare finds out how the server's clock stands, how often it scrapes, and whether
// all of the node's series can be asked for.
func (p *Prometheus) prepare(ctx context.Context) error {
	if err := p.clock(ctx); err != nil {
		return err
	}
	matrix, err := p.query(ctx, "up{"+p.match+"}", lookBack)
	if err != nil {
		return err
	}
	times, err := matrix.times()
	if err != nil {
		return err
	}
	n := len(times)
	if n > 1 {
		p.interval = time.Duration(times[n-1]-times[n-2]) * time.Millisecond
	}
	switch {
	case p.last > 0: // after a failure
	case n > 0:
		p.last, p.seen = times[n-1], true
	default:
		p.last = time.Now().Add(p.skew).UnixMilli()
	}
	number, err := p.scalar(ctx, "count({"+p.match+"})")
	if err != nil {
		return err
	}
	if number == 0 && n == 0 {
		return fmt.Errorf("Prometheus has no series with %.200s: is the node among its targets?", p.match)
	}
	// Once they were too many it stays so: series that come and go look like a restart.
	if len(p.keep.Chosen) == 0 && number > MaxOthers {
		p.all = int(min(number, math.MaxInt32))
	}
	if len(p.keep.Chosen) > 0 || number > MaxOthers {
		p.names = pattern(append(append([]string{"up", "scrape_duration_seconds"}, p.keep.Known...), p.keep.Chosen...))
	}
	return nil
}

// clock sets the server's clock against ours, to half the time of an exchange.
func (p *Prometheus) clock(ctx context.Context) error {
	begin := time.Now()
	theirs, err := p.scalar(ctx, "time()")
	if err != nil {
		return err
	}
	took := time.Since(begin)
	p.skew = time.UnixMilli(int64(math.Round(theirs * 1000))).Sub(begin.Add(took / 2))
	p.unsure = took/2 + time.Millisecond
	return nil
}

// query asks for what the selector selects over the time up to now.
func (p *Prometheus) query(ctx context.Context, selector string, over time.Duration) (matrix, error) {
	data, err := p.ask(ctx, selector+"["+strconv.FormatInt(over.Milliseconds(), 10)+"ms]")
	if err != nil {
		return nil, err
	}
	return data.matrix()
}

// scalar asks for one number; it is 0 when the answer holds none.
func (p *Prometheus) scalar(ctx context.Context, expression string) (float64, error) {
	data, err := p.ask(ctx, expression)
	if err != nil {
		return 0, err
	}
	return data.number()
}

func (p *Prometheus) ask(ctx context.Context, expression string) (*answer, error) {
	u := p.client.url.JoinPath("api/v1/query")
	u.RawQuery = url.Values{"query": {expression}}.Encode()
	resp, err := p.client.get(ctx, u, "application/json")
	if err != nil {
		return nil, fmt.Errorf("asking Prometheus: %w", err)
	}
	defer resp.Body.Close()
	return decodeAnswer(&bounded{in: resp.Body, left: MaxBody}, resp)
}
