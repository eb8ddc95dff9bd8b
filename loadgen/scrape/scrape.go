package scrape

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"volley/results"
)

// MaxBody is how many bytes of an exposition are read, after decompression.
const MaxBody = 64 << 20

// accept asks for the classic text format, which is the cheapest to read.
const accept = "text/plain;version=0.0.4;q=1,application/openmetrics-text;version=1.0.0;q=0.5,*/*;q=0.1"

// Fetch reads the exposition at rawURL once, with [Parse]. It returns when the
// exchange is over or ctx ends. The sample's At is left zero: only the caller
// knows when the run began. A nil client is http.DefaultClient.
//
// On an error the sample holds its text and no series. The text does not tell
// the URL, which may carry secrets.
func Fetch(ctx context.Context, c *http.Client, rawURL string) (results.NodeSample, error) {
	series, err := fetch(ctx, c, rawURL)
	if err != nil {
		err = fmt.Errorf("scrape: %w", withoutURL(err))
		return results.NodeSample{Err: err.Error()}, err
	}
	return results.NodeSample{Series: series}, nil
}

func fetch(ctx context.Context, c *http.Client, rawURL string) (map[string]float64, error) {
	if c == nil {
		c = http.DefaultClient
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, rawURL, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", accept)
	resp, err := c.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		// A little of the body is read so that the connection can be used again.
		io.CopyN(io.Discard, resp.Body, 64<<10)
		return nil, fmt.Errorf("the node answered HTTP status %d %s", resp.StatusCode, http.StatusText(resp.StatusCode))
	}
	return Parse(resp.Body, resp.Header.Get("Content-Type"))
}

func withoutURL(err error) error {
	var u *url.Error
	for errors.As(err, &u) {
		err = u.Err
	}
	return err
}
