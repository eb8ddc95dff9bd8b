package tui

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"slices"
	"time"

	"volley/results"
)

// player goes through a stored run, forwards as time goes on and to anywhere at once.
type player struct {
	run       *results.Run
	intervals []*interval

	at    time.Duration // where it stands
	next  int           // the first interval that is not in store
	store *store
	last  time.Time // when it moved

	// What follows is for the node's side, which is read when it is looked at.
	fed     int // the first interval that the store's correlator has not seen
	scrapes func() (results.NodeSample, error, bool)
	stop    func() // ends scrapes
	scrape  results.NodeSample
	more    bool // scrape is one
}

// newPlayer reads the run. It takes some kilobytes for every interval.
func newPlayer(run *results.Run) (*player, error) {
	p := &player{run: run}
	for s, err := range run.Snapshots() {
		if err != nil {
			return nil, err
		}
		p.intervals = append(p.intervals, intervalOf(s))
	}
	if len(p.intervals) == 0 {
		return nil, fmt.Errorf("%s holds no intervals: nothing was sent", run.Dir)
	}
	slices.SortStableFunc(p.intervals, func(a, b *interval) int { return cmp.Compare(a.end, b.end) })
	p.seek(0)
	return p, nil
}

func (p *player) end() time.Duration { return p.intervals[len(p.intervals)-1].end }

func (p *player) over() bool { return p.next >= len(p.intervals) }

// seek goes to that time, or as near as the run comes.
func (p *player) seek(to time.Duration) {
	to = min(max(to, 0), p.end())
	if p.store == nil || to < p.at {
		p.store, p.next = newStore(p.run.Meta), 0
		p.close()
	}
	p.at = to
	for !p.over() && p.intervals[p.next].end <= to {
		p.store.add(p.intervals[p.next])
		p.next++
	}
	if p.over() && p.store.summary == nil {
		p.store.finish(&p.run.Summary)
	}
}

// advance goes on by the time since the last call, times speed; it tells whether that
// changed anything to be seen.
func (p *player) advance(now time.Time, paused bool, speed float64) bool {
	since := now.Sub(p.last)
	first := p.last.IsZero()
	p.last = now
	if first || paused || since <= 0 || p.over() {
		return false
	}
	before := p.next
	p.seek(p.at + time.Duration(float64(since)*speed))
	return p.next != before
}

func (p *player) view(node bool) *view {
	if node {
		p.correlate()
	}
	return p.store.view(node)
}

// correlate brings the store's correlator to where the player stands. What of the
// scrapes cannot be read ends them.
func (p *player) correlate() {
	if p.store.correlator == nil {
		p.store.correlator, p.fed = results.NewCorrelator(p.run.Meta.Correlation()), 0
		p.scrapes, p.stop = iter.Pull2(p.run.NodeSeries())
		p.nextScrape()
	}
	until := func(then time.Duration) {
		for ; p.more && p.scrape.At < then; p.nextScrape() {
			p.store.correlator.Node(p.scrape)
		}
	}
	for ; p.fed < p.next; p.fed++ {
		i := p.intervals[p.fed]
		until(i.end + time.Second)
		p.store.correlator.Snapshot(i.snapshot())
	}
	if p.over() {
		until(math.MaxInt64)
	}
}

func (p *player) nextScrape() {
	sample, err, more := p.scrapes()
	p.scrape, p.more = sample, more && err == nil
}

// close lets go of the file that the scrapes are read from.
func (p *player) close() {
	if p.stop != nil {
		p.stop()
		p.stop = nil
	}
}
