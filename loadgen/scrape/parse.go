package scrape

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// MaxBody is how many bytes of an answer are read, after decompression.
const MaxBody = 64 << 20

// Parse reads one exposition to its end and yields all its series. Content types
// understood are the Prometheus text format, which an empty one stands for too,
// and OpenMetrics, but for the composite values of its version 2.
//
// A series is named as the exposition writes it, its labels sorted by name:
// `up`, `rpc_requests_total{code="-32601",method="query"}`. A histogram h yields
// h_bucket{le="..."}, h_sum and h_count, a summary s yields s{quantile="..."},
// s_sum and s_count; numbers in le and quantile are written as short as they can
// be (le="1"). Timestamps and exemplars are passed over. Values that are not
// finite are left out: NaN says that nothing was observed, and neither it nor
// infinity can be stored as JSON. Such a series has a gap there.
//
// An exposition over [MaxBody] bytes, one that tells the same series twice or that
// ends in the middle of a line is an error.
func Parse(r io.Reader, contentType string) (map[string]float64, error) {
	series, _, err := parse(r, contentType, everything())
	return series, err
}

// parse reads an exposition and keeps what the filter wants. samples is how many
// series it told.
func parse(r io.Reader, contentType string, f *filter) (series map[string]float64, samples int, err error) {
	format, err := formatOf(contentType)
	if err != nil {
		return nil, 0, err
	}
	body := &bounded{in: r, left: MaxBody}
	wanted, others, samples, err := reduce(body, format.FormatType() == expfmt.TypeOpenMetrics, f)
	if err != nil {
		return nil, samples, err
	}
	gathered := flattener{series: make(map[string]float64, len(wanted.lines)+len(others.lines))}
	for _, part := range []*reduced{&wanted, &others} {
		if err := gathered.read(part); err != nil {
			return nil, samples, malformed(err)
		}
	}
	return gathered.series, samples, nil
}

// read adds samples, by the format's own parser.
func (f flattener) read(part *reduced) error {
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(part.text))
	if err != nil {
		var at expfmt.ParseError
		if errors.As(err, &at) && at.Line >= 1 && at.Line <= len(part.lines) {
			return fmt.Errorf("line %d: %.200s", part.lines[at.Line-1], at.Msg)
		}
		return err
	}
	for name, family := range families {
		for _, m := range family.GetMetric() {
			if err := f.metric(name, m); err != nil {
				return err
			}
		}
	}
	return nil
}

// bounded refuses to read more than it should, where io.LimitedReader would look
// like the end.
type bounded struct {
	in   io.Reader
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		if n, err := io.ReadFull(b.in, make([]byte, 1)); n == 0 {
			return 0, err
		}
		return 0, errTooLarge
	}
	if int64(len(p)) > b.left {
		p = p[:b.left]
	}
	n, err := b.in.Read(p)
	b.left -= int64(n)
	return n, err
}

var errTooLarge = fmt.Errorf("it is larger than %d MiB", MaxBody>>20)

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
