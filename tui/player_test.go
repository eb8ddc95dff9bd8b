package tui

import (
	"path/filepath"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/termenv"

	"volley/results"
)

// storedRun writes the sample as a run directory and opens it.
func storedRun(t *testing.T, seconds int) *results.Run {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	w, err := results.Create(dir, sampleMeta())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sample(seconds) {
		if err := w.Interval(s); err != nil {
			t.Fatal(err)
		}
	}
	for _, scrape := range sampleScrapes(seconds) {
		if err := w.Node(scrape); err != nil {
			t.Fatal(err)
		}
	}
	summary, m := sampleSummary(seconds), sampleMeta()
	summary.Correlation = results.NewCorrelator(m.Correlation()).Report() // it holds the names of the series
	if err := w.Finish(*summary); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	run, err := results.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func replayModel(t *testing.T, seconds int) *model {
	t.Helper()
	p, err := newPlayer(storedRun(t, seconds))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.close)
	m := newModel(NewTheme(termenv.Ascii, true), Control{})
	m.player, m.stage, m.speed = p, replay, 10
	m.now = (&fakeClock{step: 100 * time.Millisecond}).look
	m.Init()
	m.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
	return m
}

// A replay that went to its end, by whatever way, shows what the live run showed.
func TestReplayShowsWhatTheRunShowed(t *testing.T) {
	live, feed := liveModel(40, time.Second, Control{})
	feed.End(sampleSummary(40))
	live.Update(changedMsg{})
	m := replayModel(t, 40)
	press(m, "end", "home", "right", "left", "shift+right", "end", "c")
	if !m.player.over() || m.view.now != live.view.now {
		t.Fatalf("the replay is at %v, over %v", m.view.now, m.player.over())
	}
	for screen := range numScreens {
		l, theme := look{screen: screen, window: allTime}, NewTheme(termenv.Ascii, true)
		a, b := feed.view(true), m.player.view(true)
		if x, y := render(a, l, &a.total, 120, 40, theme), render(b, l, &b.total, 120, 40, theme); x != y && screen != logScreen {
			t.Errorf("%s: live\n%s\nreplayed\n%s", titles[screen].long, x, y)
		}
	}
}

func TestReplayGoesOnWithTime(t *testing.T) {
	p, err := newPlayer(storedRun(t, 40))
	if err != nil {
		t.Fatal(err)
	}
	now := time.Unix(0, 0)
	p.advance(now, false, 10)
	if changed := p.advance(now.Add(50*time.Millisecond), false, 10); changed || p.at != 500*time.Millisecond {
		t.Errorf("after 50 ms at ten times: at %v, changed %v", p.at, changed)
	}
	if changed := p.advance(now.Add(1050*time.Millisecond), false, 10); !changed || p.at != 10500*time.Millisecond || p.view(true).now != 10*time.Second {
		t.Errorf("a second later: at %v, shows %v", p.at, p.view(true).now)
	}
	if changed := p.advance(now.Add(9*time.Second), true, 10); changed || p.at != 10500*time.Millisecond {
		t.Errorf("paused: at %v", p.at)
	}
	p.seek(-time.Second)
	if p.at != 0 || p.view(true).now != 0 {
		t.Errorf("before the start: at %v", p.at)
	}
	p.seek(time.Hour)
	if !p.over() || p.at != 40*time.Second || p.view(true).summary == nil {
		t.Errorf("after the end: at %v, over %v", p.at, p.over())
	}
}

func TestReplayOfNothing(t *testing.T) {
	if _, err := newPlayer(storedRun(t, 0)); err == nil {
		t.Error("a run without intervals is replayed")
	}
}

// A run of a day takes no more memory than its first hours.
func TestHistoryIsBounded(t *testing.T) {
	var h history
	var calls uint64
	for s := range 86_400 {
		p := &point{start: time.Duration(s) * time.Second, end: time.Duration(s+1) * time.Second, calls: 3, p99: 7}
		p.response = dist{{low: 5, high: 7, n: 3}}
		h.add(p)
		calls += p.calls
	}
	all := h.all()
	if len(all) > mostWhole || len(h.latest) > mostLatest || len(h.rest) > h.each {
		t.Errorf("%d points, %d latest, %d of %d to be joined", len(all), len(h.latest), len(h.rest), h.each)
	}
	var got uint64
	for i, p := range all {
		got += p.calls
		if i > 0 && p.start != all[i-1].end {
			t.Fatalf("point %d starts at %v, the one before it ends at %v", i, p.start, all[i-1].end)
		}
		if p.p99 != 7 || p.response.count() != p.calls {
			t.Fatalf("point %d: p99 %v of %d", i, p.p99, p.response.count())
		}
	}
	if got != calls {
		t.Errorf("%d calls, want %d", got, calls)
	}
}
