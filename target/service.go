package target

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"
)

// Service is a law of service times: how long a call, or a part of what it
// costs, holds its place. In JSON it is one of
//
//	"300us"                                      constant
//	{"constant": "2ms"}
//	{"exponential": "2ms"}                       its mean
//	{"lognormal": {"median": "2ms", "p99": "15ms"}}
//	{"measured": {"file": "times.txt"}}          drawn from these, with replacement
//
// The time is waited: it passes without work, as a disk's or another machine's
// does. A member "cpu" beside the law says which share of it is worked instead:
//
//	{"constant": "2ms", "cpu": "100%"}
//	{"lognormal": {"median": "2ms", "p99": "15ms"}, "cpu": "30%"}
//
// A file of measured times has one a line, a duration or a number of
// microseconds; blank lines and those that begin with # say nothing. A relative
// path starts at the working directory. It is read when the JSON is.
//
// The zero value, like a constant of zero, takes no time.
type Service struct {
	law   law
	scale float64 // nanoseconds: the constant, the median, else the mean
	sigma float64 // of the logarithm
	times *sample // measured
	cpu   float64 // the share that is worked, from 0 to 1
}

type law uint8

const (
	constant law = iota
	exponential
	lognormal
	measured
)

// z99 is the standard normal distribution's 99th percentile.
const z99 = 2.3263478740408408

const serviceLaws = "constant, exponential, lognormal or measured"

var errNoService = errors.New(`want a duration such as "300us", or an object of one member, ` + serviceLaws + `, with "cpu" beside it where a share is worked`)

// UnmarshalJSON refuses what is no service time with an error that shows the
// forms. null leaves s as it is.
func (s *Service) UnmarshalJSON(b []byte) error {
	b = bytes.TrimSpace(b)
	if string(b) == "null" {
		return nil
	}
	if len(b) > 0 && b[0] == '"' {
		d, err := duration(b)
		*s = Service{scale: d}
		return err
	}
	var form map[string]json.RawMessage
	if len(b) == 0 || b[0] != '{' {
		return errNoService
	}
	if err := (ConfigFile{Data: b}).Decode(&form, true); err != nil {
		return err
	}
	share, worked := form["cpu"]
	delete(form, "cpu")
	if len(form) != 1 {
		return errNoService
	}
	for name, v := range form {
		if err := s.parse(name, v); err != nil {
			return err
		}
	}
	if worked {
		var err error
		if s.cpu, err = percent(share); err != nil {
			return fmt.Errorf("cpu: %w", err)
		}
	}
	return nil
}

// parse reads the law of one name.
func (s *Service) parse(name string, v []byte) (err error) {
	switch name {
	case "constant":
		*s, err = scaled(constant, v)
	case "exponential":
		*s, err = scaled(exponential, v)
	case "lognormal":
		*s, err = parseLognormal(v)
	case "measured":
		*s, err = parseMeasured(v)
	default:
		return fmt.Errorf("no service time is %q: want %s", name, serviceLaws)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func scaled(l law, b []byte) (Service, error) {
	d, err := duration(b)
	return Service{law: l, scale: d}, err
}

func parseLognormal(b []byte) (Service, error) {
	var p struct {
		Median json.RawMessage `json:"median"`
		P99    json.RawMessage `json:"p99"`
	}
	if (ConfigFile{Data: b}).Decode(&p, true) != nil {
		return Service{}, errors.New(`want {"median": "2ms", "p99": "15ms"}`)
	}
	median, err := duration(p.Median)
	if err != nil {
		return Service{}, fmt.Errorf("median: %w", err)
	}
	p99, err := duration(p.P99)
	if err != nil {
		return Service{}, fmt.Errorf("p99: %w", err)
	}
	if median <= 0 || p99 < median {
		return Service{}, errors.New("want a median over zero and a p99 that is not under it")
	}
	return Service{law: lognormal, scale: median, sigma: math.Log(p99/median) / z99}, nil
}

func duration(b []byte) (float64, error) {
	var text string
	if len(b) == 0 || b[0] != '"' || json.Unmarshal(b, &text) != nil {
		return 0, errors.New(`want a duration such as "300us"`)
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		return 0, fmt.Errorf(`%q is no duration: want one such as "300us"`, text)
	}
	if d < 0 {
		return 0, fmt.Errorf("%s is under zero", d)
	}
	return float64(d), nil
}

func percent(b []byte) (float64, error) {
	var text string
	number, found := "", false
	if json.Unmarshal(b, &text) == nil {
		number, found = strings.CutSuffix(text, "%")
	}
	share, err := strconv.ParseFloat(number, 64)
	if !found || err != nil || !(share >= 0 && share <= 100) {
		return 0, errors.New(`want a share from "0%" to "100%"`)
	}
	return share / 100, nil
}

// IsZero says that the service takes no time, so that nothing need be drawn.
func (s Service) IsZero() bool { return s.scale == 0 }

// CPU is the share of the time that is worked, from 0 to 1; the rest is waited.
func (s Service) CPU() float64 { return s.cpu }

// Draw gives one service time. A constant asks nothing of r, which may then be
// nil. r is not shared by concurrent callers.
func (s Service) Draw(r *rand.Rand) time.Duration {
	x := s.scale
	switch s.law {
	case exponential:
		x *= r.ExpFloat64()
	case lognormal:
		x *= math.Exp(s.sigma * r.NormFloat64())
	case measured:
		return s.times.draw(r)
	}
	return clipped(x)
}

// clipped is a number of nanoseconds as a duration, the longest if it is over.
func clipped(x float64) time.Duration {
	if x >= math.MaxInt64 {
		return math.MaxInt64
	}
	return time.Duration(x)
}
