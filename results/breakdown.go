package results

import (
	"iter"
	"slices"
	"strconv"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// RowMalformed is the row of members that were sent malformed on purpose: they are of
// no method.
const RowMalformed = -1

// MaxRows is how many rows of a mix are told apart: those beyond share the row of that
// index.
const MaxRows = 64

// Band is a class of call sizes. A call's size is the number of entries of a batch,
// and the number of items of a bare request: that of its array parameter.
type Band int

// bandEnds are the greatest size of each band; what is greater is in the last one.
var bandEnds = [...]int{1, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000}

const (
	lastBand = Band(len(bandEnds))
	// AnyBand holds calls of every size, where there were too many cells to tell the
	// bands apart.
	AnyBand  = lastBand + 1
	numBands = int(AnyBand) + 1
)

// BandOf gives the band of a call of that size.
func BandOf(size int) Band {
	i, _ := slices.BinarySearch(bandEnds[:], size)
	return Band(i)
}

// String gives the sizes of the band: "1", "2-5", "over 100000", "any".
func (b Band) String() string {
	switch {
	case b <= 0:
		return "1"
	case b < lastBand:
		return strconv.Itoa(bandEnds[b-1]+1) + "-" + strconv.Itoa(bandEnds[b])
	case b == lastBand:
		return "over " + strconv.Itoa(bandEnds[lastBand-1])
	}
	return "any"
}

// ParseBand gives the band of that name.
func ParseBand(name string) (Band, bool) {
	for b := range Band(numBands) {
		if b.String() == name {
			return b, true
		}
	}
	return 0, false
}

// Part is what became of a call's entries that were drawn from one row of the mix.
type Part struct {
	Row     int // index into Meta.Rows, or RowMalformed
	Entries int
	ByClass [NumClasses]int // adds up to Entries
}

// Cell is one cell of a Breakdown: the entries of one row in the calls of one band.
type Cell struct {
	Phase int // index into Meta.Phases
	Row   int // index into Meta.Rows, or RowMalformed
	Band  Band

	Calls   uint64 // calls with at least one entry of the row; one with several rows is in several cells
	Entries uint64
	Items   uint64
	ByClass [NumClasses]uint64 // entries; adds up to Entries
	// Response holds, in microseconds and with two significant digits, the response
	// time of the entry's call once for every entry: what a user of one entry felt. It
	// is of the calls that Latency.Response is of.
	Response *hdrhistogram.Histogram
}

// Breakdown splits an account by phase, mix row and size band. Cells are made when
// there is something to count, no more than maxCells of them with a band of their own:
// then calls go to the AnyBand of their phase and row. So its memory is bounded, and
// every entry is in exactly one cell. Its zero value is empty and ready for use. It is
// not safe for concurrent use.
type Breakdown struct {
	phases [][]*Cell // by phase, then place
	banded int       // cells with a band of their own
	size   int       // of the last call
	band   Band      // that its size is in
}

// maxCells times a histogram's 26 KB is the memory of a breakdown, but for cells of
// AnyBand.
const maxCells = 512

const breakdownDigits = 2

func place(row int, band Band) int { return (row-RowMalformed)*numBands + int(band) }

// AddOutcome counts one call by its Parts; without them it counts nothing.
func (b *Breakdown) AddOutcome(o *Outcome) {
	size := o.Items
	if o.Batch {
		size = o.Entries
	}
	if size != b.size { // calls are mostly of the same size
		b.size, b.band = size, BandOf(size)
	}
	band := b.band
	timed := o.Answered() || o.Class.inVain()
	us := min(max(wholeMicros(o.Done-o.Due), 0), highestLatency)
	for i := range o.Parts {
		p := &o.Parts[i]
		c := b.cell(o.Phase, p.Row, band)
		c.Calls++
		c.Entries += uint64(p.Entries)
		c.Items += uint64(o.Items / o.Entries * p.Entries)
		addClasses(&c.ByClass, &p.ByClass, p.Entries)
		if timed {
			_ = c.Response.RecordValues(us, int64(p.Entries)) // within the range
		}
	}
}

// cell gives the cell of calls of that band, which it makes.
func (b *Breakdown) cell(phase, row int, band Band) *Cell {
	row = min(row, MaxRows)
	if phase < len(b.phases) {
		if at := place(row, band); at < len(b.phases[phase]) && b.phases[phase][at] != nil {
			return b.phases[phase][at]
		}
	}
	if band != AnyBand && b.banded >= maxCells {
		return b.cell(phase, row, AnyBand)
	}
	for len(b.phases) <= phase {
		b.phases = append(b.phases, nil)
	}
	at := place(row, band)
	if grow := at + 1 - len(b.phases[phase]); grow > 0 {
		b.phases[phase] = append(b.phases[phase], make([]*Cell, grow)...)
	}
	c := &Cell{Phase: phase, Row: row, Band: band, Response: hdrhistogram.New(lowestLatency, highestLatency, breakdownDigits)}
	b.phases[phase][at] = c
	if band != AnyBand {
		b.banded++
	}
	return c
}

// Cells gives the cells that hold entries, by phase, row and band. They are the
// Breakdown's own: to be read, until it is changed.
func (b *Breakdown) Cells() iter.Seq[*Cell] {
	return func(yield func(*Cell) bool) {
		for _, cells := range b.phases {
			for _, c := range cells {
				if c != nil && c.Entries > 0 && !yield(c) {
					return
				}
			}
		}
	}
}

// Merge adds o's cells to b's. It keeps nothing of o.
func (b *Breakdown) Merge(o *Breakdown) {
	for c := range o.Cells() {
		b.MergeCell(c)
	}
}

// MergeCell adds a cell, to the one of its phase, row and band: change those of a copy
// to add over phases, or over bands. It keeps nothing of c.
func (b *Breakdown) MergeCell(c *Cell) {
	to := b.cell(c.Phase, c.Row, c.Band)
	to.Calls += c.Calls
	to.Entries += c.Entries
	to.Items += c.Items
	for class, n := range c.ByClass {
		to.ByClass[class] += n
	}
	if c.Response != nil && c.Response.TotalCount() > 0 {
		to.Response.Merge(c.Response)
	}
}

// Reset empties b for the next interval. It keeps the memory of cells that held
// something, and lets go of the rest.
func (b *Breakdown) Reset() {
	for _, cells := range b.phases {
		for at, c := range cells {
			switch {
			case c == nil:
			case c.Entries == 0:
				cells[at] = nil
				if c.Band != AnyBand {
					b.banded--
				}
			default:
				c.Calls, c.Entries, c.Items, c.ByClass = 0, 0, 0, [NumClasses]uint64{}
				c.Response.Reset()
			}
		}
	}
}
