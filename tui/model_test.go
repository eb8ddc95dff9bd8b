package tui

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/termenv"

	"volley/results"
)

// fakeClock goes on by itself with every look at it.
type fakeClock struct {
	now  time.Time
	step time.Duration
}

func (c *fakeClock) look() time.Time {
	c.now = c.now.Add(c.step)
	return c.now
}

// liveModel shows a feed that has taken in so many seconds of the sample. Every message
// may draw, unless step says that less time goes by.
func liveModel(seconds int, step time.Duration, c Control) (*model, *Feed) {
	meta := sampleMeta()
	feed, correlator := NewFeed(meta), results.NewCorrelator(meta.Correlation())
	feed.Correlate(correlator)
	for _, s := range sample(seconds) {
		feed.Snapshot(s)
		correlator.Snapshot(s)
	}
	for _, scrape := range sampleScrapes(seconds) {
		correlator.Node(scrape)
	}
	m := newModel(NewTheme(termenv.Ascii, true), c)
	m.feed = feed
	m.now = (&fakeClock{step: step}).look
	m.Init()
	m.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
	return m, feed
}

func press(m *model, keys ...string) (last tea.Cmd) {
	for _, k := range keys {
		_, last = m.Update(keyOf(k))
	}
	return last
}

func keyOf(k string) tea.KeyMsg {
	if t, ok := map[string]tea.KeyType{
		"tab": tea.KeyTab, "shift+tab": tea.KeyShiftTab, "left": tea.KeyLeft, "right": tea.KeyRight, "up": tea.KeyUp, "down": tea.KeyDown,
		"home": tea.KeyHome, "end": tea.KeyEnd, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "esc": tea.KeyEsc, "ctrl+c": tea.KeyCtrlC,
		"shift+left": tea.KeyShiftLeft, "shift+right": tea.KeyShiftRight, " ": tea.KeySpace,
	}[k]; ok {
		return tea.KeyMsg{Type: t, Runes: map[bool][]rune{true: {' '}}[k == " "]}
	}
	return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(k)}
}

// quits tells whether a command, or one of a batch, ends the program.
func quits(cmd tea.Cmd) bool {
	if cmd == nil {
		return false
	}
	switch msg := cmd().(type) {
	case tea.QuitMsg:
		return true
	case tea.BatchMsg:
		for _, c := range msg {
			if quits(c) {
				return true
			}
		}
	}
	return false
}

func TestKeys(t *testing.T) {
	m, _ := liveModel(33, time.Second, Control{})
	for _, c := range []struct {
		keys []string
		want func() bool
		what string
	}{
		{[]string{"2"}, func() bool { return m.screen == heatMap }, "the heat map"},
		{[]string{"tab"}, func() bool { return m.screen == nodeScreen }, "the screen after the heat map"},
		{[]string{"shift+tab", "shift+tab", "shift+tab"}, func() bool { return m.screen == logScreen }, "the last screen"},
		{[]string{"?"}, func() bool { return m.help && strings.Contains(m.frame, "Keys") }, "help"},
		{[]string{"esc"}, func() bool { return !m.help }, "no help"},
		{[]string{"w"}, func() bool { return windows[m.window].name == "60 s" && strings.Contains(m.frame, "last 60 s") }, "the next window"},
		{[]string{"c"}, func() bool { return m.window == allTime }, "figures of all"},
		{[]string{"c"}, func() bool { return windows[m.window].name == "60 s" }, "the window before"},
		{[]string{"4", "s", "s"}, func() bool { return sorts[m.sort] == "entries" && strings.Contains(m.frame, "sorted by entries") }, "another order"},
		{[]string{"2w3"}, func() bool { return m.screen == nodeScreen && m.window == allTime }, "what three keys do that come as one"},
		{[]string{"+"}, func() bool { return m.message == "" }, "nothing, as the rate cannot be changed"},
	} {
		if press(m, c.keys...); !c.want() {
			t.Errorf("%q did not give %s:\n%s", c.keys, c.what, m.frame)
		}
	}
}

func TestFrozenScreenStandsStillAndLosesNothing(t *testing.T) {
	m, feed := liveModel(20, time.Second, Control{})
	press(m, "f")
	before := m.frame
	for _, s := range sample(40)[19:] {
		feed.Snapshot(s)
		m.Update(changedMsg{})
	}
	if m.frame != before {
		t.Errorf("a frozen screen moved:\n%s", m.frame)
	}
	press(m, "f", "c")
	if m.view.now != 40*time.Second || !strings.Contains(m.frame, "48,672 entries") {
		t.Errorf("the screen does not hold what came while it was frozen:\n%s", m.frame)
	}
}

