package results

import (
	"bytes"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// The histogram log is written by hand, in the format 1.3 that the HdrHistogram
// family reads: the module's own writer gives the interval's maximum as if it
// were in nanoseconds, and ours is in microseconds.

// microsPerMilli scales an interval's maximum: by custom it is in milliseconds.
const microsPerMilli = 1000

// hlogHead gives the log's first lines. Intervals are stamped in seconds since
// the base time, the run's start.
func hlogHead(started time.Time) []byte {
	seconds := float64(started.UnixMilli()) / 1000
	return fmt.Appendf(nil, "#[volley latencies, format %d; values in microseconds; Tag=response|service|lateness/PHASE or entries/PHASE/ROW/SIZES, percent-encoded]\n"+
		"#[Histogram log format version 1.3]\n"+
		"#[StartTime: %.3f (seconds since epoch), %s]\n"+
		"#[BaseTime: %.3f (seconds since epoch)]\n"+
		"\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n",
		Format, seconds, started.UTC().Format(time.RFC3339), seconds)
}

// appendHlog appends a line for every distribution of s that is not empty.
func appendHlog(dst []byte, s *Snapshot, tags []string) (_ []byte, err error) {
	for i := range s.Phases {
		p := &s.Phases[i]
		for _, d := range p.distributions() {
			if d.h == nil || d.h.TotalCount() == 0 {
				continue
			}
			if dst, err = appendInterval(dst, s, d.name+"/"+tags[p.Phase], d.h); err != nil {
				return dst, err
			}
		}
	}
	for c := range s.Breakdown.Cells() {
		if c.Response.TotalCount() == 0 {
			continue
		}
		if dst, err = appendInterval(dst, s, cellTag(c, tags), c.Response); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

func appendInterval(dst []byte, s *Snapshot, tag string, h *hdrhistogram.Histogram) ([]byte, error) {
	payload, err := h.EncodeV2()
	if err != nil {
		return dst, fmt.Errorf("latency.hlog: %w", err)
	}
	return fmt.Appendf(dst, "Tag=%s,%.9f,%.9f,%.3f,%s\n", tag,
		s.Start.Seconds(), (s.End - s.Start).Seconds(), float64(h.Max())/microsPerMilli, payload), nil
}

// entriesName begins the tags of cells of a breakdown.
const entriesName = "entries"

// cellTag gives a cell's tag: its row by its index, as names may hold anything.
func cellTag(c *Cell, tags []string) string {
	return fmt.Sprintf("%s/%s/%d/%s", entriesName, tags[c.Phase], c.Row, url.PathEscape(c.Band.String()))
}

type namedHistogram struct {
	name string
	h    *hdrhistogram.Histogram
}

func (l *Latency) distributions() [3]namedHistogram {
	return [3]namedHistogram{{"response", l.Response}, {"service", l.Service}, {"lateness", l.Lateness}}
}

// phaseTags gives the phases' names as a tag may hold them: without comma, space
// or line break, and no two alike.
func phaseTags(phases []PhaseMeta) []string {
	tags := make([]string, len(phases))
	seen := make(map[string]bool)
	for i, p := range phases {
		tags[i] = url.PathEscape(p.Name)
		if seen[tags[i]] {
			tags[i] += "#" + strconv.Itoa(i) // an escaped name holds no #
		}
		seen[tags[i]] = true
	}
	return tags
}

// hlogLine is one interval of one distribution.
type hlogLine struct {
	name  string // response, service, lateness or entries
	phase string // the phase's tag, of entries with row and band
	h     *hdrhistogram.Histogram
}

// parseHlog reads a line. A comment, the legend or an empty line gives no
// histogram.
func parseHlog(line []byte) (l hlogLine, err error) {
	if len(line) == 0 || line[0] == '#' || line[0] == '"' {
		return hlogLine{}, nil
	}
	fields := bytes.Split(line, []byte(","))
	if len(fields) != 5 || !bytes.HasPrefix(fields[0], []byte("Tag=")) {
		return hlogLine{}, errors.New("not a tagged interval")
	}
	name, phase, ok := bytes.Cut(fields[0][len("Tag="):], []byte("/"))
	if !ok {
		return hlogLine{}, fmt.Errorf("tag %q names no phase", fields[0])
	}
	h, err := hdrhistogram.Decode(fields[4])
	if err != nil {
		return hlogLine{}, err
	}
	return hlogLine{name: string(name), phase: string(phase), h: h}, nil
}

// addTo merges the line into the distribution of s that it belongs to. A kind of
// distribution that it does not know is a later volley's, and passed over.
func (l *hlogLine) addTo(s *Snapshot, tags []string) error {
	switch l.name {
	case entriesName:
		for c := range s.Breakdown.Cells() {
			if cellTag(c, tags) == l.name+"/"+l.phase {
				c.Response.Merge(l.h)
				return nil
			}
		}
		return l.homeless()
	case "response", "service", "lateness":
	default:
		return nil
	}
	for i := range s.Phases {
		p := &s.Phases[i]
		if tags[p.Phase] != l.phase {
			continue
		}
		for _, d := range p.distributions() {
			if d.name == l.name {
				p.Clipped += uint64(d.h.Merge(l.h))
				return nil
			}
		}
	}
	return l.homeless()
}

func (l *hlogLine) homeless() error {
	return fmt.Errorf("tag %q belongs to nothing in its interval", l.name+"/"+l.phase)
}
