package tui

import (
	"strings"

	"volley/results"
)

// screens are what the keys 1 to 6 show.
const (
	overview = iota
	heatMap
	nodeScreen
	breakdown
	generatorScreen
	logScreen
	numScreens
)

var titles = [numScreens]struct{ long, short string }{
	{"Overview", "Over"}, {"Heat map", "Heat"}, {"Node", "Node"}, {"Breakdown", "Brk"}, {"Generator", "Gen"}, {"Log", "Log"},
}

// look is what a person chose to see, and how.
type look struct {
	screen  int
	window  int // into windows
	help    bool
	sort    int // column of the breakdown
	scroll  int // lines from the log's end, or rows from the breakdown's start
	stage   stage
	frozen  bool
	speed   float64 // of a replay
	paused  bool    // a replay
	rates   bool    // the rate can be changed
	leaving bool    // told to drain and leave
	message string  // in place of the keys, for a while
}

// stage is what a screen's data come from.
type stage int

const (
	live   stage = iota
	ended        // live, and over
	replay       // a stored run
)

// Sizes below which a screen gives numbers alone.
const (
	leastWidth  = 40
	leastHeight = 12
)

// render draws a window of that size. No line is wider, and there are no more lines.
func render(v *view, l look, f *figures, w, h int, t *Theme) string {
	if w <= 0 || h <= 0 {
		return ""
	}
	c := newCanvas(w, h)
	if w < leastWidth || h < leastHeight {
		drawNumbers(c, v, l, f)
		return c.render(t)
	}
	drawHeader(c.rows(0, 1), v, l)
	drawTabs(c.rows(1, 1), v, l, t)
	drawFooter(c.rows(h-1, 1), v, l)
	body := c.rows(2, h-3)
	switch {
	case l.help:
		drawHelp(body, l)
	case l.screen == overview:
		drawOverview(body, v, l, f)
	case l.screen == heatMap:
		drawHeat(body, v, l, t)
	case l.screen == nodeScreen:
		drawNode(body, v, l)
	case l.screen == breakdown:
		drawBreakdown(body, v, l, f)
	case l.screen == generatorScreen:
		drawGenerator(body, v, l, f)
	case l.screen == logScreen:
		drawLog(body, v, l)
	}
	return c.render(t)
}

// leastName is the least room for the run's name in the first line.
const leastName = 12

func drawHeader(c canvas, v *view, l look) {
	word, st := stateWord(v, l)
	times := clock(v.now)
	if total := v.span(); total > 0 && l.stage != ended {
		times += " of " + clock(total)
	}
	parts := [...]struct {
		s    string
		st   style
		rank int // by which they get their room
	}{{word, st, 0}, {windowWord(v, l), in(dim), 2}, {times, style{}, 1}}
	room := c.w - leastName
	var shown [len(parts)]bool
	for rank := range parts {
		for i, part := range parts {
			if w := width(part.s) + 2; part.rank == rank && w <= room {
				shown[i], room = true, room-w
			}
		}
	}
	x := c.w
	for i := len(parts) - 1; i >= 0; i-- {
		if shown[i] {
			x -= width(parts[i].s)
			c.text(x, 0, parts[i].s, parts[i].st)
			x -= 2
		}
	}
	name := results.Escape(v.meta.Name)
	if name == "" {
		name = "(no name)"
	}
	at := c.text(0, 0, "volley", in(accent).bold())
	at = c.text(at+1, 0, fit(name, x-at-1), style{attr: bold})
	if node := nodeWord(v); x-at-2 >= 16 {
		c.text(at+2, 0, fit(node, x-at-2), in(dim))
	}
}

func nodeWord(v *view) string {
	switch {
	case v.meta.Bundled:
		return "bundled " + results.Escape(v.meta.Dialect) + " node"
	case v.meta.URL != "":
		return results.Escape(v.meta.URL)
	}
	return "node over stdio"
}

func windowWord(v *view, l look) string {
	switch {
	case l.screen == nodeScreen:
		return "whole run" // as far as scrapes bound it
	case l.window != allTime:
		return "last " + windows[l.window].name
	case v.measuring:
		return "all measured"
	}
	return "all so far"
}

func stateWord(v *view, l look) (string, style) {
	switch {
	case l.frozen:
		return "■ frozen", in(caution).bold()
	case l.stage == replay && v.summary != nil:
		return endWord(v.summary)
	case l.stage == replay && l.paused:
		return "■ paused", in(caution).bold()
	case l.stage == replay:
		return "▶ replay x" + results.Number(l.speed), in(accent).bold()
	case l.stage == ended:
		return endWord(v.summary)
	case l.leaving || v.current >= len(v.meta.Phases) && len(v.meta.Phases) > 0:
		return "● draining", in(caution).bold()
	}
	return "● live", in(good).bold()
}

func endWord(s *results.Summary) (string, style) {
	switch {
	case s == nil:
		return "■ over", in(dim)
	case s.Status == results.Void:
		return "■ VOID", in(bad).bold()
	case s.Status == results.Finished && s.Failures() != "":
		return "■ finished, failures", in(bad).bold()
	case s.Status == results.Finished && s.ObjectivesMet():
		return "■ finished", in(good).bold()
	case s.Status == results.Finished:
		return "■ objective missed", in(bad).bold()
	}
	return "■ " + results.Escape(s.Status), in(caution).bold()
}

// span of a tab in the row of tabs.
type tabAt struct{ from, to int }

