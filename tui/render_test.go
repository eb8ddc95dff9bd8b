package tui

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"

	"volley/results"
)

var update = flag.Bool("update", false, "write the golden files anew")

// sizes are those that the goldens are of.
var sizes = [...]struct{ w, h int }{{40, 12}, {80, 24}, {120, 40}, {200, 60}}

func goldenLook(screen int) look {
	return look{screen: screen, window: allTime, rates: true, speed: 1}
}

func draw(v *view, l look, w, h int, t *Theme) string {
	if v.node != nil && v.node.report.Intervals > 0 {
		shown := *v
		shown.node = &nodeSide{sampleReport(), v.node.intervals}
		v = &shown
	}
	f := v.figuresOf(l.window)
	return render(v, l, &f, w, h, t)
}

// fits tells what is wrong with a frame's size, "" for nothing.
func fits(frame string, w, h int) string {
	lines := strings.Split(frame, "\n")
	if len(lines) > max(h, 1) {
		return fmt.Sprintf("%d lines in a window of %d", len(lines), h)
	}
	for i, line := range lines {
		if got := lipgloss.Width(line); got > w {
			return fmt.Sprintf("line %d takes %d columns of %d: %q", i+1, got, w, line)
		}
	}
	return ""
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v (go test -update writes it)", err)
	}
	if got != string(want) {
		t.Errorf("%s differs (go test -update writes it anew); got:\n%s", file, got)
	}
}

// The screens in characters alone, in every size.
func TestScreensInCharacters(t *testing.T) {
	v := sampleStore(33).view(true)
	theme := NewTheme(termenv.Ascii, true)
	for screen := range numScreens {
		for _, size := range sizes {
			frame := draw(v, goldenLook(screen), size.w, size.h, theme)
			if wrong := fits(frame, size.w, size.h); wrong != "" {
				t.Errorf("%s at %dx%d: %s", titles[screen].long, size.w, size.h, wrong)
			}
			golden(t, fmt.Sprintf("%s-%dx%d.txt", strings.ReplaceAll(strings.ToLower(titles[screen].long), " ", "-"), size.w, size.h), frame+"\n")
		}
	}
}

// Two screens in every theme, with its escape sequences made readable.
func TestScreensInColours(t *testing.T) {
	v := sampleStore(33).view(true)
	for _, theme := range []struct {
		name    string
		profile termenv.Profile
		dark    bool
	}{{"256-dark", termenv.ANSI256, true}, {"256-light", termenv.ANSI256, false}, {"16-dark", termenv.ANSI, true}, {"16-light", termenv.ANSI, false}} {
		for _, screen := range []int{overview, heatMap} {
			frame := draw(v, goldenLook(screen), 80, 24, NewTheme(theme.profile, theme.dark))
			if wrong := fits(frame, 80, 24); wrong != "" {
				t.Errorf("%s in %s: %s", titles[screen].long, theme.name, wrong)
			}
			name := strings.ReplaceAll(strings.ToLower(titles[screen].long), " ", "-")
			golden(t, fmt.Sprintf("%s-%s.txt", name, theme.name), strings.ReplaceAll(frame, "\x1b", "ESC")+"\n")
		}
	}
}

// What else a window may hold: help, the end of a run, a replay, nothing yet.
func TestScreensAtOtherTimes(t *testing.T) {
	theme := NewTheme(termenv.Ascii, true)
	going, over := sampleStore(33).view(true), sampleStore(40)
	over.finish(sampleSummary(40))
	for _, c := range []struct {
		name string
		v    *view
		l    look
	}{
		{"help", going, look{help: true, rates: true}},
		{"help-replay", going, look{help: true, stage: replay}},
		{"end", over.view(true), look{window: allTime, stage: ended}},
		{"end-generator", over.view(true), look{screen: generatorScreen, window: allTime, stage: ended}},
		{"end-node", over.view(true), look{screen: nodeScreen, window: allTime, stage: ended}},
		{"end-log", over.view(true), look{screen: logScreen, window: allTime, stage: ended}},
		{"draining", going, look{leaving: true, message: "stopped sending; waiting for answers due. q leaves at once"}},
		{"replay-paused", going, look{stage: replay, paused: true, speed: 10}},
		{"frozen", going, look{frozen: true, window: 1}},
		{"empty", newStore(sampleMeta()).view(true), look{}},
		{"empty-heat", newStore(sampleMeta()).view(true), look{screen: heatMap}},
		{"empty-node", newStore(sampleMeta()).view(true), look{screen: nodeScreen}},
		{"empty-breakdown", newStore(sampleMeta()).view(true), look{screen: breakdown}},
	} {
		frame := draw(c.v, c.l, 80, 24, theme)
		if wrong := fits(frame, 80, 24); wrong != "" {
			t.Errorf("%s: %s", c.name, wrong)
		}
		golden(t, c.name+".txt", frame+"\n")
	}
}

