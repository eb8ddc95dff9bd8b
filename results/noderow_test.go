package results

import (
	"encoding/json"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"
)

func rowText(t *testing.T, rows *nodeRows, s NodeSample) string {
	t.Helper()
	text, err := json.Marshal(rows.row(s))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// What is stored of samples: the first whole, then what is new.
func TestNodeRows(t *testing.T) {
	var rows nodeRows
	series := func(a float64, more ...string) map[string]float64 {
		s := map[string]float64{"a_total": a, "b": 1, "c": 1, "d": 1, "e": 1}
		for _, name := range more {
			s[name] = 2
		}
		return s
	}
	for _, c := range []struct {
		why  string
		s    NodeSample
		want string
	}{
		{"a gap before anything", NodeSample{At: 1, Err: "refused"}, `{"at_ns":1,"error":"refused"}`},
		{"the first is whole", NodeSample{At: 2, Series: series(1)}, `{"at_ns":2,"series":{"a_total":1,"b":1,"c":1,"d":1,"e":1}}`},
		{"what changed", NodeSample{At: 3, Series: series(2)}, `{"at_ns":3,"changed":[0],"to":[2]}`},
		{"a gap changes nothing", NodeSample{At: 4, Err: "late"}, `{"at_ns":4,"error":"late"}`},
		{"nothing changed, which is no gap", NodeSample{At: 5, Series: series(2)}, `{"at_ns":5,"changed":[],"to":[]}`},
		{"a new series", NodeSample{At: 6, Series: series(2, "aa")}, `{"at_ns":6,"changed":[],"to":[],"new":{"aa":2}}`},
		{"a series that went, and one without a value", NodeSample{At: 7, Series: map[string]float64{"a_total": 2, "b": 1, "c": 1, "d": 1, "e": math.NaN()}}, `{"at_ns":7,"changed":[],"to":[],"gone":[4,5]}`},
		{"one that came back", NodeSample{At: 8, Series: series(3)}, `{"at_ns":8,"changed":[0,4],"to":[3,1]}`},
		{"most is new: whole", NodeSample{At: 8, Series: map[string]float64{"x": 3, "y": 2, "b": 1}}, `{"at_ns":8,"series":{"b":1,"x":3,"y":2}}`},
		{"a node that tells nothing of what is kept", NodeSample{At: 9, Series: map[string]float64{}}, `{"at_ns":9,"changed":[],"to":[],"gone":[0,1,2]}`},
	} {
		if got := rowText(t, &rows, c.s); got != c.want {
			t.Errorf("%s: %s, want %s", c.why, got, c.want)
		}
	}
}

// Whatever samples are stored, the same come back, and now and then one is whole.
func TestNodeRowsComeBack(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var rows nodeRows
	var back nodeSamples
	now := map[string]float64{}
	for i := range 40 {
		now["s"+strconv.Itoa(i)] = 0
	}
	whole := 0
	for i := range 500 {
		s := NodeSample{At: time.Duration(i)}
		switch k := r.IntN(20); {
		case k == 0:
			s.Err = "gap"
		case k == 1 && len(now) > 30:
			for name := range now {
				delete(now, name)
				break
			}
		default:
			for range r.IntN(6) {
				now["s"+strconv.Itoa(r.IntN(45))] = float64(r.IntN(3))
			}
		}
		if s.Err == "" {
			s.Series = maps.Clone(now)
		}
		text := rowText(t, &rows, s)
		if strings.Contains(text, `"series"`) {
			whole++
		}
		got, err := back.sample([]byte(text))
		if err != nil || !reflect.DeepEqual(got, s) {
			t.Fatalf("%d: %s\nread as %+v (%v)\nwas     %+v", i, text, got, err, s)
		}
	}
	if whole < 500/wholeEvery || whole > 20 {
		t.Errorf("%d of 500 samples were stored whole", whole)
	}
}

func TestNodeRowsThatCannotBe(t *testing.T) {
	for _, rows := range [][]string{
		{`{"at_ns":1,"changed":[]}`},
		{`{"at_ns":1,"series":{"a":1}}`, `{"at_ns":2,"changed":[1],"to":[1]}`},
		{`{"at_ns":1,"series":{"a":1}}`, `{"at_ns":2,"changed":[-1],"to":[1]}`},
		{`{"at_ns":1,"series":{"a":1}}`, `{"at_ns":2,"changed":[0],"to":[]}`},
		{`{"at_ns":1,"series":{"a":1}}`, `{"at_ns":2,"changed":[],"to":[],"gone":[1]}`},
	} {
		var back nodeSamples
		var err error
		for _, row := range rows {
			_, err = back.sample([]byte(row))
		}
		if err == nil {
			t.Errorf("%s was read", rows[len(rows)-1])
		}
	}
}

// Whatever two rows say: no panic, and the samples read can be stored and read again.
func FuzzNodeRow(f *testing.F) {
	for _, line := range goldenLines(f, "node.jsonl")[1:3] {
		f.Add(line, []byte(`{"at_ns":2,"changed":[0],"to":[5],"gone":[0],"new":{"b":2}}`))
	}
	f.Add([]byte(`{"at_ns":1,"series":{}}`), []byte(`{"at_ns":1,"series":null,"changed":[]}`))
	f.Fuzz(func(t *testing.T, first, second []byte) {
		var in, back nodeSamples
		var rows nodeRows
		for _, line := range [][]byte{first, second} {
			s, err := in.sample(line)
			if err != nil {
				return
			}
			text, err := json.Marshal(rows.row(s))
			if err != nil {
				t.Fatal(err)
			}
			again, err := back.sample(text)
			if err != nil || again.At != s.At || !maps.Equal(again.Series, s.Series) {
				t.Fatalf("%+v\nwas stored as %s\nand read as %+v (%v)", s, text, again, err)
			}
		}
	})
}