// placeTabs gives the words of the tabs and where they stand in a row w wide.
func placeTabs(w, notes int) (words [numScreens]string, at [numScreens]tabAt) {
	for _, short := range [...]bool{false, true} {
		x := 0
		for i, t := range titles {
			word := t.long
			if short {
				word = t.short
			}
			word = string(rune('1'+i)) + " " + word
			if i == logScreen && notes > 0 && !short {
				word += " (" + results.Number(float64(notes)) + ")"
			}
			words[i], at[i] = word, tabAt{x, x + len(word) + 2}
			if short {
				at[i].to--
			}
			x = at[i].to
		}
		if x <= w+1 {
			break
		}
	}
	return words, at
}

// notes is how many lines of the log are more than notes.
func notes(v *view) (n int) {
	for _, e := range v.log {
		if e.Kind != Note {
			n++
		}
	}
	return n
}

func drawTabs(c canvas, v *view, l look, t *Theme) {
	words, at := placeTabs(c.w, notes(v))
	for i, word := range words {
		st := in(dim)
		if i == l.screen {
			st = in(accent).bold().reverse()
		}
		x := at[i].from
		if at[i].to-at[i].from > len(word)+1 { // there is room for a margin
			c.put(x, 0, " ", st)
			x++
			if i == l.screen {
				c.put(x+len(word), 0, " ", st)
			}
		}
		c.text(x, 0, word, st)
		if i == l.screen && t.plain() {
			c.put(x-1, 0, "[", st)
			c.put(x+len(word), 0, "]", st)
		}
	}
}

func drawFooter(c canvas, v *view, l look) {
	if l.message != "" {
		c.text(0, 0, fit(l.message, c.w), in(caution).bold())
		return
	}
	x := 0
	for _, k := range hints(v, l) {
		w := width(k.keys) + 1 + width(k.what)
		if x+w > c.w {
			continue
		}
		at := c.text(x, 0, k.keys, style{attr: bold})
		c.text(at+1, 0, k.what, in(dim))
		x += w + 2
	}
}

// hint is a key and what it does.
type hint struct{ keys, what string }

// hints are the keys for the footer, the most needed first.
func hints(v *view, l look) []hint {
	quit := hint{"q", "drain and leave"}
	switch {
	case l.leaving:
		quit.what = "leave at once"
	case l.stage != live:
		quit.what = "leave"
	}
	all := []hint{{"?", "help"}, quit, {"1-6", "screens"}}
	switch l.screen {
	case breakdown:
		all = append(all, hint{"s", "sort"})
	case logScreen:
		all = append(all, hint{"up/down", "scroll"})
	}
	if l.stage == replay {
		all = append(all, hint{"space", "pause"}, hint{"left/right", "seek"}, hint{"+/-", "speed"})
	} else {
		all = append(all, hint{"f", "freeze"})
	}
	all = append(all, hint{"w", "window"}, hint{"c", "cumulative"})
	if l.rates && l.stage == live {
		all = append(all, hint{"+/-", "rate"})
	}
	return all
}

// drawHelp lists the keys.
func drawHelp(c canvas, l look) {
	c = heading(c, "Keys", "")
	rows := []hint{
		{"1 to 6, tab, shift-tab", "the screens; a click on a tab does it too"},
		{"w", "figures of the last 1 s, 10 s, 60 s, or of all"},
		{"c", "figures of all, and back"},
		{"s", "sort the breakdown by its next column"},
		{"up, down, page up, page down", "scroll the log and the breakdown"},
		{"?", "this list"},
	}
	switch l.stage {
	case replay:
		rows = append(rows,
			hint{"space", "pause, go on"}, hint{"left, right", "seek 5 s; with shift 30 s"},
			hint{"home, end", "to the start, to the end"}, hint{"+, -", "faster, slower"}, hint{"q", "leave"})
	default:
		rows = append(rows, hint{"f, space", "freeze the screen; the run goes on"})
		if l.rates {
			rows = append(rows, hint{"+, -", "the asked rate 10% up, down; it is recorded"})
		}
		rows = append(rows, hint{"q, ctrl-c", "stop sending, wait for answers due, leave; again: leave at once"})
	}
	rows = append(rows,
		hint{},
		hint{"response", "from when a call was due to its answer"},
		hint{"service", "from when it was sent"},
		hint{"lateness", "from when it was due until it was sent: the generator's own"},
		hint{"?", "after a percentile: too few calls, the true value may be greater; after an objective's: not proven"})
	column := min(30, c.w/2)
	y := 0
	for _, r := range rows {
		c.text(0, y, fit(r.keys, column-1), style{attr: bold})
		for _, line := range wrap(r.what, c.w-column) {
			c.text(column, y, line, style{})
			y++
		}
		if r.what == "" {
			y++
		}
	}
}

// wrap breaks words into lines at most w columns wide; what is longer is cut apart.
func wrap(s string, w int) (lines []string) {
	if w <= 0 {
		return nil
	}
	line := ""
	for _, word := range strings.Fields(s) {
		if line != "" && width(line)+1+width(word) <= w {
			line += " " + word
			continue
		}
		if line != "" {
			lines = append(lines, line)
		}
		for width(word) > w {
			head := strings.TrimSuffix(fit(word, w+1), "…")
			if head == "" || head == word || w == 1 {
				break
			}
			lines, word = append(lines, head), word[len(head):]
		}
		line = fit(word, w)
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}
