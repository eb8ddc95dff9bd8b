package chart

import (
	"fmt"
	"math"
	"strings"
)

// Heat is a map of how much there is where.
type Heat struct {
	ID         string
	Title, Alt string
	X, Y       Axis
	Cells      []HeatCell
	Spans      []Span
	Unit       string                 // of the values, for the legend
	Format     func(v float64) string // of a value, for the legend
}

// HeatCell is a rectangle with its value; without one above 0 it is left blank.
type HeatCell struct{ FromX, ToX, FromY, ToY, Value float64 }

// shades is how many are told apart.
const shades = 6

// SVG draws the map. Shades are steps of equal ratio between the least and the greatest
// value.
func (h Heat) SVG() string {
	var xs, ys []float64
	least, most := math.Inf(1), 0.0
	for _, one := range h.Cells {
		if one.drawn() {
			least, most = min(least, one.Value), max(most, one.Value)
		}
		xs, ys = append(xs, one.FromX, one.ToX), append(ys, one.FromY, one.ToY)
	}
	var body canvas
	above := body.legend(h.keys(least, most), top) + 6
	if h.Y.Label != "" {
		above += row
	}
	bottom := above + plotHeight
	across, up := body.frame(h.X, h.Y, xs, ys, above, bottom)
	var by [shades]strings.Builder
	for _, one := range h.Cells {
		if !one.drawn() {
			continue
		}
		x0, x1 := across.clip(one.FromX), across.clip(one.ToX)
		y0, y1 := up.clip(one.FromY), up.clip(one.ToY)
		fmt.Fprintf(&by[shade(one.Value, least, most)], "M%sH%sV%sH%sz", point(x0, y0), number(x1), number(y1), number(x0))
	}
	for i := range by {
		body.path("h"+fmt.Sprint(i+1), by[i].String())
	}
	for _, s := range h.Spans {
		body.span(s, &across, above, bottom)
	}
	height := bottom + 24
	if h.X.Label != "" {
		height += 16
	}
	var c canvas
	c.begin(h.ID, h.Title, h.Alt, height)
	c.WriteString(body.String())
	return c.end()
}

// drawn tells whether there is something where the cell can be.
func (c *HeatCell) drawn() bool {
	return c.Value >= 1e-100 && finite(c.Value) && finite(c.FromX) && finite(c.ToX) && finite(c.FromY) && finite(c.ToY)
}

func shade(v, least, most float64) int {
	if !(most > least) {
		return shades - 1
	}
	return min(int(shades*math.Log(v/least)/math.Log(most/least)), shades-1)
}

// keys say from which value on each shade is.
func (h *Heat) keys(least, most float64) (keys []key) {
	if !(most > 0) {
		return nil
	}
	text := h.Format
	if text == nil {
		text = func(v float64) string { return fmt.Sprintf("%.3g", v) }
	}
	last := ""
	for i := range shades {
		if !(most > least) && i < shades-1 {
			continue
		}
		from := least * math.Pow(most/least, float64(i)/shades)
		name := text(math.Ceil(from - 1e-9))
		if name == last {
			continue // no whole number is in it
		}
		last = name
		if len(keys) == 0 && h.Unit != "" {
			name = h.Unit + " from " + name
		}
		keys = append(keys, key{name, func(c *canvas, x, y float64) {
			c.path("h"+fmt.Sprint(i+1), fmt.Sprintf("M%sh12v10h-12z", point(x+6, y-5)))
		}})
	}
	return keys
}
