package tui

import (
	"strings"

	"github.com/rivo/uniseg"
)

// canvas is a part of a window: a rectangle of character cells. What is drawn
// outside of it is cut off, so that nothing drawn can be too large.
type canvas struct {
	*grid
	x, y int // of its upper left corner in the grid
	w, h int
}

type grid struct {
	w, h  int
	cells []cell
}

// cell holds what is drawn from its column on; "" is a space. The cell to the
// right of a wide character is its tail.
type cell struct {
	s    string
	tail bool
	style
}

func newCanvas(w, h int) canvas {
	w, h = max(w, 0), max(h, 0)
	return canvas{grid: &grid{w: w, h: h, cells: make([]cell, w*h)}, w: w, h: h}
}

// part gives the part of c that starts at x, y and is so large at most.
func (c canvas) part(x, y, w, h int) canvas {
	x, y = min(max(x, 0), c.w), min(max(y, 0), c.h)
	w, h = min(max(w, 0), c.w-x), min(max(h, 0), c.h-y)
	return canvas{grid: c.grid, x: c.x + x, y: c.y + y, w: w, h: h}
}

// rows gives the part from row y on, h rows high.
func (c canvas) rows(y, h int) canvas { return c.part(0, y, c.w, h) }

// put draws a character one column wide.
func (c canvas) put(x, y int, s string, st style) {
	if x < 0 || x >= c.w || y < 0 || y >= c.h {
		return
	}
	c.free(x, y)
	c.cells[(c.y+y)*c.grid.w+c.x+x] = cell{s: s, style: st}
}

// free takes away a wide character that reaches into the cell.
func (c canvas) free(x, y int) {
	row := c.cells[(c.y+y)*c.grid.w:][:c.grid.w]
	at := c.x + x
	if row[at].tail && at > 0 {
		row[at-1].s = ""
	}
	if at+1 < len(row) && row[at+1].tail {
		row[at+1].tail = false
	}
}

// text draws s from x on and gives the column after it. Control characters have
// no place in it: text of others is escaped first.
func (c canvas) text(x, y int, s string, st style) int {
	if y < 0 || y >= c.h {
		return x + width(s)
	}
	for state := -1; s != ""; {
		if b := s[0]; b >= ' ' && b < 0x7f && (len(s) == 1 || s[1] < 0x80) {
			c.put(x, y, s[:1], st)
			s, x, state = s[1:], x+1, -1
			continue
		}
		var cluster string
		var w int
		cluster, s, w, state = uniseg.FirstGraphemeClusterInString(s, state)
		switch {
		case w == 0 || cluster[0] < ' ':
			continue
		case w == 1:
			c.put(x, y, cluster, st)
		case x >= 0 && x+w <= c.w:
			for i := range w {
				c.put(x+i, y, "", st)
			}
			for i := 1; i < w; i++ {
				c.cells[(c.y+y)*c.grid.w+c.x+x+i].tail = true
			}
			c.cells[(c.y+y)*c.grid.w+c.x+x].s = cluster
		}
		x += w
	}
	return x
}

// right draws s so that it ends before column x.
func (c canvas) right(x, y int, s string, st style) { c.text(x-width(s), y, s, st) }

// width is how many columns s takes.
func width(s string) int {
	if ascii(s) {
		return len(s)
	}
	return uniseg.StringWidth(s)
}

// ascii tells that every byte of s is one column wide.
func ascii(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// fit cuts s to w columns.
func fit(s string, w int) string {
	if w <= 0 {
		return ""
	}
	if ascii(s) {
		if len(s) <= w {
			return s
		}
		return s[:w-1] + "…"
	}
	if width(s) <= w {
		return s
	}
	var b strings.Builder
	for used, state := 0, -1; s != ""; {
		var cluster string
		var cw int
		cluster, s, cw, state = uniseg.FirstGraphemeClusterInString(s, state)
		if used+cw > w-1 {
			break
		}
		b.WriteString(cluster)
		used += cw
	}
	return b.String() + "…"
}

// render gives the grid's rows, as the theme shows them. No row is wider than the grid.
func (g *grid) render(t *Theme) string {
	b := make([]byte, 0, g.w*g.h*2)
	for y := range g.h {
		if y > 0 {
			b = append(b, '\n')
		}
		row := g.cells[y*g.w:][:g.w]
		end := len(row)
		for end > 0 && row[end-1].s == "" && !row[end-1].tail && t.bg[row[end-1].bg] == "" && row[end-1].attr&reverse == 0 {
			end--
		}
		var now style
		for _, c := range row[:end] {
			if c.tail {
				continue
			}
			st := t.shown(c.style)
			if (c.s == "" || c.s == " ") && alike(st, now) { // the same space in either
				st = now
			}
			if st != now {
				if st == (style{}) {
					b = append(b, "\x1b[0m"...)
				} else {
					b = t.appendSGR(b, st)
				}
				now = st
			}
			if c.s == "" {
				b = append(b, ' ')
			} else {
				b = append(b, c.s...)
			}
		}
		if now != (style{}) {
			b = append(b, "\x1b[0m"...)
		}
	}
	return string(b)
}

// alike tells whether a space looks the same in both styles.
func alike(a, b style) bool {
	const seen = reverse | underline
	return a.bg == b.bg && a.attr&seen == b.attr&seen && (a.attr&reverse == 0 || a.fg == b.fg)
}
