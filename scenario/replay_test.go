package scenario

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestReplay(t *testing.T) {
	p := mustLoad(t, "testdata/replay.yaml")
	file, err := filepath.Abs("testdata/due.txt")
	if err != nil {
		t.Fatal(err)
	}
	ms := time.Millisecond
	rate := 5 / (1501 * ms).Seconds()
	want := []Phase{
		{Name: "all of it", Replay: &Replay{File: file, Calls: 5}, For: 1501 * ms, Rate: Rate{rate, Calls}, To: rate, Arrivals: "replay", Measured: true},
		{Name: "the beginning", Replay: &Replay{File: file, Calls: 4}, For: 300 * ms, Rate: Rate{4 / 0.3, Calls}, To: 4 / 0.3, Arrivals: "replay"},
	}
	if !reflect.DeepEqual(p.Phases, want) {
		t.Errorf("got  %+v %+v\nwant %+v %+v", p.Phases[0], p.Phases[1], want[0], want[1])
	}
	times, err := p.Phases[0].Replay.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer times.Close()
	for i, want := range []time.Duration{0, 100 * ms, 100 * ms, 250 * ms, 1500*ms + 400} {
		if due, err := times.Next(); err != nil || due != want {
			t.Errorf("due time %d: %v, %v, want %v", i, due, err, want)
		}
	}
	if _, err := times.Next(); err != io.EOF {
		t.Errorf("behind the last: %v", err)
	}
}

// A file that was changed after it was checked is an error where it is read, not a
// schedule that goes backwards.
func TestReplayFileThatChanged(t *testing.T) {
	file := filepath.Join(t.TempDir(), "due.txt")
	for text, want := range map[string]string{
		"2\n1\n":                    "line 2: 1 is before the due time above it",
		"x\n":                       `line 1: "x" is no number`,
		strings.Repeat("9", 70_000): "line 1: the line is longer",
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		times, err := (&Replay{File: file}).Open()
		if err != nil {
			t.Fatal(err)
		}
		for err == nil {
			_, err = times.Next()
		}
		times.Close()
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: %v, want %s", text, err, want)
		}
	}
	os.Remove(file)
	if _, err := (&Replay{File: file}).Open(); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}
