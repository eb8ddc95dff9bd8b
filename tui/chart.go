package tui

import (
	"math"
)

var (
	across  = [...]string{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"}
	upwards = [...]string{"", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"}
	shades  = [...]string{"░", "▒", "▓", "█"}
)

// bar draws a share from 0 to 1 of w columns, to an eighth of a column. What is
// not nothing is seen.
func bar(c canvas, x, y, w int, share float64, full, empty style) {
	eighths := int(math.Round(min(max(share, 0), 1) * float64(8*w)))
	if share > 0 {
		eighths = max(eighths, 1)
	}
	for i := range w {
		switch e := min(max(eighths-8*i, 0), 8); {
		case e > 0:
			c.put(x+i, y, across[e], full)
		default:
			c.put(x+i, y, "·", empty)
		}
	}
}

// column draws a share from 0 to 1 of the canvas's height at column x, to an
// eighth of a row. What is not nothing is seen.
func column(c canvas, x int, share float64, st style) {
	eighths := int(math.Round(min(max(share, 0), 1) * float64(8*c.h)))
	if share > 0 {
		eighths = max(eighths, 1)
	}
	for row := range c.h {
		if e := min(max(eighths-8*row, 0), 8); e > 0 {
			c.put(x, c.h-1-row, upwards[e], st)
		}
	}
}

// spark draws one column a value, in one row or more, the greatest of them reaching
// the top. NaN is a gap.
func spark(c canvas, values []float64, st style) {
	most := 0.0
	for _, v := range values {
		if v > most {
			most = v
		}
	}
	for x, v := range values {
		if !math.IsNaN(v) && most > 0 {
			column(c, x, v/most, st)
		}
	}
}

// curves draws series in braille, two dots a column and four a row. Where two meet
// the later one gives the colour.
type curves struct {
	canvas
	dots []byte
}

func newCurves(c canvas) curves { return curves{c, make([]byte, c.w*c.h)} }

// dotBits are the bits of a braille character by column and row of its dots.
var dotBits = [2][4]byte{{0x01, 0x02, 0x04, 0x40}, {0x08, 0x10, 0x20, 0x80}}

// dot draws one dot; x counts half columns from the left, y quarter rows from the top.
func (c *curves) dot(x, y int, st style) {
	if x < 0 || y < 0 || x >= 2*c.w || y >= 4*c.h {
		return
	}
	i := y/4*c.w + x/2
	c.dots[i] |= dotBits[x%2][y%4]
	c.put(x/2, y/4, string(rune(0x2800+int(c.dots[i]))), st)
}

// line draws shares of the height from 0, at the bottom, to 1, each as wide as
// across half columns; NaN is a gap.
func (c *curves) line(values []float64, across float64, st style) {
	last := -1
	at := func(v float64) int { return int(math.Round((1 - min(max(v, 0), 1)) * float64(4*c.h-1))) }
	for i, v := range values {
		from, to := int(float64(i)*across), int(float64(i+1)*across)
		if math.IsNaN(v) {
			last = -1
			continue
		}
		y := at(v)
		if last >= 0 && last != y { // join it to the one before
			step := 1
			if y < last {
				step = -1
			}
			for j := last + step; j != y; j += step {
				c.dot(from, j, st)
			}
		}
		for x := from; x < max(to, from+1); x++ {
			c.dot(x, y, st)
		}
		last = y
	}
}

// axisBelow draws a scale's axis in row y and its labels in row y+1.
func axisBelow(c canvas, y int, s logScale) {
	for x := range c.w {
		c.put(x, y, "─", in(dim))
	}
	for _, t := range s.ticks() {
		mark := "╵"
		if t.major {
			mark = "┴"
		}
		c.put(s.step(t.us), y, mark, in(dim))
	}
	taken := make([]bool, c.w)
	for _, major := range [...]bool{true, false} {
		for _, t := range s.ticks() {
			if t.major == major {
				label(c, y+1, s.step(t.us), tickWord(t.us), taken, in(dim))
			}
		}
	}
}

// label draws a word under or over column x where there is room for it.
func label(c canvas, y, x int, word string, taken []bool, st style) bool {
	w := width(word)
	from := min(max(x-w/2, 0), c.w-w)
	if from < 0 {
		return false
	}
	for i := max(from-1, 0); i < min(from+w+1, c.w); i++ {
		if taken[i] {
			return false
		}
	}
	for i := from; i < from+w; i++ {
		taken[i] = true
	}
	c.text(from, y, word, st)
	return true
}

// axisLeft draws a scale from the bottom of c to its top in its first columns, the
// line in the last of them.
func axisLeft(c canvas, s logScale) {
	for y := range c.h {
		c.put(c.w-1, y, "│", in(dim))
	}
	taken := make([]bool, c.h)
	for _, major := range [...]bool{true, false} {
		for _, t := range s.ticks() {
			y := c.h - 1 - int(s.at(t.us)*float64(c.h)/float64(s.n))
			if t.us >= s.high*0.999 {
				y = 0
			}
			y = max(y, 0)
			if t.major != major || taken[y] || y > 0 && taken[y-1] || y+1 < c.h && taken[y+1] {
				continue
			}
			taken[y] = true
			c.put(c.w-1, y, "┤", in(dim))
			c.right(c.w-2, y, tickWord(t.us), in(dim))
		}
	}
}

// heading draws a panel's title over a thin line, and gives what is below it. note
// stands at the line's right end.
func heading(c canvas, title, note string) canvas {
	for x := range c.w {
		c.put(x, 0, "─", in(track))
	}
	x := c.text(0, 0, fit(title, c.w), in(accent).bold())
	c.put(x, 0, " ", style{})
	if room := c.w - x - 2; note != "" && room >= 4 {
		note = fit(note, room)
		c.put(c.w-width(note)-1, 0, " ", style{})
		c.right(c.w, 0, note, in(dim))
	}
	return c.rows(1, c.h-1)
}
