package chart

import (
	"fmt"
	"strings"
)

// Bars is a histogram: bars that stand side by side over a continuous x axis.
type Bars struct {
	ID         string
	Title, Alt string
	X, Y       Axis
	Bars       []Bar
	Levels     []Level
}

// Bar stands over From to To and is Y high.
type Bar struct{ From, To, Y float64 }

// SVG draws the histogram.
func (b Bars) SVG() string {
	var c canvas
	above := top + 6
	if b.Y.Label != "" {
		above += row
	}
	bottom := above + plotHeight
	height := bottom + 24
	if b.X.Label != "" {
		height += 16
	}
	c.begin(b.ID, b.Title, b.Alt, height)
	var xs, ys []float64
	for _, one := range b.Bars {
		xs, ys = append(xs, one.From, one.To), append(ys, one.Y)
	}
	for _, l := range b.Levels {
		xs = append(xs, l.At)
	}
	across, up := c.frame(b.X, b.Y, xs, ys, above, bottom)
	var d strings.Builder
	for _, one := range b.Bars {
		if !finite(one.Y) || !(one.Y > 0) || !finite(one.From) || !finite(one.To) {
			continue
		}
		from, to, y := across.clip(one.From), across.clip(one.To), up.clip(one.Y)
		y = min(y, bottom-1) // few are not none
		fmt.Fprintf(&d, "M%sV%sH%sV%sz", point(from, bottom), number(y), number(max(to-0.6, from+0.4)), number(bottom))
	}
	c.path("bar c0", d.String())
	for _, l := range b.Levels {
		c.level(l, &across, &up)
	}
	return c.end()
}

// Split is one bar that is cut into parts.
type Split struct {
	ID         string
	Title, Alt string
	Parts      []Part
}

// Part is as long as its value; Text says the value in words.
type Part struct {
	Name, Text string
	Value      float64
}

// SVG draws the bar, with the parts' names and values below it. Parts below 0 have no
// length.
func (s Split) SVG() string {
	var keys []key
	all := 0.0
	for _, p := range s.Parts {
		if finite(p.Value) {
			all += max(p.Value, 0)
		}
	}
	var bar canvas
	x, room := 2.0, float64(width)-4
	for i, p := range s.Parts {
		class := "bar c" + fmt.Sprint(i%6)
		name := p.Name
		if p.Text != "" {
			name += ": " + p.Text
		}
		keys = append(keys, key{name, func(c *canvas, x, y float64) {
			c.path(class, fmt.Sprintf("M%sh12v10h-12z", point(x+4, y-5)))
		}})
		if !finite(p.Value) || !(p.Value > 0) || !(all > 0) {
			continue
		}
		length := room * p.Value / all
		bar.path(class, fmt.Sprintf("M%sh%sv30h-%sz", point(x, top), number(max(length-1, 0.6)), number(max(length-1, 0.6))))
		x += length
	}
	end := bar.legend(keys, top+38)
	var c canvas
	c.begin(s.ID, s.Title, s.Alt, end+4)
	c.WriteString(bar.String())
	return c.end()
}
