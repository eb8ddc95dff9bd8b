package chart

import "fmt"

// Forest shows estimates with their intervals, one below the other, on one axis.
type Forest struct {
	ID         string
	Title, Alt string
	X          Axis
	Rows       []ForestRow
	Reference  float64 // has an upright line
}

// ForestRow is one estimate. Text stands beside its name.
type ForestRow struct {
	Name, Text       string
	Value, Low, High float64
	Colour           int
}

const forestRow = 34.0

// SVG draws the rows.
func (f Forest) SVG() string {
	var c canvas
	bottom := top + forestRow*float64(len(f.Rows)) + 4
	height := bottom + 24
	if f.X.Label != "" {
		height += 16
	}
	c.begin(f.ID, f.Title, f.Alt, height)
	xs := []float64{f.Reference}
	for _, r := range f.Rows {
		xs = append(xs, r.Value, r.Low, r.High)
	}
	across := f.X.scale(xs, 12, width-12)
	c.path("axis", fmt.Sprintf("M%sH%s", point(across.start, bottom), number(across.end)))
	c.below(&across, bottom)
	at := across.clip(f.Reference)
	c.path("level", fmt.Sprintf("M%sV%s", point(at, top), number(bottom)))
	for i, r := range f.Rows {
		y := top + forestRow*float64(i)
		c.text(2, y+11, "start", "name", fit(r.Name, width-wide(r.Text)-20))
		c.text(width-2, y+11, "end", "", r.Text)
		class := fmt.Sprintf(" c%d", r.Colour%6)
		if !finite(r.Value) {
			continue
		}
		if finite(r.Low) && finite(r.High) {
			c.path("whisker"+class, fmt.Sprintf("M%sH%sM%sv8M%sv8", point(across.clip(r.Low), y+22), number(across.clip(r.High)), point(across.clip(r.Low), y+18), point(across.clip(r.High), y+18)))
		}
		c.path("mark"+class, mark(r.Colour, across.clip(r.Value), y+22))
	}
	return c.end()
}
