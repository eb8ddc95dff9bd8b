package chart_test

import (
	"encoding/xml"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"volley/results/report/chart"
)

var update = flag.Bool("update", false, "rewrite golden files")

func pictures() map[string]interface{ SVG() string } {
	wave := chart.Series{Name: "a <wave> & more", Line: true}
	marks := chart.Series{Name: "marks", Colour: 1, Marks: true}
	for i := range 9 {
		x := float64(i)
		wave.Points = append(wave.Points, chart.Point{X: x, Y: 50 + 40*math.Sin(x)})
		marks.Points = append(marks.Points, chart.Point{X: x, Y: 10 * x, Low: 9 * x, High: 11 * x, Ends: true, Name: fmt.Sprint("n", i)})
	}
	return map[string]interface{ SVG() string }{
		"plot": chart.Plot{ID: "p", Title: "A plot", Alt: "what it shows", X: chart.Axis{Label: "x"}, Y: chart.Axis{Label: "y", Zero: true}, Series: []chart.Series{wave, marks},
			Spans: []chart.Span{{From: 1, To: 4, Name: "a long name", Shaded: true}}, Levels: []chart.Level{{At: 60, Name: "limit"}, {At: 3, Name: "here", Upright: true}}},
		"bars":   chart.Bars{ID: "b", Title: "Bars", Alt: "what they show", X: chart.Axis{Log: true}, Bars: []chart.Bar{{From: 1, To: 10, Y: 5}, {From: 10, To: 100, Y: 0}, {From: 100, To: 1000, Y: 80}}},
		"heat":   chart.Heat{ID: "h", Title: "Heat", Alt: "what it shows", Y: chart.Axis{Log: true}, Cells: []chart.HeatCell{{0, 1, 1, 10, 1}, {1, 2, 1, 10, 40}, {1, 2, 10, 100, 3}}},
		"split":  chart.Split{ID: "s", Title: "Split", Alt: "what it shows", Parts: []chart.Part{{"one", "1 ms", 1}, {"two", "2 ms", 2}, {"none", "0", 0}, {"less", "-1 ms", -1}}},
		"forest": chart.Forest{ID: "f", Title: "Forest", Alt: "what it shows", X: chart.Axis{Log: true}, Reference: 1, Rows: []chart.ForestRow{{Name: "p99", Text: "1.1", Value: 1.1, Low: 1.02, High: 1.2}, {Name: "rate", Value: .9, Low: math.NaN(), High: math.NaN()}}},
	}
}

func TestPictures(t *testing.T) {
	for name, p := range pictures() {
		t.Run(name, func(t *testing.T) {
			got := p.SVG()
			check(t, got)
			file := filepath.Join("testdata", name+".svg")
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// check wants well-formed XML with a title, a description, and no number that is none.
func check(t *testing.T, svg string) {
	t.Helper()
	elements := map[string]int{}
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, svg)
		}
		if e, ok := token.(xml.StartElement); ok {
			elements[e.Name.Local]++
		}
	}
	if elements["svg"] != 1 || elements["title"] != 1 || elements["desc"] != 1 {
		t.Errorf("elements %v", elements)
	}
	for _, no := range []string{"NaN", "Inf", `"-0"`} {
		if strings.Contains(svg, no) {
			t.Errorf("%q in\n%s", no, svg)
		}
	}
}

// Whatever the figures, a picture is one: without any, with one value, with none that is a
// number, with the largest and the least there are.
func TestPicturesOfOddFigures(t *testing.T) {
	odd := [][]float64{nil, {0}, {5, 5, 5}, {math.NaN(), math.Inf(1), math.Inf(-1)}, {1, math.NaN(), 3}, {-3, -2}, {1e-300, 1e300}, {math.MaxFloat64, -math.MaxFloat64}, {5e-324}}
	for _, values := range odd {
		for _, log := range []bool{false, true} {
			axis := chart.Axis{Log: log, Label: "v"}
			s := chart.Series{Name: "s", Line: true, Marks: true}
			bars, heat, split, forest := chart.Bars{ID: "b", X: axis, Y: axis}, chart.Heat{ID: "h", X: axis, Y: axis}, chart.Split{ID: "s"}, chart.Forest{ID: "f", X: axis}
			for i, v := range values {
				x := float64(i)
				s.Points = append(s.Points, chart.Point{X: v, Y: v, Low: v, High: v, Ends: true})
				bars.Bars = append(bars.Bars, chart.Bar{From: x, To: v, Y: v})
				heat.Cells = append(heat.Cells, chart.HeatCell{x, x + 1, v, v, v})
				split.Parts = append(split.Parts, chart.Part{Name: "p", Value: v})
				forest.Rows = append(forest.Rows, chart.ForestRow{Value: v, Low: v, High: v})
			}
			for _, p := range []interface{ SVG() string }{chart.Plot{ID: "p", X: axis, Y: axis, Series: []chart.Series{s, s}, Levels: []chart.Level{{At: 1}}}, bars, heat, split, forest} {
				t.Run(fmt.Sprintf("%T of %v, log %t", p, values, log), func(t *testing.T) { check(t, p.SVG()) })
			}
		}
	}
}

// A missing value breaks a line; it is not drawn over.
func TestGaps(t *testing.T) {
	line := func(ys ...float64) string {
		s := chart.Series{Line: true}
		for i, y := range ys {
			s.Points = append(s.Points, chart.Point{X: float64(i), Y: y})
		}
		svg := chart.Plot{ID: "p", Series: []chart.Series{s}}.SVG()
		_, d, _ := strings.Cut(svg, `class="line c0" d="`)
		d, _, _ = strings.Cut(d, `"`)
		return d
	}
	if n := strings.Count(line(1, 2, 3, 4), "M"); n != 1 {
		t.Errorf("a whole line has %d parts", n)
	}
	if n := strings.Count(line(1, 2, math.NaN(), 4, 5), "M"); n != 2 {
		t.Errorf("a line with a gap has %d parts", n)
	}
}

// Ticks stand at round numbers, and no two labels in each other's place.
func TestTicks(t *testing.T) {
	for _, c := range []struct {
		axis chart.Axis
		ys   []float64
		want []string
	}{
		{chart.Axis{Zero: true}, []float64{3, 16.8}, []string{"0", "5", "10", "15"}},
		{chart.Axis{}, []float64{100, 108}, []string{"100", "102", "104", "106", "108"}},
		{chart.Axis{Log: true}, []float64{1, 1e6}, []string{"1", "10", "100", "1000", "10000", "100000", "1e+06"}},
		{chart.Axis{Log: true}, []float64{1, 10}, []string{"1", "2", "3", "5", "7", "10"}},
	} {
		s := chart.Series{Marks: true}
		for i, y := range c.ys {
			s.Points = append(s.Points, chart.Point{X: float64(i), Y: y})
		}
		svg := chart.Plot{ID: "p", X: chart.Axis{Ticks: []chart.Tick{}}, Y: c.axis, Series: []chart.Series{s}}.SVG()
		got := map[string]bool{}
		for _, part := range strings.Split(svg, "<text ")[1:] {
			_, label, _ := strings.Cut(part, ">")
			label, _, _ = strings.Cut(label, "<")
			got[label] = true
		}
		if len(got) != len(c.want) {
			t.Errorf("%v: labels %v, want %v", c.ys, got, c.want)
		}
		for _, label := range c.want {
			if !got[label] {
				t.Errorf("%v: labels %v, want %v", c.ys, got, c.want)
			}
		}
	}
}
