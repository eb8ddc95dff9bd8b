package scrape

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"time"
)

// NewPageOver gives a page that is read over connections of a test's own.
func NewPageOver(dial func(ctx context.Context, network, address string) (net.Conn, error)) (*Page, error) {
	p, err := NewPage(Address{URL: "http://node/metrics"}, Keep{})
	if err == nil {
		p.client.http.Transport.(*http.Transport).DialContext = dial
	}
	return p, err
}

// NewPrometheusOver gives a server that a test plays.
func NewPrometheusOver(server http.RoundTripper, match string, k Keep) (*Prometheus, error) {
	p, err := NewPrometheus(Address{URL: "http://prometheus:9090/prefix/"}, match, k)
	if err == nil {
		p.client.http.Transport = server
	}
	return p, err
}

// Scrape is what an answer of the query API says of one scrape.
type Scrape = scraped

// Series, At, Took and Down take a Scrape apart.
func (s scraped) Series() map[string]float64 { return s.series }
func (s scraped) At() int64                  { return s.at }
func (s scraped) Took() time.Duration        { return s.took }
func (s scraped) Down() bool                 { return s.down }

// DecodeScrapes reads an answer to a range selector.
func DecodeScrapes(text []byte, after int64) ([]Scrape, error) {
	a, err := decodeAnswer(bytes.NewReader(text), nil)
	if err != nil {
		return nil, err
	}
	m, err := a.matrix()
	if err != nil {
		return nil, err
	}
	return m.scrapes(after)
}

// DecodeNumber reads an answer that is one number.
func DecodeNumber(text []byte) (float64, error) {
	a, err := decodeAnswer(bytes.NewReader(text), nil)
	if err != nil {
		return 0, err
	}
	return a.number()
}