// What comes faster than it is looked at is added up.
func TestFeedAddsUpWhatNobodyLookedAt(t *testing.T) {
	m, _ := liveModel(40, time.Second, Control{})
	a := &results.Aggregate{}
	for _, s := range sample(40) {
		a.Add(s)
	}
	want := a.Total(func(i int) bool { return i > 0 })
	if got := m.view.total; got.Calls != want.Calls || got.Entries != want.Entries || got.response.count() != uint64(want.Response.TotalCount()) {
		t.Errorf("%d calls, %d entries, %d responses; want %d, %d, %d", got.Calls, got.Entries, got.response.count(), want.Calls, want.Entries, want.Response.TotalCount())
	}
	if got, want := m.view.total.response.quantile(.99), want.Response.ValueAtQuantile(99); got != want {
		t.Errorf("p99 %d, want %d", got, want)
	}
	summary := sampleSummary(40)
	for i, o := range m.view.objectives {
		if o.Met != summary.Objectives[i].Met || *o.Value != *summary.Objectives[i].Value {
			t.Errorf("objective %q stands at %v, the summary has %v", o.Text, *o.Value, *summary.Objectives[i].Value)
		}
	}
	if got, want := m.view.total.took.Seconds(), summary.Measured.ElapsedS; got != want {
		t.Errorf("rates over %v s, the summary's are over %v s", got, want)
	}
}

func TestFirstQDrainsSecondLeaves(t *testing.T) {
	var interrupts int
	m, feed := liveModel(20, time.Second, Control{Interrupt: func() { interrupts++ }})
	if quits(press(m, "q")) || interrupts != 1 || !strings.Contains(m.frame, "waiting for answers due") {
		t.Fatalf("the first q: %d interrupts:\n%s", interrupts, m.frame)
	}
	if !quits(press(m, "q")) || interrupts != 2 {
		t.Errorf("the second q does not leave: %d interrupts", interrupts)
	}
	feed.End(sampleSummary(20))
	if _, cmd := m.Update(changedMsg{}); !quits(cmd) {
		t.Error("the screen stays after a drain that q asked for")
	}
}

func TestLastScreenStaysUntilQ(t *testing.T) {
	m, feed := liveModel(40, time.Second, Control{Interrupt: func() { t.Error("a run that is over was interrupted") }})
	feed.End(sampleSummary(40))
	if _, cmd := m.Update(changedMsg{}); quits(cmd) || !strings.Contains(m.frame, "objective missed") {
		t.Errorf("the end:\n%s", m.frame)
	}
	if !quits(press(m, "ctrl+c")) {
		t.Error("ctrl-c does not leave")
	}
	m, feed = liveModel(40, time.Second, Control{Exit: true})
	feed.End(sampleSummary(40))
	if _, cmd := m.Update(changedMsg{}); !quits(cmd) {
		t.Error("with Exit the screen stays")
	}
}

func TestSignalLeavesWhenTheRunIsOver(t *testing.T) {
	m, feed := liveModel(40, time.Second, Control{})
	if _, cmd := m.Update(leaveMsg{}); quits(cmd) {
		t.Error("it leaves while answers are due")
	}
	feed.End(sampleSummary(40))
	if _, cmd := m.Update(changedMsg{}); !quits(cmd) {
		t.Error("it stays")
	}
}

func TestRateKeys(t *testing.T) {
	now := 1.0
	var refused error
	m, _ := liveModel(20, time.Second, Control{Scale: func(by float64) (float64, error) {
		if refused != nil {
			return now, refused
		}
		now *= by
		return now, nil
	}})
	press(m, "+", "+")
	if now < 1.2 || !strings.Contains(m.frame, "asked rate: 1.21 times the plan's") {
		t.Errorf("factor %v:\n%s", now, m.frame)
	}
	refused = errors.New("the authorised ceiling allows no more")
	if press(m, "+"); !strings.Contains(m.frame, "allows no more") {
		t.Errorf("a refusal is not told:\n%s", m.frame)
	}
}

func TestClickOnTab(t *testing.T) {
	m, _ := liveModel(20, time.Second, Control{})
	for _, w := range []int{40, 80, 200} {
		m.Update(tea.WindowSizeMsg{Width: w, Height: 24})
		tabs := strings.Split(m.frame, "\n")[1]
		for screen, title := range titles {
			x := strings.Index(stripSGR(tabs), string(rune('1'+screen))+" "+title.short[:1])
			if x < 0 {
				t.Fatalf("no tab %q in %q", title.short, tabs)
			}
			m.Update(tea.MouseMsg{X: x, Y: 1, Action: tea.MouseActionPress, Button: tea.MouseButtonLeft})
			if m.screen != screen {
				t.Errorf("%d wide: a click at %d opened %s, want %s", w, x, titles[m.screen].long, title.long)
			}
			tabs = strings.Split(m.frame, "\n")[1]
		}
	}
}

