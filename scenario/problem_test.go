package scenario

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestBadScenarios: each file of testdata/bad is told its problems as the
// golden beside it says.
func TestBadScenarios(t *testing.T) {
	files, err := filepath.Glob("testdata/bad/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no bad scenarios", err)
	}
	for _, file := range files {
		_, err := Load(file, nil)
		problems, ok := err.(Problems)
		if !ok {
			t.Errorf("%s: want problems, got %v", file, err)
			continue
		}
		got := strings.ReplaceAll(problems.Error(), "testdata/bad/", "") + "\n"
		if wd, err := os.Getwd(); err == nil {
			got = strings.ReplaceAll(got, wd+"/", "")
		}
		golden := strings.TrimSuffix(file, ".yaml") + ".golden"
		if *update {
			if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s:\ngot\n%s\nwant\n%s", file, got, want)
		}
	}
}

// TestFiveMistakes: all of a file's problems come at once, each in its place.
func TestFiveMistakes(t *testing.T) {
	_, err := Load("testdata/bad/five-mistakes.yaml", nil)
	problems, _ := err.(Problems)
	var got []string
	for _, p := range problems {
		got = append(got, p.Path)
		if p.Line == 0 || p.Column == 0 || p.Source == "" || p.Hint == "" {
			t.Errorf("not located: %+v", p)
		}
	}
	want := []string{"target.dialect", "load[0].rate", "load[1].for", "size", "mix[0].params.account_id.pick"}
	if !slices.Equal(got, want) {
		t.Errorf("problems at %q, want %q", got, want)
	}
}

func TestMissingFileIsNoProblem(t *testing.T) {
	_, err := Load("testdata/absent.yaml", nil)
	if _, ok := err.(Problems); ok || err == nil {
		t.Errorf("got %v", err)
	}
}

func TestProblemString(t *testing.T) {
	for _, c := range []struct {
		p    Problem
		want string
	}{
		{Problem{File: "a.yaml", Line: 2, Column: 3, Message: "bad"}, "a.yaml:2:3: bad"},
		{Problem{File: "--set x=…", Path: "x", Message: "bad", Hint: "good"}, "--set x=…: x: bad\n  good"},
		{Problem{File: "a", Line: 1, Column: 4, Message: "m", Source: "\té\tx"}, "a:1:4: m\n  \té\tx\n  \t \t^"},
		{Problem{File: "a", Line: 1, Column: 3, Message: "m", Source: "日本x"}, "a:1:3: m\n  日本x\n      ^"},
		{Problem{File: "a", Line: 1, Column: 3, Message: "m", Source: "e\u0301x"}, "a:1:3: m\n  e\u0301x\n   ^"},
		{Problem{File: "a\x1b", Line: 1, Column: 2, Message: "\u009b\n", Source: "\x1bx\xff"}, "a\\x1b:1:2: \\u009b\\x0a\n  \\x1bx\\xff\n      ^"},
		{Problem{File: "a", Line: 1, Column: 99, Message: "m", Source: "x"}, "a:1:99: m\n  x\n   ^"},
		{
			Problem{File: "a", Line: 1, Column: 501, Message: "m", Source: strings.Repeat("a", 500) + "b" + strings.Repeat("c", 500)},
			"a:1:501: m\n  …" + strings.Repeat("a", 120) + "b" + strings.Repeat("c", 79) + "…\n  " + strings.Repeat(" ", 121) + "^",
		},
	} {
		if got := c.p.String(); got != c.want {
			t.Errorf("%+v:\ngot  %q\nwant %q", c.p, got, c.want)
		}
	}
}

func TestClosest(t *testing.T) {
	known := []string{"name", "notifications", "malformed", "by", "url"}
	for word, want := range map[string]string{
		"nmae": "name", "Name": "name", "notification": "notifications", "malfromed": "malformed",
		"bye": "by", "ulr": "url", "zzz": "", "x": "", "": "",
	} {
		if got := closest(word, known); got != want {
			t.Errorf("closest(%q) = %q, want %q", word, got, want)
		}
	}
}
