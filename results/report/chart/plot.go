package chart

import (
	"fmt"
	"strings"
)

// Plot is a picture of series over two axes.
type Plot struct {
	ID         string // the page's only one: letters, digits and dashes
	Title, Alt string // Alt says what there is to see
	X, Y       Axis
	Series     []Series
	Spans      []Span
	Levels     []Level
}

// Series is a line, or marks, or both.
type Series struct {
	Name   string
	Colour int // 0 to 5
	Points []Point
	Line   bool
	Marks  bool
	Steps  bool // the line keeps a value up to the next one
	Thin   bool // the line is one of less certain values
	Hollow bool // marks are outlines
}

// Point is one value. Low and High are the ends of its interval where Ends is set; Name
// stands beside its mark.
type Point struct {
	X, Y      float64
	Low, High float64
	Ends      bool
	Name      string
}

// Span is a stretch of the x axis, shaded or bounded by lines.
type Span struct {
	From, To float64
	Name     string
	Shaded   bool
}

// Level is a value of y with a name, or of x where Upright is set.
type Level struct {
	At      float64
	Name    string
	Upright bool
}

const plotHeight = 200

// SVG draws the plot.
func (p Plot) SVG() string {
	var body canvas
	above := body.legend(p.keys(), top)
	if p.Y.Label != "" {
		above += row
	}
	above += 6
	bottom := above + plotHeight
	height := bottom + 24
	if p.X.Label != "" {
		height += 16
	}
	xs, ys := p.values()
	across, up := body.frame(p.X, p.Y, xs, ys, above, bottom)
	for _, s := range p.Spans {
		body.span(s, &across, above, bottom)
	}
	for _, s := range p.Series {
		body.series(s, &across, &up)
	}
	for _, l := range p.Levels {
		body.level(l, &across, &up)
	}
	var c canvas
	c.begin(p.ID, p.Title, p.Alt, height)
	c.WriteString(body.String())
	return c.end()
}

// keys are the legend's: none for a single series, whose name is the title's matter.
func (p *Plot) keys() (keys []key) {
	if len(p.Series) < 2 {
		return nil
	}
	for _, s := range p.Series {
		if s.Name == "" {
			continue
		}
		keys = append(keys, key{s.Name, func(c *canvas, x, y float64) {
			if s.Line {
				c.path(s.stroke(), fmt.Sprintf("M%sh18", point(x, y)))
			}
			if s.Marks {
				c.path(s.fill(), mark(s.Colour, x+9, y))
			}
		}})
	}
	return keys
}

func (p *Plot) values() (xs, ys []float64) {
	for _, s := range p.Series {
		for _, q := range s.Points {
			xs, ys = append(xs, q.X), append(ys, q.Y)
			if q.Ends {
				ys = append(ys, q.Low, q.High)
			}
		}
	}
	for _, l := range p.Levels {
		if l.Upright {
			xs = append(xs, l.At)
		} else {
			ys = append(ys, l.At)
		}
	}
	return xs, ys
}

func (s *Series) stroke() string {
	class := "line c" + fmt.Sprint(s.Colour%6)
	switch {
	case s.Thin:
		class += " thin"
	case s.Colour%4 > 0:
		class += " dash" + fmt.Sprint(s.Colour%4)
	}
	return class
}

func (s *Series) fill() string {
	class := "mark"
	if s.Hollow {
		class = "hollow"
	}
	return class + " c" + fmt.Sprint(s.Colour%6)
}

func (c *canvas) series(s Series, across, up *scale) {
	if s.Line {
		c.path(s.stroke(), s.path(across, up))
	}
	var whiskers, marks strings.Builder
	for _, p := range s.Points {
		if !finite(p.X) || !finite(p.Y) {
			continue
		}
		x, y := across.clip(p.X), up.clip(p.Y)
		if p.Ends && finite(p.Low) && finite(p.High) {
			low, high := up.clip(p.Low), up.clip(p.High)
			fmt.Fprintf(&whiskers, "M%sV%sM%sh6M%sh6", point(x, low), number(high), point(x-3, low), point(x-3, high))
		}
		if s.Marks {
			marks.WriteString(mark(s.Colour, x, y))
		}
		if p.Name == "" {
			continue
		}
		if x > width-right-wide(p.Name)-8 {
			c.text(x-7, y-5, "end", "name", p.Name)
		} else {
			c.text(x+7, y-5, "start", "name", p.Name)
		}
	}
	c.path("whisker c"+fmt.Sprint(s.Colour%6), whiskers.String())
	c.path(s.fill(), marks.String())
}

// path is the series' line, broken where a value is missing.
func (s *Series) path(across, up *scale) string {
	var b strings.Builder
	pen := false
	for _, p := range s.Points {
		if !finite(p.X) || !finite(p.Y) {
			pen = false
			continue
		}
		x, y := across.clip(p.X), up.clip(p.Y)
		switch {
		case !pen:
			b.WriteString("M" + point(x, y))
		case s.Steps:
			fmt.Fprintf(&b, "H%sV%s", number(x), number(y))
		default:
			b.WriteString("L" + point(x, y))
		}
		pen = true
	}
	return b.String()
}

// mark is a small shape: a disc, a square, a diamond or a triangle.
func mark(colour int, x, y float64) string {
	switch colour % 4 {
	case 1:
		return fmt.Sprintf("M%sh6v6h-6z", point(x-3, y-3))
	case 2:
		return fmt.Sprintf("M%sl4 4l-4 4l-4-4z", point(x, y-4))
	case 3:
		return fmt.Sprintf("M%sl4 7h-8z", point(x, y-4))
	}
	return fmt.Sprintf("M%sa3.4 3.4 0 1 0 6.8 0a3.4 3.4 0 1 0 -6.8 0z", point(x-3.4, y))
}

func (c *canvas) span(s Span, across *scale, above, bottom float64) {
	from, to := across.clip(s.From), across.clip(s.To)
	if !(to > from) {
		return
	}
	if s.Shaded {
		c.path("span", fmt.Sprintf("M%sH%sV%sH%sz", point(from, above), number(to), number(bottom), number(from)))
	} else {
		c.path("bound", fmt.Sprintf("M%sV%s", point(from, above), number(bottom)))
	}
	if name := fit(s.Name, to-from-8); s.Name != "" && to-from > 5*letter {
		c.text(from+4, above+11, "start", "", name)
	}
}

func (c *canvas) level(l Level, across, up *scale) {
	if !finite(l.At) {
		return
	}
	if l.Upright {
		x := across.clip(l.At)
		c.path("level", fmt.Sprintf("M%sV%s", point(x, up.end), number(up.start)))
		if x > (across.start+across.end)/2 {
			c.text(x-4, up.end+11, "end", "name", l.Name)
		} else {
			c.text(x+4, up.end+11, "start", "name", l.Name)
		}
		return
	}
	y := up.clip(l.At)
	c.path("level", fmt.Sprintf("M%sH%s", point(across.start, y), number(across.end)))
	below := y - 4
	if below < up.end+10 {
		below = y + 12
	}
	c.text(across.start+4, below, "start", "name", l.Name)
}
