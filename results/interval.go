package results

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"
)

// header is the first line of intervals.jsonl and node.jsonl.
type header struct {
	Format int    `json:"format"`
	What   string `json:"what"`
}

// The words by which those files tell what they are.
const (
	intervalsFile = "volley intervals"
	nodeFile      = "volley node series"
)

// intervalRow is one line of intervals.jsonl: a Snapshot without its
// distributions, which stand in latency.hlog up to HlogEnd, a byte offset. As the
// row is written after them, a whole row has whole distributions.
type intervalRow struct {
	StartNS  int64     `json:"start_ns"`
	EndNS    int64     `json:"end_ns"`
	Wall     time.Time `json:"wall"`
	Current  int       `json:"current"`
	Phase    string    `json:"phase"` // the current one's name; "" when draining
	InFlight int       `json:"in_flight"`
	// InFlightMean is over the interval; null where it is not known.
	InFlightMean *float64   `json:"in_flight_mean,omitempty"`
	Planned      uint64     `json:"planned"`
	Phases       []phaseRow `json:"phases"`
	HlogEnd      int64      `json:"hlog_end"`

	Asked     float64    `json:"asked,omitempty"`
	RateSteps []RateStep `json:"rate_steps,omitempty"`
	Health    *healthRow `json:"health,omitempty"`
	Breakdown []cellRow  `json:"breakdown,omitempty"` // also of intervals before it that have none; see Writer.thinned
}

// healthRow is a Health.
type healthRow struct {
	CPUFraction float64 `json:"cpu_fraction"`
	GCPauseNS   int64   `json:"gc_pause_max_ns"`
	SchedNS     int64   `json:"sched_p99_ns"`
	GCCycles    uint64  `json:"gc_cycles"`
	Connections uint64  `json:"connections"`
	HeapBytes   uint64  `json:"heap_bytes"`
}

// cellRow is a Cell, whose distribution stands in latency.hlog.
type cellRow struct {
	Phase   int               `json:"phase"`
	Row     int               `json:"row"`
	Band    string            `json:"band"`
	Calls   uint64            `json:"calls"`
	Entries uint64            `json:"entries"`
	Items   uint64            `json:"items"`
	ByClass map[string]uint64 `json:"by_class"`
}

type phaseRow struct {
	Index       int    `json:"index"`
	Name        string `json:"name"`
	FirstSentNS int64  `json:"first_sent_ns"`
	LastSentNS  int64  `json:"last_sent_ns"`
	Totals
}

func rowOf(s *Snapshot, phases []PhaseMeta, hlogEnd int64) intervalRow {
	row := intervalRow{
		StartNS: int64(s.Start), EndNS: int64(s.End), Wall: stamp(s.Wall),
		Current: s.Current, Phase: phaseName(phases, s.Current), Asked: math.Round(1e3*s.Asked) / 1e3, RateSteps: s.RateSteps,
		InFlight: s.InFlight, InFlightMean: s.InFlightMean, Planned: s.Planned,
		Phases: []phaseRow{}, HlogEnd: hlogEnd,
	}
	for i := range s.Phases {
		p := &s.Phases[i]
		row.Phases = append(row.Phases, phaseRow{
			Index: p.Phase, Name: phaseName(phases, p.Phase), FirstSentNS: int64(p.FirstSent), LastSentNS: int64(p.LastSent), Totals: p.Totals(),
		})
	}
	if h := s.Health; h != (Health{}) {
		row.Health = &healthRow{math.Round(1e4*h.CPUFraction) / 1e4, int64(h.GCPauseMax), int64(h.SchedP99), h.GCCycles, h.Connections, h.HeapBytes}
	}
	for c := range s.Breakdown.Cells() {
		row.Breakdown = append(row.Breakdown, cellRow{c.Phase, c.Row, c.Band.String(), c.Calls, c.Entries, c.Items, byName(&c.ByClass)})
	}
	return row
}

// cell checks the row, of a run with that many phases. The cell has no distribution.
func (r *cellRow) cell(phases int) (*Cell, error) {
	band, ok := ParseBand(r.Band)
	if !ok || r.Phase < 0 || r.Phase >= phases || r.Row < RowMalformed || r.Row > MaxRows {
		return nil, fmt.Errorf("breakdown: no cell of phase %d, row %d, size %q", r.Phase, r.Row, r.Band)
	}
	c := &Cell{Phase: r.Phase, Row: r.Row, Band: band, Calls: r.Calls, Entries: r.Entries, Items: r.Items}
	return c, classesOf(&c.ByClass, r.ByClass)
}

func phaseName(phases []PhaseMeta, i int) string {
	if i < 0 || i >= len(phases) {
		return ""
	}
	return phases[i].Name
}

// parseInterval reads a line of intervals.jsonl of a run with that many phases.
// The snapshot's distributions are empty ones.
func parseInterval(line []byte, phases int) (s Snapshot, hlogEnd int64, err error) {
	var row intervalRow
	if err := json.Unmarshal(line, &row); err != nil {
		return Snapshot{}, 0, err
	}
	if row.EndNS < row.StartNS {
		return Snapshot{}, 0, errors.New("the interval ends before it starts")
	}
	s = Snapshot{
		Start: time.Duration(row.StartNS), End: time.Duration(row.EndNS), Wall: row.Wall,
		Current: row.Current, Asked: row.Asked, RateSteps: row.RateSteps, InFlight: row.InFlight, InFlightMean: row.InFlightMean, Planned: row.Planned,
	}
	for _, p := range row.Phases {
		if p.Index < 0 || p.Index >= phases {
			return Snapshot{}, 0, fmt.Errorf("phase %d: the plan has %d", p.Index, phases)
		}
		counts, err := p.Counts()
		if err != nil {
			return Snapshot{}, 0, err
		}
		s.Phases = append(s.Phases, PhaseSlice{
			Phase: p.Index, FirstSent: time.Duration(p.FirstSentNS), LastSent: time.Duration(p.LastSentNS), Counts: counts, Latency: NewLatency(),
		})
	}
	if h := row.Health; h != nil {
		s.Health = Health{h.CPUFraction, time.Duration(h.GCPauseNS), time.Duration(h.SchedNS), h.GCCycles, h.Connections, h.HeapBytes}
	}
	for i := range row.Breakdown {
		c, err := row.Breakdown[i].cell(phases)
		if err != nil {
			return Snapshot{}, 0, err
		}
		s.Breakdown.MergeCell(c)
	}
	return s, row.HlogEnd, nil
}

// parseHeader checks the first line of a file that must be what it says.
func parseHeader(line []byte, what string) error {
	var h header
	if err := json.Unmarshal(line, &h); err != nil || h.What != what {
		return fmt.Errorf("the first line does not say %q", what)
	}
	return checkFormat(h.Format)
}

func checkFormat(format int) error {
	switch {
	case format > Format:
		return fmt.Errorf("format %d is newer than this volley reads (%d): use a newer volley", format, Format)
	case format < 1:
		return fmt.Errorf("format %d is none", format)
	}
	return nil
}