func TestPanicInDrawingEndsTheScreenOnly(t *testing.T) {
	m, _ := liveModel(20, time.Second, Control{})
	m.draw = func(*view, look, *figures, int, int, *Theme) string { panic("cannot draw") }
	cmd := press(m, "2")
	if !quits(cmd) || m.failure == nil || !strings.Contains(m.failure.Error(), "cannot draw") {
		t.Errorf("failure %v, quits %v", m.failure, quits(cmd))
	}
}

// However much happens, no more frames are drawn than allowed, and the last one shows all.
func TestFramesAreLimited(t *testing.T) {
	m, _ := liveModel(20, time.Millisecond, Control{})
	drawn := 0
	inner := m.draw
	m.draw = func(v *view, l look, f *figures, w, h int, t *Theme) string {
		drawn++
		return inner(v, l, f, w, h, t)
	}
	for range 1000 { // about a second
		press(m, "tab")
		if m.waiting && m.now().Sub(m.drawn) > time.Second/frames {
			m.Update(drawMsg{})
		}
	}
	if drawn > 2*frames || drawn < 5 {
		t.Errorf("%d frames in about a second", drawn)
	}
	if !m.waiting && m.dirty {
		t.Error("a change waits for nothing")
	}
}

// events are a byte each, so that a fuzzer can write them.
var keys = [...]string{
	"1", "2", "3", "4", "5", "6", "tab", "shift+tab", "w", "c", "f", " ", "s", "?", "esc", "+", "-", "=", "up", "down", "pgup", "pgdown",
	"left", "right", "home", "end", "shift+left", "shift+right", "x", "語", "\x00",
}

func play(t *testing.T, m *model, feed *Feed, next []*results.Snapshot, events []byte, r *rand.Rand) {
	for i, e := range events {
		switch {
		case e < 140:
			m.Update(keyOf(keys[int(e)%len(keys)]))
		case e < 180:
			w, h := 1+r.IntN(100), 1+r.IntN(40)
			if e%8 == 0 {
				w, h = 1+r.IntN(400), 1+r.IntN(120)
			}
			m.Update(tea.WindowSizeMsg{Width: w, Height: h})
		case e < 215:
			m.Update(tea.MouseMsg{X: r.IntN(220) - 10, Y: r.IntN(60) - 2, Action: tea.MouseAction(e % 3), Button: tea.MouseButton(e % 12)})
		case feed != nil && e < 220 && len(next) > 0:
			feed.Snapshot(next[0])
			next = next[1:]
			m.Update(changedMsg{})
		case feed != nil && e < 224:
			feed.Warn(nasty[:int(e)*(i%40)])
			m.Update(changedMsg{})
		case m.player != nil:
			m.Update(playMsg{})
		default:
			m.Update(drawMsg{})
		}
		if m.failure != nil {
			t.Fatalf("event %d: %v (screen %d at %dx%d)", i, m.failure, m.screen, m.w, m.h)
		}
		if wrong := fits(m.frame, m.w, m.h); wrong != "" {
			t.Fatalf("event %d: %s at %dx%d: %s\n%s", i, titles[m.screen].long, m.w, m.h, wrong, m.frame)
		}
	}
}

// 100,000 keys, clicks, resizes and news: no panic, and nothing larger than the window.
func TestAnyEventsInAnyOrder(t *testing.T) {
	n := 100_000
	if testing.Short() {
		n = 2_000
	}
	r := rand.New(rand.NewPCG(3, 1))
	events := make([]byte, n)
	for i := range events {
		events[i] = byte(r.Uint32())
	}
	m, feed := liveModel(20, time.Second, Control{Scale: func(by float64) (float64, error) { return by, nil }})
	play(t, m, feed, sample(40)[19:], events[:n/2], r)
	feed.End(sampleSummary(40))
	play(t, m, feed, nil, events[n/2:n*3/4], r)

	m = replayModel(t, 40)
	play(t, m, nil, nil, events[n*3/4:], r)
}

func FuzzModel(f *testing.F) {
	f.Add([]byte("12345?wcfs+-"))
	f.Add([]byte{150, 2, 200, 216, 222, 230, 240, 10, 11})
	f.Fuzz(func(t *testing.T, events []byte) {
		r := rand.New(rand.NewPCG(5, 1))
		m, feed := liveModel(3, time.Second, Control{})
		play(t, m, feed, sample(8)[3:], events[:min(len(events), 200)], r)
	})
}
