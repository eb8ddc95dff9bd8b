package report

import (
	"encoding/csv"
	"io"
	"math"
	"strconv"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"volley/results"
)

var runColumns = []string{
	"run", "seed", "time", "start_s", "end_s", "phase_index", "phase", "measured", "asked", "asked_unit",
	"calls", "entries", "items", "notifications", "good_entries", "failed_entries", "failed_calls", "unanswered_calls",
	"bytes_out", "bytes_in", "calls_per_s", "entries_per_s", "goodput_entries_per_s", "in_flight", "generator_cpu",
}

// CSV writes a table with a row for each interval and phase: rates over the interval,
// percentiles of the calls that ended in it, in microseconds. Empty is not known. It is
// read and written interval by interval.
func (r *Run) CSV(w io.Writer) error {
	out := csv.NewWriter(w)
	head := append([]string{}, runColumns...)
	for _, d := range []string{"response", "service", "lateness"} {
		for _, q := range []string{"n", "mean_us", "p50_us", "p90_us", "p99_us", "p99.9_us", "max_us"} {
			head = append(head, d+"_"+q)
		}
	}
	if err := out.Write(head); err != nil {
		return err
	}
	for s, err := range r.run.Snapshots() {
		if err != nil {
			return err
		}
		for i := range s.Phases {
			if err := out.Write(r.csvRow(s, &s.Phases[i])); err != nil {
				return err
			}
		}
	}
	out.Flush()
	return out.Error()
}

func (r *Run) csvRow(s *results.Snapshot, p *results.PhaseSlice) []string {
	var ph results.PhaseMeta
	if p.Phase < len(r.meta.Phases) {
		ph = r.meta.Phases[p.Phase]
	}
	asked := ""
	if s.Asked > 0 && p.Phase == s.Current {
		asked = csvFloat(s.Asked)
	}
	seconds := (s.End - s.Start).Seconds()
	rate := func(n uint64) string {
		if !(seconds > 0) {
			return ""
		}
		return csvFloat(math.Round(1e3*float64(n)/seconds) / 1e3)
	}
	inFlight := float64(s.InFlight)
	if s.InFlightMean != nil {
		inFlight = math.Round(1e3**s.InFlightMean) / 1e3
	}
	row := []string{
		csvText(r.Summary.Name), csvUint(r.Summary.Seed), s.Wall.UTC().Format(time.RFC3339Nano), csvFloat(s.Start.Seconds()), csvFloat(s.End.Seconds()),
		strconv.Itoa(p.Phase), csvText(ph.Name), strconv.FormatBool(ph.Measured), asked, csvText(ph.Unit),
		csvUint(p.Calls), csvUint(p.Entries), csvUint(p.Items), csvUint(p.Notifications), csvUint(p.GoodEntries()), csvUint(p.FailedEntries()), csvUint(p.FailedCalls()), csvUint(p.Unanswered),
		csvUint(p.BytesOut), csvUint(p.BytesIn), rate(p.Calls), rate(p.Entries), rate(p.GoodEntries()), csvFloat(inFlight), csvFloat(math.Round(1e4*s.Health.CPUFraction) / 1e4),
	}
	for _, h := range []*hdrhistogram.Histogram{p.Response, p.Service, p.Lateness} {
		row = append(row, csvLatency(h)...)
	}
	return row
}

func csvLatency(h *hdrhistogram.Histogram) []string {
	if h == nil || h.TotalCount() == 0 {
		return []string{"0", "", "", "", "", "", ""}
	}
	row := []string{strconv.FormatInt(h.TotalCount(), 10), csvFloat(math.Round(10*h.Mean()) / 10)}
	for _, q := range []float64{50, 90, 99, 99.9} {
		row = append(row, strconv.FormatInt(results.Percentile(h, q), 10))
	}
	return append(row, strconv.FormatInt(h.Max(), 10))
}
