package results

import (
	"encoding/json"
	"errors"
	"iter"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"time"
)

// nodeRow is a line of node.jsonl. A sample is stored whole, with Series, or as what
// is different from the sample before it, with Changed and Gone; a gap has an error
// and is passed over by what follows. Runs stored before there was Changed have whole
// samples only, and their readers see a row without series in its place.
type nodeRow struct {
	At      time.Duration      `json:"at_ns"`
	Series  map[string]float64 `json:"series,omitzero"`
	Changed map[string]float64 `json:"changed,omitzero"` // nil: the sample is whole
	Gone    []string           `json:"gone,omitempty"`
	Err     string             `json:"error,omitempty"`
}

// wholeEvery is how often a sample is stored whole although less would do, so that
// the file can be read from its middle.
const wholeEvery = 60

// nodeRows turns samples into rows.
type nodeRows struct {
	last  map[string]float64
	since int // rows since the last whole one
}

// row gives the shorter row for a sample. Values that are not finite are left out:
// JSON has no word for them.
func (n *nodeRows) row(s NodeSample) nodeRow {
	row := nodeRow{At: s.At, Err: s.Err}
	if s.Series == nil {
		return row
	}
	now := make(map[string]float64, len(s.Series))
	changed := map[string]float64{}
	for name, v := range s.Series {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			continue
		}
		now[name] = v
		if old, had := n.last[name]; !had || old != v {
			changed[name] = v
		}
	}
	for name := range n.last {
		if _, still := now[name]; !still {
			row.Gone = append(row.Gone, name)
		}
	}
	slices.Sort(row.Gone)
	if n.since++; n.last == nil || n.since >= wholeEvery || 4*(len(changed)+len(row.Gone)) > 3*len(now) {
		row.Series, row.Gone, n.since = now, nil, 0
	} else {
		row.Changed = changed
	}
	n.last = now
	return row
}

// nodeSamples turns rows back into samples, each with a map of its own.
type nodeSamples struct{ last map[string]float64 }

func (n *nodeSamples) sample(line []byte) (NodeSample, error) {
	var row nodeRow
	if err := json.Unmarshal(line, &row); err != nil {
		return NodeSample{}, err
	}
	s := NodeSample{At: row.At, Series: row.Series, Err: row.Err}
	if row.Changed != nil {
		if n.last == nil {
			return NodeSample{}, errors.New("the row changes a sample, and there is none before it")
		}
		s.Series = maps.Clone(n.last)
		for _, name := range row.Gone {
			delete(s.Series, name)
		}
		maps.Copy(s.Series, row.Changed)
	}
	if s.Series != nil {
		n.last = s.Series
	}
	return s, nil
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
