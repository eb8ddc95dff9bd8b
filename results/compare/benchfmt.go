package compare

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode"

	"volley/results/paired"
)

// Benchfmt writes the runs in the format of Go's benchmarks, a line for each with all
// of its metrics, so that benchstat reads them: benchstat -col /arm FILE. The lines
// tell the arms apart by the name's part /arm=A or /arm=B. Times are in seconds
// (sec/op), as benchstat scales them.
func Benchfmt(w io.Writer, a, b *Side) error {
	var out bytes.Buffer
	if len(a.Runs) == 0 {
		return nil // there is nothing to tell
	}
	env := a.Runs[0].Environment
	for _, key := range [][2]string{{"goos", "os"}, {"goarch", "arch"}, {"cpu", "cpu"}} {
		if v := env[key[1]]; v != "" {
			fmt.Fprintf(&out, "%s: %s\n", key[0], oneLine(v))
		}
	}
	fmt.Fprintf(&out, "pkg: volley\n")
	for i := range metrics {
		if unit, _ := benchUnit(&metrics[i]); metrics[i].Better == paired.MoreIsBetter {
			fmt.Fprintf(&out, "Unit %s better=higher\n", unit)
		}
	}
	name := benchName(a.Runs[0].summary.Name)
	for i := 0; i < len(a.Runs) || i < len(b.Runs); i++ {
		for _, side := range []struct {
			arm  string
			runs []*Run
		}{{"A", a.Runs}, {"B", b.Runs}} {
			if i < len(side.runs) {
				side.runs[i].bench(&out, name+"/arm="+side.arm)
			}
		}
	}
	_, err := w.Write(out.Bytes())
	return err
}

func (r *Run) bench(out *bytes.Buffer, name string) {
	fmt.Fprintf(out, "%s\t%d", name, max(1, r.calls))
	for i := range metrics {
		if v, ok := r.values[metrics[i].Name]; ok {
			unit, scale := benchUnit(&metrics[i])
			fmt.Fprintf(out, "\t%.9g %s", v*scale, unit)
		}
	}
	out.WriteByte('\n')
}

// benchUnit is a metric's in that format, and what its own is multiplied by.
func benchUnit(m *Metric) (string, float64) {
	switch m.Name {
	case "goodput", "items":
		return "goodput-" + m.Unit, 1
	case "errors":
		return "errors/entry", 1
	case "cpu":
		return "cpu-sec/entry", 1e-6
	}
	return m.Name + "-sec/op", 1e-6
}

// benchName makes a benchmark's name of a scenario's: Benchmark and words without
// spaces, the first letter a capital.
func benchName(name string) string {
	var b strings.Builder
	b.WriteString("Benchmark")
	start := true
	for _, r := range name {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			start = true
			continue
		case start:
			r = unicode.ToUpper(r)
		}
		start = false
		b.WriteRune(r)
	}
	if b.Len() == len("Benchmark") {
		b.WriteString("Run")
	}
	return b.String()
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
