//go:build ignore

// Svg turns what `tmux capture-pane -p -e` gives, on standard input, into an SVG
// picture on standard output. Blocks, shades and braille are drawn as shapes, so that
// no font leaves gaps between them.
//
//	go run docs/screen/svg.go <screen.ansi >screen.svg
package main

import (
	"bufio"
	"fmt"
	"html"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/rivo/uniseg"
)

// The size of a character cell, in the picture's units.
const (
	cellWidth  = 8.4
	cellHeight = 17.0
	fontSize   = 14.0
	margin     = 10.0
)

// The colours of a dark terminal: background, foreground, and the sixteen.
const (
	background = "#16181d"
	foreground = "#d8dae0"
)

var sixteen = [16]string{
	"#16181d", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#abb2bf",
	"#5c6370", "#ff7b86", "#b5e890", "#ffd68a", "#7cc4ff", "#e29bf5", "#74dbe6", "#ffffff",
}

type style struct {
	fg, bg                   string // "" for the terminal's own
	bold, reverse, underline bool
}

func main() {
	if err := convert(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "svg:", err)
		os.Exit(1)
	}
}

func convert(in io.Reader, out io.Writer) error {
	text, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	lines := strings.Split(strings.TrimRight(string(text), "\n"), "\n")
	var body strings.Builder
	widest := 0
	var st style
	for y, line := range lines {
		widest = max(widest, drawLine(&body, y, line, &st))
	}
	w := bufio.NewWriter(out)
	width, height := 2*margin+float64(widest)*cellWidth, 2*margin+float64(len(lines))*cellHeight
	fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.1f %.1f" width="%.0f" height="%.0f" font-family="'DejaVu Sans Mono','Menlo','Consolas','Liberation Mono',monospace" font-size="%.0f" xml:space="preserve">`+"\n",
		width, height, width, height, fontSize)
	fmt.Fprintf(w, `<rect width="100%%" height="100%%" rx="6" fill="%s"/>`+"\n%s</svg>\n", background, body.String())
	return w.Flush()
}

// drawLine draws one line and gives its width in columns. The style goes on into the
// next line, as in a terminal.
func drawLine(b *strings.Builder, y int, line string, st *style) int {
	x := 0
	run, from := "", 0
	flush := func() {
		drawRun(b, from, y, run, *st)
		run, from = "", x
	}
	for line != "" {
		if rest, ok := strings.CutPrefix(line, "\x1b["); ok {
			end := strings.IndexFunc(rest, func(r rune) bool { return r >= '@' && r <= '~' })
			if end < 0 {
				break
			}
			flush()
			if rest[end] == 'm' {
				st.set(rest[:end])
			}
			line = rest[end+1:]
			continue
		}
		if line[0] < ' ' { // such as the switch of character sets
			line = line[1:]
			continue
		}
		cluster, rest, w, _ := uniseg.FirstGraphemeClusterInString(line, -1)
		if shape := shapeOf([]rune(cluster)[0]); shape != nil || w != 1 {
			flush()
			if shape != nil && wide(shape) { // as many of them as follow are one
				for strings.HasPrefix(rest, cluster) {
					rest, w = rest[len(cluster):], w+1
				}
				for i := range shape {
					shape[i].w = float64(w)
				}
			}
			drawCell(b, x, y, cluster, w, shape, *st)
			x += w
			from = x
		} else {
			run += cluster
			x += w
		}
		line = rest
	}
	flush()
	return x
}

func (st *style) colours() (fg, bg string) {
	fg, bg = st.fg, st.bg
	if fg == "" {
		fg = foreground
	}
	if st.reverse {
		if bg == "" {
			bg = background
		}
		fg, bg = bg, fg
	}
	return fg, bg
}

func drawRun(b *strings.Builder, x, y int, run string, st style) {
	columns := uniseg.StringWidth(run)
	if columns == 0 {
		return
	}
	fg, bg := st.colours()
	if bg != "" {
		rect(b, float64(x), float64(y), float64(columns), 1, bg, 1)
	}
	weight := ""
	if st.bold {
		weight = ` font-weight="bold"`
	}
	for run != "" { // word by word: spaces would not keep their width
		rest := strings.TrimLeft(run, " ")
		x += len(run) - len(rest)
		word, _, _ := strings.Cut(rest, " ")
		if word == "" {
			return
		}
		w := uniseg.StringWidth(word)
		fmt.Fprintf(b, `<text x="%.1f" y="%.1f" textLength="%.1f" lengthAdjust="spacingAndGlyphs" fill="%s"%s>%s</text>`+"\n",
			margin+float64(x)*cellWidth, margin+(float64(y)+0.77)*cellHeight, float64(w)*cellWidth, fg, weight, html.EscapeString(word))
		x, run = x+w, rest[len(word):]
	}
}

