package report

import (
	"encoding/json"
	"io"

	"volley/results"
)

// enriched is run.json with what only the stored histograms tell.
type enriched struct {
	*results.Summary
	Spectrum Spectrum `json:"spectrum"`
}

// Spectrum has the percentile spectra of the measured phases together.
type Spectrum struct {
	Response []Quantile `json:"response"`
	Service  []Quantile `json:"service"`
	Lateness []Quantile `json:"lateness"`
}

// JSON writes run.json as it is stored, and as `spectrum` the percentiles of the measured
// phases up to p99.99.
func (r *Run) JSON(w io.Writer) error {
	m, d := &r.measured, &r.Summary.Measured
	return writeJSON(w, enriched{r.Summary, Spectrum{spectrum(m.Response, &d.Response), spectrum(m.Service, &d.Service), spectrum(m.Lateness, &d.Lateness)}})
}

func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// Text writes the run as a page for a terminal.
func (r *Run) Text(w io.Writer) error { return Text(w, r.Summary) }
