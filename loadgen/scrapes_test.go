package loadgen

import (
	"context"
	"time"

	"volley/loadgen/scrape"
	"volley/results"
)

// fakeMetrics is a page of metrics without a socket.
type fakeMetrics struct {
	read func(ctx context.Context) (series map[string]float64, gap string)
}

func (f *fakeMetrics) Read(ctx context.Context) []scrape.Sample {
	begin := time.Now()
	series, gap := f.read(ctx)
	took := time.Since(begin)
	return []scrape.Sample{{NodeSample: results.NodeSample{Series: series, Err: gap}, Time: begin.Add(took / 2), Took: took}}
}

func (f *fakeMetrics) After(ctx context.Context, _ time.Time) []scrape.Sample {
	ctx, cancel := context.WithTimeout(ctx, scrapeTimeout)
	defer cancel()
	return f.Read(ctx)
}
