package target

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"time"
)

// mostTimes bounds what is held of measured times, 8 bytes each.
const mostTimes = 10_000_000

// sample is measured times, of which there is at least one.
type sample struct{ times []time.Duration }

func (s *sample) draw(r *rand.Rand) time.Duration { return s.times[r.IntN(len(s.times))] }

func (s *sample) mean() float64 {
	sum := 0.0
	for _, d := range s.times {
		sum += float64(d)
	}
	return sum / float64(len(s.times))
}

func parseMeasured(b []byte) (Service, error) {
	var p struct {
		File *string `json:"file"`
	}
	if (ConfigFile{Data: b}).Decode(&p, true) != nil || p.File == nil {
		return Service{}, errors.New(`want {"file": "times.txt"}`)
	}
	f, err := os.Open(*p.File)
	if err != nil {
		return Service{}, err
	}
	defer f.Close()
	times, err := readTimes(f)
	if err != nil {
		return Service{}, fmt.Errorf("%s: %w", *p.File, err)
	}
	s := &sample{times}
	return Service{law: measured, scale: s.mean(), times: s}, nil
}

// readTimes reads one time a line; its errors say in which.
func readTimes(r io.Reader) ([]time.Duration, error) {
	var times []time.Duration
	lines := bufio.NewScanner(r)
	number := 1
	for ; lines.Scan(); number++ {
		text := strings.TrimSpace(lines.Text())
		if text == "" || text[0] == '#' {
			continue
		}
		d, ok := parseTime(text)
		switch {
		case !ok:
			return nil, fmt.Errorf(`line %d: %+.40q is no time: want microseconds, or a duration such as "300us"`, number, text)
		case d < 0:
			return nil, fmt.Errorf("line %d: %s is under zero", number, text)
		case len(times) == mostTimes:
			return nil, fmt.Errorf("line %d: more than %d times", number, mostTimes)
		}
		times = append(times, d)
	}
	switch {
	case lines.Err() != nil:
		return nil, fmt.Errorf("line %d: %w", number, lines.Err())
	case len(times) == 0:
		return nil, errors.New("no time stands in it")
	}
	return times, nil
}

// parseTime reads a number of microseconds as JSON writes numbers, or a
// duration.
func parseTime(text string) (time.Duration, bool) {
	if json.Valid([]byte(text)) {
		us, err := strconv.ParseFloat(text, 64)
		return clipped(us * float64(time.Microsecond)), err == nil
	}
	d, err := time.ParseDuration(text)
	return d, err == nil
}
