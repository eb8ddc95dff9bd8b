package target

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"time"
)

// Service is how long a call holds its execution slot. In JSON it is
//
//	"300us"                                      constant
//	{"constant": "2ms"}
//	{"exponential": "2ms"}                       its mean
//	{"lognormal": {"median": "2ms", "p99": "15ms"}}
//
// The zero value, like a constant of zero, takes no time.
type Service struct {
	law   law
	scale float64 // nanoseconds: the constant, the mean, the median
	sigma float64 // of the logarithm
}

type law uint8

const (
	constant law = iota
	exponential
	lognormal
)

// z99 is the standard normal distribution's 99th percentile.
const z99 = 2.3263478740408408

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
	if err := json.Unmarshal(b, &form); err != nil || len(form) != 1 {
		return errors.New(`want a duration such as "300us", or an object of one member: constant, exponential or lognormal`)
	}
	for name, v := range form {
		switch name {
		case "constant", "exponential":
			d, err := duration(v)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			*s = Service{scale: d}
			if name == "exponential" {
				s.law = exponential
			}
		case "lognormal":
			return s.lognormal(v)
		default:
			return fmt.Errorf("no service time is %q: want constant, exponential or lognormal", name)
		}
	}
	return nil
}

func (s *Service) lognormal(b []byte) error {
	var p struct {
		Median json.RawMessage `json:"median"`
		P99    json.RawMessage `json:"p99"`
	}
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&p); err != nil {
		return errors.New(`lognormal: want {"median": "2ms", "p99": "15ms"}`)
	}
	median, err := duration(p.Median)
	if err != nil {
		return fmt.Errorf("lognormal median: %w", err)
	}
	p99, err := duration(p.P99)
	if err != nil {
		return fmt.Errorf("lognormal p99: %w", err)
	}
	if median <= 0 || p99 < median {
		return errors.New("lognormal: want a median over zero and a p99 that is not under it")
	}
	*s = Service{law: lognormal, scale: median, sigma: math.Log(p99/median) / z99}
	return nil
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

// IsZero says that the service takes no time, so that nothing need be drawn.
func (s Service) IsZero() bool { return s.scale == 0 }

// Draw gives one service time. A constant asks nothing of r, which may then be
// nil. r is not shared by concurrent callers.
func (s Service) Draw(r *rand.Rand) time.Duration {
	x := s.scale
	switch s.law {
	case exponential:
		x *= r.ExpFloat64()
	case lognormal:
		x *= math.Exp(s.sigma * r.NormFloat64())
	}
	if x >= math.MaxInt64 {
		return math.MaxInt64
	}
	return time.Duration(x)
}

// Wait lets a duration pass without spending processor time. It returns early
// only when the context ends, with the context's error.
func Wait(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
