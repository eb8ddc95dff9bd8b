package results

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"testing"
)

func goldenLines(f *testing.F, name string) [][]byte {
	data, err := os.ReadFile("testdata/run-v1/" + name)
	if err != nil {
		f.Fatal(err)
	}
	return bytes.Split(data, []byte("\n"))
}

// Whatever a row says: no panic, and what is read comes back the same when written.
func FuzzParseInterval(f *testing.F) {
	for _, line := range goldenLines(f, "intervals.jsonl")[:3] {
		f.Add(line)
	}
	f.Add([]byte(`{"phases":[{"index":-1}]}`))
	f.Add([]byte(`{"start_ns":1e30}`))
	phases := make([]PhaseMeta, 3)
	f.Fuzz(func(t *testing.T, line []byte) {
		s, end, err := parseInterval(line, len(phases))
		if err != nil {
			return
		}
		again, err := json.Marshal(rowOf(&s, phases, end))
		if err != nil {
			t.Skip() // a year that JSON's times cannot hold
		}
		back, _, err := parseInterval(again, len(phases))
		if err != nil {
			t.Fatalf("%s: %v", again, err)
		}
		if back.Start != s.Start || back.End != s.End || back.Current != s.Current || len(back.Phases) != len(s.Phases) {
			t.Fatalf("%s\nbecame\n%s", line, again)
		}
		for i := range s.Phases {
			if !reflect.DeepEqual(back.Phases[i].Totals(), s.Phases[i].Totals()) {
				t.Fatalf("%s\nbecame\n%s", line, again)
			}
		}
		var a Aggregate
		a.Add(&s)
	})
}

func FuzzParseSummary(f *testing.F) {
	data, err := os.ReadFile("testdata/run-v1/run.json")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte(`{"format":1,"status":"running","phases":[{"for_s":-1e300,"target":{"value":1}},{"for_s":1e300}],"objectives":[{}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := parseSummary(data)
		if err != nil {
			return
		}
		m := metaOf(&s)
		phaseTags(m.Phases)
		again := Summarise(m, &Aggregate{}, End{Status: Cut})
		if len(again.Phases) != len(s.Phases) || len(again.Objectives) != len(s.Objectives) {
			t.Fatalf("%d phases and %d objectives became %d and %d", len(s.Phases), len(s.Objectives), len(again.Phases), len(again.Objectives))
		}
	})
}

func FuzzParseHlog(f *testing.F) {
	for _, line := range goldenLines(f, "latency.hlog")[:8] {
		f.Add(line)
	}
	f.Add([]byte("Tag=response/x,1,1,1,"))
	f.Add([]byte("Tag=waiting/0,,,,HIST1AAAAIx42iyLoQoCQRgG/2/2ODRftZl8AKMYDGLwIcwmY8BwIBgNGy9c0GJaxCgmg8FuN4hRq4ggy/qFb2BgWgtfmNnU0tyfinf1G+u/kigI4iPe4iFOostKLEXV4JxRiSEXUYsZ65yvY0Sb0jFgjhc17MSEfSyfomxyEx0OYswxYws9Qs4dfgEAAP//hv8cf000"))
	f.Fuzz(func(t *testing.T, line []byte) {
		l, err := parseHlog(line)
		if err != nil || l.h == nil {
			return
		}
		s := Snapshot{Phases: []PhaseSlice{{Latency: NewLatency()}}}
		if err := l.addTo(&s, []string{l.phase}); err != nil {
			return
		}
		p := &s.Phases[0]
		total := p.Response.TotalCount() + p.Service.TotalCount() + p.Lateness.TotalCount()
		want := uint64(l.h.TotalCount())
		if !slices.Contains([]string{"response", "service", "lateness"}, l.name) {
			want = 0 // a kind of a later version's is passed over
		}
		if uint64(total)+p.Clipped != want {
			t.Fatalf("of %d values %d were taken and %d counted as clipped", l.h.TotalCount(), total, p.Clipped)
		}
	})
}
