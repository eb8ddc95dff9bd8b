package scrape

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// answer is the data of an answer of the query API, Prometheus' "HTTP API".
type answer struct {
	Type   string          `json:"resultType"`
	Result json.RawMessage `json:"result"`
}

// decodeAnswer reads an answer to its end. What is no success is an error in the
// server's own words.
func decodeAnswer(body io.Reader, resp *http.Response) (*answer, error) {
	text, err := io.ReadAll(body)
	if err != nil {
		return nil, fmt.Errorf("reading Prometheus' answer: %w", err)
	}
	var a struct {
		Status string `json:"status"`
		Error  string `json:"error"`
		Data   answer `json:"data"`
	}
	err = json.Unmarshal(text, &a)
	switch {
	case err == nil && a.Status == "error":
		return nil, fmt.Errorf("Prometheus refused the query: %.300s", a.Error)
	case resp != nil && resp.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("Prometheus answered %s", status(resp))
	case err != nil || a.Status != "success":
		return nil, errors.New("the answer is none of Prometheus' query API: is this its address?")
	}
	return &a.Data, nil
}

// point is a value and its time.
type point struct {
	at    int64 // milliseconds
	value float64
}

// UnmarshalJSON reads [1700000000.123,"5"].
func (p *point) UnmarshalJSON(text []byte) error {
	at, value, ok := bytes.Cut(bytes.Trim(text, "[] \t\n"), []byte(","))
	if !ok {
		return fmt.Errorf("%.60q is no value with its time", text)
	}
	seconds, err := strconv.ParseFloat(string(bytes.TrimSpace(at)), 64)
	if err != nil || !(math.Abs(seconds) < 1e12) {
		return fmt.Errorf("%.60q is no time", at)
	}
	quoted := bytes.TrimSpace(value)
	if len(quoted) < 2 || quoted[0] != '"' || quoted[len(quoted)-1] != '"' {
		return fmt.Errorf("%.60q is no value", value)
	}
	v, err := strconv.ParseFloat(string(quoted[1:len(quoted)-1]), 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return fmt.Errorf("%.60q is no value", value)
	}
	p.at, p.value = int64(math.Round(seconds*1000)), v
	return nil
}

// track is one series with its samples.
type track struct {
	Labels map[string]string `json:"metric"`
	Values []point           `json:"values"`
}

// matrix is the answer to a range selector.
type matrix []track

func (a *answer) matrix() (matrix, error) {
	if a.Type != "matrix" {
		return nil, fmt.Errorf("Prometheus answered with a %.40q where a matrix was asked for", a.Type)
	}
	var m matrix
	if err := json.Unmarshal(a.Result, &m); err != nil {
		return nil, fmt.Errorf("Prometheus' answer is malformed: %w", err)
	}
	return m, nil
}

// number gives the value of a scalar, or of a vector of one; 0 for an empty one.
func (a *answer) number() (float64, error) {
	var p point
	var err error
	switch a.Type {
	case "scalar":
		err = json.Unmarshal(a.Result, &p)
	case "vector":
		var v []struct {
			Value point `json:"value"`
		}
		if err = json.Unmarshal(a.Result, &v); err == nil && len(v) > 0 {
			p = v[0].Value
		}
	default:
		return 0, fmt.Errorf("Prometheus answered with a %.40q where a number was asked for", a.Type)
	}
	if err != nil || math.IsNaN(p.value) || math.IsInf(p.value, 0) {
		return 0, errors.New("Prometheus' answer is malformed: no number")
	}
	return p.value, nil
}

// The labels that Prometheus gives to every series of a target, and the prefix of a
// series' own label of the same name.
const (
	metricName = "__name__"
	job        = "job"
	instance   = "instance"
	exported   = "exported_"
)

// times gives when the only target was scraped, in order.
func (m matrix) times() ([]int64, error) {
	if err := m.oneTarget(); err != nil {
		return nil, err
	}
	var all []int64
	for _, t := range m {
		for _, p := range t.Values {
			all = append(all, p.at)
		}
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

func (m matrix) oneTarget() error {
	targets := map[string]bool{}
	for _, t := range m {
		if len(t.Values) > 0 {
			targets[t.Labels[job]+" "+t.Labels[instance]] = true
		}
	}
	if len(targets) < 2 {
		return nil
	}
	some := slices.Sorted(maps.Keys(targets))
	return fmt.Errorf(`the series of %d targets match, such as those of %.80q and %.80q: add a matcher, such as instance="..."`,
		len(some), some[0], some[1])
}

// scraped is what one scrape of the server's found.
type scraped struct {
	at     int64 // milliseconds
	took   time.Duration
	series map[string]float64
	down   bool // the node did not answer
}

// scrapes gives the scrapes after a time, the oldest first. A scrape is all samples of
// one time. Where the series up tells when the target was scraped, samples of other
// times, which an exposition gave of itself, go with the scrape after them.
func (m matrix) scrapes(after int64) ([]scraped, error) {
	if err := m.oneTarget(); err != nil {
		return nil, err
	}
	target, times := m.target(after)
	found := make([]scraped, len(times))
	for i, at := range times {
		found[i] = scraped{at: at, series: map[string]float64{}}
	}
	for _, t := range m {
		name, labels := t.name(target)
		if name == "" {
			continue
		}
		series := seriesName(name, labels)
		last := -1
		for _, p := range t.Values {
			i, _ := slices.BinarySearch(times, p.at)
			if p.at <= after || i == len(times) {
				continue
			}
			switch s := &found[i]; {
			case len(labels) == 0 && name == "up" && target != nil:
				s.down = p.value == 0
			case len(labels) == 0 && name == "scrape_duration_seconds":
				s.took = time.Duration(min(max(p.value, 0), 60) * float64(time.Second))
			case len(labels) == 0 && slices.Contains(synthetic, name), math.IsNaN(p.value), math.IsInf(p.value, 0):
			default:
				if _, twice := s.series[series]; twice && last != i {
					return nil, fmt.Errorf("Prometheus tells series %.200q twice: another target's match too", series)
				}
				s.series[series], last = p.value, i
			}
		}
	}
	for i := range found {
		if len(found[i].series) > MaxKept {
			return nil, errTooMany
		}
	}
	return found, nil
}

// synthetic are the series that the server makes of its own for every target.
var synthetic = []string{"scrape_samples_scraped", "scrape_samples_post_metric_relabeling", "scrape_series_added",
	"scrape_timeout_seconds", "scrape_sample_limit", "scrape_body_size_bytes"}

// target gives the labels of the target, which are those of its series up, and when
// it was scraped after a time; without that series nil, and all times.
func (m matrix) target(after int64) (labels map[string]string, times []int64) {
	var all []int64
	for _, t := range m {
		up := t.Labels[metricName] == "up"
		if up && len(t.Values) > 0 {
			labels = t.Labels
		}
		for _, p := range t.Values {
			if p.at <= after {
				continue
			}
			if all = append(all, p.at); up {
				times = append(times, p.at)
			}
		}
	}
	if labels == nil {
		times = all
	}
	slices.Sort(times)
	return labels, slices.Compact(times)
}

// name gives a series the name that the node's own page gives it.
func (t *track) name(target map[string]string) (name string, labels []label) {
	name = t.Labels[metricName]
	for key, value := range t.Labels {
		_, added := target[key]
		if key == metricName || added || target == nil && (key == job || key == instance) {
			continue
		}
		if own, ok := strings.CutPrefix(key, exported); ok {
			if _, moved := target[own]; moved || own == job || own == instance {
				key = own
			}
		}
		labels = append(labels, label{key, bound(name, key, value)})
	}
	return name, labels
}
