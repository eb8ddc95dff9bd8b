package results

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"time"
)

// nodeRow is a line of node.jsonl. A sample is stored whole, with Series, or as what
// is different from the sample before it: the numbers of the series that Changed and
// the values that they changed To, the Gone, and the New. A series' number is its
// place in the last whole sample, in the order of names, or behind those in the order
// in which new ones came; so the long names are stored once. A gap has an error and
// is passed over by what follows.
//
// Runs stored before there was Changed have whole samples only, and their readers see
// a row without series in its place.
type nodeRow struct {
	At      time.Duration      `json:"at_ns"`
	Series  map[string]float64 `json:"series,omitzero"`
	Changed []int              `json:"changed,omitzero"` // nil: the sample is whole
	To      []float64          `json:"to,omitzero"`
	Gone    []int              `json:"gone,omitempty"`
	New     map[string]float64 `json:"new,omitempty"`
	Err     string             `json:"error,omitempty"`
}

// wholeEvery is how often a sample is stored whole although less would do, so that
// the file can be read from its middle.
const wholeEvery = 60

// nodeRows turns samples into rows.
type nodeRows struct {
	last   map[string]float64
	number map[string]int // of every series since the last whole row
	since  int            // rows since then
}

// row gives the row for a sample. Values that are not finite are left out: JSON has
// no word for them.
func (n *nodeRows) row(s NodeSample) nodeRow {
	row := nodeRow{At: s.At, Err: s.Err}
	if s.Series == nil {
		return row
	}
	now := make(map[string]float64, len(s.Series))
	for name, v := range s.Series {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			now[name] = v
		}
	}
	if n.since++; n.last == nil || n.since >= wholeEvery || !n.change(&row, now) {
		row = nodeRow{At: s.At, Series: now}
		n.number, n.since = make(map[string]int, len(now)), 0
		n.count(now)
	}
	n.last = now
	return row
}

// count gives new series their numbers.
func (n *nodeRows) count(series map[string]float64) {
	for _, name := range slices.Sorted(maps.Keys(series)) {
		n.number[name] = len(n.number)
	}
}

// change says what is different now; false when so much is new that the sample had
// better be stored whole.
func (n *nodeRows) change(row *nodeRow, now map[string]float64) bool {
	row.Changed, row.To = []int{}, []float64{}
	for name, v := range now {
		i, numbered := n.number[name]
		old, had := n.last[name]
		switch {
		case !numbered:
			if row.New == nil {
				row.New = map[string]float64{}
			}
			row.New[name] = v
		case !had || old != v:
			row.Changed = append(row.Changed, i)
		}
	}
	for name := range n.last {
		if _, still := now[name]; !still {
			row.Gone = append(row.Gone, n.number[name])
		}
	}
	if 2*len(row.New) > len(now) {
		return false
	}
	slices.Sort(row.Gone)
	slices.Sort(row.Changed)
	names := make([]string, len(n.number))
	for name, i := range n.number {
		names[i] = name
	}
	for _, i := range row.Changed {
		row.To = append(row.To, now[names[i]])
	}
	n.count(row.New)
	return true
}

// nodeSamples turns rows back into samples, each with a map of its own.
type nodeSamples struct {
	last  map[string]float64
	names []string // by number
}

func (n *nodeSamples) sample(line []byte) (NodeSample, error) {
	var row nodeRow
	if err := json.Unmarshal(line, &row); err != nil {
		return NodeSample{}, err
	}
	s := NodeSample{At: row.At, Series: row.Series, Err: row.Err}
	switch {
	case row.Changed != nil:
		s.Series = maps.Clone(n.last)
		if err := n.apply(s.Series, &row); err != nil {
			return NodeSample{}, err
		}
	case row.Series != nil:
		n.names = slices.Sorted(maps.Keys(row.Series))
	}
	if s.Series != nil {
		n.last = s.Series
	}
	return s, nil
}

func (n *nodeSamples) apply(series map[string]float64, row *nodeRow) error {
	if series == nil {
		return errors.New("the row changes a sample, and there is none before it")
	}
	if len(row.To) != len(row.Changed) {
		return fmt.Errorf("the row has %d values for %d series", len(row.To), len(row.Changed))
	}
	for _, i := range append(slices.Clone(row.Changed), row.Gone...) {
		if i < 0 || i >= len(n.names) {
			return fmt.Errorf("the row speaks of series %d, and there are %d", i, len(n.names))
		}
	}
	for _, i := range row.Gone {
		delete(series, n.names[i])
	}
	for k, i := range row.Changed {
		series[n.names[i]] = row.To[k]
	}
	n.names = append(n.names, slices.Sorted(maps.Keys(row.New))...)
	maps.Copy(series, row.New)
	return nil
}

// NodeSeries gives the stored scrapes in order, whole, each with a map of its own. An
// error is the last thing given.
func (r *Run) NodeSeries() iter.Seq2[NodeSample, error] {
	return func(yield func(NodeSample, error) bool) {
		var rows nodeSamples
		err := eachLine(filepath.Join(r.Dir, "node.jsonl"), nodeFile, func(string) {}, func(line []byte) error {
			s, err := rows.sample(line)
			if err == nil && !yield(s, nil) {
				err = errStop
			}
			return err
		})
		if err != nil && !errors.Is(err, errStop) {
			yield(NodeSample{}, err)
		}
	}
}

// NodeSamples gives all that NodeSeries gives, at once.
func (r *Run) NodeSamples() ([]NodeSample, error) {
	var samples []NodeSample
	for s, err := range r.NodeSeries() {
		if err != nil {
			return samples, err
		}
		samples = append(samples, s)
	}
	return samples, nil
}
