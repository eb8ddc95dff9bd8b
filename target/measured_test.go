package target

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func timesFile(t testing.TB, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "times.txt")
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestMeasured(t *testing.T) {
	path := timesFile(t, "# from a trace\n300us\n\n1.5\r\n  2ms  \n100\n")
	var s Service
	if err := json.Unmarshal([]byte(fmt.Sprintf(`{"measured": {"file": %q}, "cpu": "12.5%%"}`, path)), &s); err != nil {
		t.Fatal(err)
	}
	want := []time.Duration{300 * time.Microsecond, 1500, 2 * time.Millisecond, 100 * time.Microsecond}
	if !slices.Equal(s.times.times, want) || s.CPU() != 0.125 || s.IsZero() {
		t.Errorf("read %v, cpu %v", s.times.times, s.CPU())
	}
	r := rand.New(rand.NewPCG(1, 2))
	const n = 40_000
	drawn := map[time.Duration]int{}
	for range n {
		drawn[s.Draw(r)]++
	}
	for _, d := range want { // binomial: 5 standard deviations of 87
		if got := drawn[d]; math.Abs(float64(got)-n/4) > 433 {
			t.Errorf("%v was drawn %d times of %d", d, got, n)
		}
	}
	if len(drawn) != len(want) {
		t.Errorf("drew %v", drawn)
	}
}

func TestMeasuredErrors(t *testing.T) {
	for _, tt := range []struct{ content, want string }{
		{"", "no time stands in it"},
		{"# nothing\n\n", "no time stands in it"},
		{"1\nx\n", `line 2: "x" is no time`},
		{"1\n1 2\n", `line 2: "1 2" is no time`},
		{"0x10\n", `line 1: "0x10" is no time`},
		{"NaN\n", `line 1: "NaN" is no time`},
		{"1e999\n", `line 1: "1e999" is no time`},
		{"\x1b[31m\n", `line 1: "\x1b[31m" is no time`},
		{"1\n-1\n", "line 2: -1 is under zero"},
		{"-1ms\n", "line 1: -1ms is under zero"},
		{"1\n" + strings.Repeat("9", 100_000), "line 2: bufio.Scanner: token too long"},
	} {
		path := timesFile(t, tt.content)
		var s Service
		err := json.Unmarshal([]byte(fmt.Sprintf(`{"measured": {"file": %q}}`, path)), &s)
		if err == nil || !strings.Contains(err.Error(), "measured: "+path+": "+tt.want) {
			t.Errorf("%.20q: got %v, want %q", tt.content, err, tt.want)
		}
	}
	for _, tt := range []struct{ text, want string }{
		{`{"measured": "times.txt"}`, `measured: want {"file"`},
		{`{"measured": {}}`, `measured: want {"file"`},
		{`{"measured": {"file": "a", "unit": "ms"}}`, `measured: want {"file"`},
		{`{"measured": {"file": "there/is/none"}}`, "measured: open there/is/none: no such file"},
	} {
		var s Service
		if err := json.Unmarshal([]byte(tt.text), &s); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", tt.text, err, tt.want)
		}
	}
	c := ConfigFile{Name: "node.json", Data: []byte("{\"slots\": 1,\n \"cost\": {\"item\": {\"measured\": {\"file\": \"there/is/none\"}}}}")}
	if _, err := ParseGenericConfig(c); err == nil || !strings.HasPrefix(err.Error(), "node.json:2:19: cost.item: measured: open there/is/none") {
		t.Errorf("got %v", err)
	}
}

func FuzzReadTimes(f *testing.F) {
	for _, seed := range []string{"1\n2.5e3\n", "300us\n# x\n", "-1", "1 2", "\x00", "9223372036854775807s"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		times, err := readTimes(strings.NewReader(text))
		if err != nil {
			if times != nil {
				t.Error("times beside an error")
			}
			return
		}
		lines := 1 + strings.Count(text, "\n")
		if len(times) == 0 || len(times) > lines {
			t.Errorf("%d times in %d lines", len(times), lines)
		}
		for _, d := range times {
			if d < 0 {
				t.Errorf("a time is %v", d)
			}
		}
	})
}

// FuzzService: what is taken as a service time can be drawn.
func FuzzService(f *testing.F) {
	for _, seed := range []string{`"1ms"`, `{"exponential":"1s","cpu":"30%"}`, `{"lognormal":{"median":"1ns","p99":"9h"}}`, `{"cpu":"1%"}`, `null`, `{"measured":{"file":""}}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(text, "measured") {
			t.Skip() // reads whatever file it names
		}
		var s Service
		if json.Unmarshal([]byte(text), &s) != nil {
			return
		}
		r := rand.New(rand.NewPCG(1, 2))
		for range 10 {
			if d := s.Draw(r); d < 0 || s.IsZero() && d != 0 || s.CPU() < 0 || s.CPU() > 1 {
				t.Errorf("%s: drew %v, of which %v is worked", text, d, s.CPU())
			}
		}
	})
}