func drawCell(b *strings.Builder, x, y int, cluster string, w int, shape []part, st style) {
	fg, bg := st.colours()
	if shape == nil {
		drawRun(b, x, y, cluster, st)
		return
	}
	if bg != "" {
		rect(b, float64(x), float64(y), float64(w), 1, bg, 1)
	}
	for _, p := range shape {
		rect(b, float64(x)+p.x, float64(y)+p.y, p.w, p.h, fg, p.opacity)
	}
}

// rect takes its place and size in cells.
func rect(b *strings.Builder, x, y, w, h float64, fill string, opacity float64) {
	more := ""
	if opacity < 1 {
		more = fmt.Sprintf(` fill-opacity="%.2f"`, opacity)
	}
	fmt.Fprintf(b, `<rect x="%.2f" y="%.2f" width="%.2f" height="%.2f" fill="%s"%s shape-rendering="crispEdges"/>`+"\n",
		margin+x*cellWidth, margin+y*cellHeight, w*cellWidth, h*cellHeight, fill, more)
}

// wide tells whether a shape's parts reach from side to side.
func wide(shape []part) bool {
	for _, p := range shape {
		if p.x != 0 || p.w != 1 {
			return false
		}
	}
	return true
}

// part is a rectangle of a cell, in parts of it.
type part struct{ x, y, w, h, opacity float64 }

// shapeOf gives the rectangles that a character consists of; nil: it is text.
func shapeOf(r rune) []part {
	switch {
	case r == '▀':
		return []part{{0, 0, 1, .5, 1}}
	case r >= '▁' && r <= '█':
		h := float64(r-'▁'+1) / 8
		return []part{{0, 1 - h, 1, h, 1}}
	case r >= '▉' && r <= '▏':
		return []part{{0, 0, float64('▏'-r+1) / 8, 1, 1}}
	case r == '░' || r == '▒' || r == '▓':
		return []part{{0, 0, 1, 1, .25 * float64(r-'░'+1)}}
	case r == '─':
		return []part{{0, .47, 1, .06, 1}}
	case r == '━':
		return []part{{0, .43, 1, .14, 1}}
	case r == '╸':
		return []part{{0, .43, .5, .14, 1}}
	case r == '│':
		return []part{{.44, 0, .12, 1, 1}}
	case r == '┤':
		return []part{{.44, 0, .12, 1, 1}, {0, .47, .44, .06, 1}}
	case r == '┴':
		return []part{{0, .47, 1, .06, 1}, {.44, 0, .12, .5, 1}}
	case r == '╵':
		return []part{{0, .47, 1, .06, 1}, {.44, .25, .12, .25, 1}}
	case r > 0x2800 && r < 0x2900:
		var dots []part
		for bit, at := range [8][2]float64{{.14, .04}, {.14, .29}, {.14, .54}, {.64, .04}, {.64, .29}, {.64, .54}, {.14, .79}, {.64, .79}} {
			if r>>bit&1 == 1 {
				dots = append(dots, part{at[0], at[1], .26, .15, 1})
			}
		}
		return dots
	}
	return nil
}

// set takes the codes of an SGR sequence.
func (st *style) set(codes string) {
	all := strings.Split(codes, ";")
	for i := 0; i < len(all); i++ {
		n, _ := strconv.Atoi(all[i]) // nothing is 0
		switch {
		case n == 0:
			*st = style{}
		case n == 1:
			st.bold = true
		case n == 22:
			st.bold = false
		case n == 4:
			st.underline = true
		case n == 7:
			st.reverse = true
		case n == 27:
			st.reverse = false
		case n == 39:
			st.fg = ""
		case n == 49:
			st.bg = ""
		case n >= 30 && n <= 37:
			st.fg = sixteen[n-30]
		case n >= 90 && n <= 97:
			st.fg = sixteen[n-90+8]
		case n >= 40 && n <= 47:
			st.bg = sixteen[n-40]
		case n >= 100 && n <= 107:
			st.bg = sixteen[n-100+8]
		case n == 38 || n == 48:
			colour, used := extended(all[i+1:])
			i += used
			if n == 38 {
				st.fg = colour
			} else {
				st.bg = colour
			}
		}
	}
}

// extended reads 5;n or 2;r;g;b.
func extended(codes []string) (colour string, used int) {
	number := func(i int) int {
		if i >= len(codes) {
			return 0
		}
		n, _ := strconv.Atoi(codes[i])
		return min(max(n, 0), 255)
	}
	if number(0) == 2 {
		return fmt.Sprintf("#%02x%02x%02x", number(1), number(2), number(3)), 4
	}
	switch n := number(1); {
	case n < 16:
		return sixteen[n], 2
	case n >= 232:
		grey := 8 + 10*(n-232)
		return fmt.Sprintf("#%02x%02x%02x", grey, grey, grey), 2
	default:
		level := func(v int) int {
			if v == 0 {
				return 0
			}
			return 55 + 40*v
		}
		n -= 16
		return fmt.Sprintf("#%02x%02x%02x", level(n/36), level(n/6%6), level(n%6)), 2
	}
}
