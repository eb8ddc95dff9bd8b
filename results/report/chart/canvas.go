package chart

import (
	"fmt"
	"html"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The size of every picture, in its own units; the page scales it.
const (
	width  = 480
	top    = 8.0
	right  = 14.0
	letter = 6.7 // about the width of a letter
	row    = 16.0
)

// canvas is a picture that is being drawn.
type canvas struct{ strings.Builder }

// begin writes what comes before the drawing. id must be the page's only one.
func (c *canvas) begin(id, title, alt string, height float64) {
	fmt.Fprintf(c, `<svg class="chart" viewBox="0 0 %d %s" role="img" aria-labelledby="%s-t %s-d"><title id="%s-t">%s</title><desc id="%s-d">%s</desc>`,
		width, number(height), id, id, id, escape(title), id, escape(alt))
}

func (c *canvas) end() string {
	c.WriteString("</svg>")
	return c.String()
}

// path draws with a class; nothing where there is nothing to draw.
func (c *canvas) path(class, d string) {
	if d != "" {
		fmt.Fprintf(c, `<path class="%s" d="%s"/>`, class, d)
	}
}

// text writes at a place; anchor is start, middle or end.
func (c *canvas) text(x, y float64, anchor, class, text string) {
	fmt.Fprintf(c, `<text x="%s" y="%s"`, number(x), number(y))
	if anchor != "start" {
		fmt.Fprintf(c, ` text-anchor="%s"`, anchor)
	}
	if class != "" {
		fmt.Fprintf(c, ` class="%s"`, class)
	}
	fmt.Fprintf(c, `>%s</text>`, escape(text))
}

// number writes a coordinate to a tenth.
func number(v float64) string {
	return strconv.FormatFloat(math.Round(v*10)/10+0, 'f', -1, 64)
}

func point(x, y float64) string { return number(x) + " " + number(y) }

// escape makes text fit for XML.
func escape(text string) string {
	clean := strings.Map(func(r rune) rune {
		if r < 0x20 || r == 0xfffe || r == 0xffff {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "\ufffd"))
	return html.EscapeString(clean)
}

// wide is about how much room a text takes.
func wide(text string) float64 { return letter * float64(utf8.RuneCountInString(text)) }

// fit cuts a text to a room.
func fit(text string, room float64) string {
	if wide(text) <= room {
		return text
	}
	most := max(int(room/letter)-1, 1)
	return string([]rune(text)[:min(most, utf8.RuneCountInString(text))]) + "…"
}

// frame draws the axes with their labels and gives the scales. bottom is where the x
// axis lies.
func (c *canvas) frame(x, y Axis, xs, ys []float64, above, bottom float64) (across, up scale) {
	up = y.scale(ys, bottom, above)
	left := 0.0
	for _, t := range up.ticks() {
		left = max(left, wide(t.Label))
	}
	left = max(left+10, 30)
	across = x.scale(xs, left, width-right)
	var taken []float64
	var grid strings.Builder
	for _, minor := range []bool{false, true} {
		for _, t := range up.ticks() {
			at := up.at(t.At)
			if t.minor != minor || slices.ContainsFunc(taken, func(o float64) bool { return math.Abs(o-at) < 14 }) {
				continue
			}
			fmt.Fprintf(&grid, "M%sH%s", point(left, at), number(width-right))
			c.text(left-6, at+4, "end", "", t.Label)
			taken = append(taken, at)
		}
	}
	c.path("grid", grid.String())
	c.path("axis", fmt.Sprintf("M%sV%sH%s", point(left, above), number(bottom), number(width-right)))
	c.below(&across, bottom)
	if y.Label != "" {
		c.text(2, above-7, "start", "", y.Label)
	}
	return across, up
}

// below labels the x axis.
func (c *canvas) below(across *scale, bottom float64) {
	var marks strings.Builder
	var taken [][2]float64
	for _, minor := range []bool{false, true} {
		for _, t := range across.ticks() {
			if t.minor != minor {
				continue
			}
			at, half := across.at(t.At), wide(t.Label)/2
			fmt.Fprintf(&marks, "M%sv4", point(at, bottom))
			begin := min(at-half, width-2*half)
			if slices.ContainsFunc(taken, func(o [2]float64) bool { return begin < o[1]+6 && o[0] < begin+2*half+6 }) {
				continue
			}
			if at+half > width {
				c.text(width, bottom+17, "end", "", t.Label)
			} else {
				c.text(at, bottom+17, "middle", "", t.Label)
			}
			taken = append(taken, [2]float64{begin, begin + 2*half})
		}
	}
	c.path("axis", marks.String())
	if across.Label != "" {
		c.text((across.start+across.end)/2, bottom+34, "middle", "", across.Label)
	}
}

// key is one entry of a legend.
type key struct {
	name  string
	shape func(c *canvas, x, y float64) // draws the sample left of the name, 18 wide
}

// legend writes the keys in rows from y on and gives where it ends.
func (c *canvas) legend(keys []key, y float64) float64 {
	x := 2.0
	for i, k := range keys {
		name := fit(k.name, width-40)
		room := 24 + wide(name) + 12
		if i > 0 && x+room > width {
			x, y = 2, y+row
		}
		k.shape(c, x, y+7)
		c.text(x+23, y+11, "start", "name", name)
		x += room
	}
	if len(keys) > 0 {
		y += row
	}
	return y
}
