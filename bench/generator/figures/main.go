// Command figures takes from the files of load generators what bench/generator
// compares, and prints it as numbers on one line.
//
//	figures late TRACE              p50 and p99 of sent - due, us
//	figures grid RATE CSV           p50 and p99 of vegeta's deviation from its own grid, us
//	figures poisson RATE TRACE      KS distance of the gaps to the exponential, index of dispersion
//	figures calls RUN               calls of a run.json
//	figures volley RUN              p99 response of a run.json's only phase, us
//	figures vegeta|fortio JSON      p99 latency of a report, us
//	figures h2load LOG              p99 latency of a log, us
//	figures median NUMBER...        the median
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"log"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("figures: ")
	if len(os.Args) < 3 {
		log.Fatal("which figures, of which file? See the package's comment.")
	}
	figures, err := figuresOf(os.Args[1], os.Args[2:])
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(strings.Join(figures, " "))
}

func figuresOf(what string, args []string) ([]string, error) {
	file := args[len(args)-1]
	switch what {
	case "late":
		due, sent, err := readTrace(file)
		if err != nil {
			return nil, err
		}
		for i := range sent {
			sent[i] -= due[i]
		}
		return microseconds(sent, 0.5, 0.99), nil
	case "grid":
		return ofRate(args, func(rate float64) ([]string, error) {
			at, err := columns(file, ",", 0)
			if err != nil {
				return nil, err
			}
			return microseconds(deviations(at[0], rate), 0.5, 0.99), nil
		})
	case "poisson":
		return ofRate(args, func(rate float64) ([]string, error) {
			_, sent, err := readTrace(file)
			if err != nil {
				return nil, err
			}
			return []string{number(distance(sent, rate)), number(dispersion(sent))}, nil
		})
	case "calls", "volley":
		var run struct {
			Totals struct{ Calls float64 }
			Phases []struct {
				Response struct{ P99 float64 } `json:"response_us"`
			}
		}
		if err := readJSON(file, &run); err != nil {
			return nil, err
		}
		if what == "calls" {
			return []string{number(run.Totals.Calls)}, nil
		}
		return []string{number(run.Phases[0].Response.P99)}, nil
	case "vegeta":
		var report struct{ Latencies map[string]any }
		if err := readJSON(file, &report); err != nil {
			return nil, err
		}
		p99, _ := report.Latencies["99th"].(float64)
		return []string{number(p99 / 1e3)}, nil
	case "fortio":
		var report struct {
			DurationHistogram struct {
				Percentiles []struct{ Percentile, Value float64 }
			}
		}
		if err := readJSON(file, &report); err != nil {
			return nil, err
		}
		for _, p := range report.DurationHistogram.Percentiles {
			if p.Percentile == 99 {
				return []string{number(p.Value * 1e6)}, nil
			}
		}
		return nil, fmt.Errorf("%s holds no 99th percentile", file)
	case "h2load":
		us, err := columns(file, "\t", 2)
		if err != nil {
			return nil, err
		}
		slices.Sort(us[0])
		return []string{number(quantile(us[0], 0.99))}, nil
	case "median":
		values := make([]float64, len(args))
		for i, a := range args {
			v, err := strconv.ParseFloat(a, 64)
			if err != nil {
				return nil, err
			}
			values[i] = v
		}
		slices.Sort(values)
		return []string{number((values[(len(values)-1)/2] + values[len(values)/2]) / 2)}, nil
	}
	return nil, fmt.Errorf("no figures are called %q", what)
}

func ofRate(args []string, figures func(rate float64) ([]string, error)) ([]string, error) {
	rate, err := strconv.ParseFloat(args[0], 64)
	if err != nil || rate <= 0 {
		return nil, fmt.Errorf("%q is no rate", args[0])
	}
	return figures(rate)
}

// number writes v with four digits behind the point at most.
func number(v float64) string { return strconv.FormatFloat(math.Round(v*1e4)/1e4, 'f', -1, 64) }

// microseconds gives quantiles of nanoseconds.
func microseconds(ns []float64, quantiles ...float64) (out []string) {
	slices.Sort(ns)
	for _, q := range quantiles {
		out = append(out, strconv.FormatFloat(quantile(ns, q)/1e3, 'f', 1, 64))
	}
	return out
}

// quantile is by the nearest rank, of sorted values.
func quantile(sorted []float64, q float64) float64 {
	return sorted[max(int(math.Ceil(q*float64(len(sorted))))-1, 0)]
}

// deviations gives how far each of the times in nanoseconds is from a grid of
// rate per second through most of them: the offset of the median is taken out.
func deviations(at []float64, rate float64) []float64 {
	slices.Sort(at)
	start := at[0]
	off := make([]float64, len(at))
	for i, t := range at {
		off[i] = t - start - float64(i)*1e9/rate
	}
	sorted := slices.Sorted(slices.Values(off))
	median := quantile(sorted, 0.5)
	for i := range off {
		off[i] = math.Abs(off[i] - median)
	}
	return off
}

// distance is the Kolmogorov-Smirnov distance between the gaps and the exponential
// distribution of the rate.
func distance(at []float64, rate float64) float64 {
	slices.Sort(at)
	gaps := make([]float64, 0, len(at))
	for i := 1; i < len(at); i++ {
		gaps = append(gaps, (at[i]-at[i-1])*rate/1e9)
	}
	slices.Sort(gaps)
	d, n := 0.0, float64(len(gaps))
	for i, g := range gaps {
		cdf := 1 - math.Exp(-g)
		d = max(d, cdf-float64(i)/n, float64(i+1)/n-cdf)
	}
	return d
}

// dispersion is the variance over the mean of the counts in windows of 10 ms: 1 for
// a Poisson process. The last window may be cut short and is left out.
func dispersion(at []float64) float64 {
	const window = 10e6
	counts := make([]float64, int(slices.Max(at)/window)+1)
	for _, t := range at {
		counts[int(t/window)]++
	}
	counts = counts[:len(counts)-1]
	sum, squares, n := 0.0, 0.0, float64(len(counts))
	for _, c := range counts {
		sum += c
		squares += c * c
	}
	mean := sum / n
	return (squares/n - mean*mean) / mean
}

func readTrace(file string) (due, sent []float64, err error) {
	both, err := columns(file, " ", 0, 1)
	if err != nil {
		return nil, nil, err
	}
	return both[0], both[1], nil
}

// columns reads numbers out of a file of separated values.
func columns(file, separator string, which ...int) ([][]float64, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	out := make([][]float64, len(which))
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		fields := strings.Split(lines.Text(), separator)
		for i, w := range which {
			if w >= len(fields) {
				return nil, fmt.Errorf("%s: a line without column %d", file, w+1)
			}
			v, err := strconv.ParseFloat(fields[w], 64)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
			out[i] = append(out[i], v)
		}
	}
	if len(out[0]) == 0 {
		return nil, fmt.Errorf("%s is empty", file)
	}
	return out, lines.Err()
}

// readJSON reads the first JSON value of a file; text may follow it.
func readJSON(file string, v any) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := json.NewDecoder(f).Decode(v); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}