// Small windows hold the most needed numbers, and every size holds something.
func TestEverySizeFits(t *testing.T) {
	v := sampleStore(33).view(true)
	theme := NewTheme(termenv.ANSI256, true)
	for screen := range numScreens {
		for _, h := range []int{1, 2, 3, 5, 11, 12, 13, 14, 15, 16, 17, 18, 20, 25, 33, 47} {
			for w := 1; w <= 130; w += 1 + w/12 {
				frame := draw(v, goldenLook(screen), w, h, theme)
				if wrong := fits(frame, w, h); wrong != "" {
					t.Fatalf("%s at %dx%d: %s", titles[screen].long, w, h, wrong)
				}
				if strings.TrimSpace(frame) == "" {
					t.Errorf("%s at %dx%d is empty", titles[screen].long, w, h)
				}
			}
		}
	}
	golden(t, "numbers-24x8.txt", draw(v, goldenLook(overview), 24, 8, NewTheme(termenv.Ascii, true))+"\n")
}

// What others say is never more than text.
func TestRemoteTextIsHarmless(t *testing.T) {
	m := sampleMeta()
	m.Name, m.URL, m.Bundled = nasty, nasty, false
	m.Rows = []string{nasty}
	m.Phases[1].Name = nasty
	m.Objectives[0].Text = nasty
	s := newStore(m)
	for _, snap := range sample(33) {
		s.add(intervalOf(snap))
	}
	for range 3 {
		s.tell(Entry{Kind: Failure, Text: nasty})
	}
	summary := sampleSummary(33)
	summary.Warnings = append(summary.Warnings, nasty)
	summary.Status, summary.Generator.Reason = results.Void, nasty
	summary.Reconciliation = []results.Row{{What: nasty, Note: nasty}}
	s.finish(summary)
	for screen := range numScreens {
		for _, size := range sizes {
			frame := draw(s.view(true), goldenLook(screen), size.w, size.h, NewTheme(termenv.Ascii, true))
			if wrong := fits(frame, size.w, size.h); wrong != "" {
				t.Errorf("%s at %dx%d: %s", titles[screen].long, size.w, size.h, wrong)
			}
			for _, r := range strings.ReplaceAll(stripSGR(frame), "\n", "") {
				if r < ' ' || r == 0x7f || r == 0x202e {
					t.Fatalf("%s at %dx%d holds %q:\n%q", titles[screen].long, size.w, size.h, r, frame)
				}
			}
			if screen == logScreen && size.w >= 80 {
				if !strings.Contains(frame, `\x1b[2J\x1b]0;owned`) || !strings.Contains(frame, "節點錯誤") {
					t.Errorf("%dx%d does not show the message escaped:\n%s", size.w, size.h, frame)
				}
				if n := strings.Count(frame, "lorem"); n > 3*mostText/18 {
					t.Errorf("%dx%d shows a message of 10,000 characters in full: %d times lorem", size.w, size.h, n)
				}
			}
		}
	}
}

// stripSGR takes away the colour and attribute sequences of our own.
func stripSGR(s string) string {
	var b strings.Builder
	for {
		before, after, ok := strings.Cut(s, "\x1b[0")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		end := strings.IndexByte(after, 'm')
		if end < 0 || strings.Trim(after[:end], "0123456789;") != "" {
			b.WriteString("\x1b[0")
			end = -1
		}
		s = after[end+1:]
	}
}
