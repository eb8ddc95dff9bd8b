package scrape

import (
	"bytes"
	"fmt"
	"io"
	"net/http"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// Parse reads one exposition to its end and yields its series. Content types
// understood are the Prometheus text format, which an empty one stands for too,
// and OpenMetrics, but for the composite values of its version 2.
//
// A series is named as the exposition writes it, its labels sorted by name:
// `up`, `rpc_requests_total{code="-32601",method="query"}`. A histogram h yields
// h_bucket{le="..."}, h_sum and h_count, a summary s yields s{quantile="..."},
// s_sum and s_count; numbers in le and quantile are written as short as they can
// be (le="1"). Timestamps and exemplars are passed over. Values that are not
// finite are left out: NaN says that nothing was observed, and neither it nor
// infinity can be stored as JSON.
//
// An exposition over [MaxBody] bytes, or one that tells the same series twice, is an
// error.
func Parse(r io.Reader, contentType string) (map[string]float64, error) {
	format, err := formatOf(contentType)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(io.LimitReader(r, MaxBody+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("reading the exposition: %w", err)
	case len(body) > MaxBody:
		return nil, fmt.Errorf("the exposition is larger than %d MiB", MaxBody>>20)
	}
	f := flattener{series: make(map[string]float64)}
	if format.FormatType() == expfmt.TypeOpenMetrics {
		f.untyped = true
		if body, err = classic(body); err != nil {
			return nil, malformed(err)
		}
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(body))
	if err != nil {
		return nil, malformed(err)
	}
	for name, family := range families {
		for _, m := range family.GetMetric() {
			if err := f.metric(name, m); err != nil {
				return nil, malformed(err)
			}
		}
	}
	return f.series, nil
}

func malformed(err error) error { return fmt.Errorf("the exposition is malformed: %w", err) }

func formatOf(contentType string) (expfmt.Format, error) {
	if contentType == "" {
		return expfmt.NewFormat(expfmt.TypeTextPlain), nil
	}
	format := expfmt.ResponseFormat(http.Header{"Content-Type": {contentType}})
	switch format.FormatType() {
	case expfmt.TypeTextPlain, expfmt.TypeOpenMetrics:
		return format, nil
	}
	return "", fmt.Errorf("content type %.100q is no Prometheus text exposition; is this the node's metrics page?", contentType)
}
