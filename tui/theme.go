package tui

import (
	"fmt"

	"github.com/muesli/termenv"
)

// Theme is how a terminal shows colours. The palette is Okabe and Ito's, whose
// colours people with any of the common colour deficiencies tell apart; the heat
// ramp is viridis, whose lightness rises evenly. What a colour says is always said
// by a word, a sign or a shade as well.
type Theme struct {
	profile termenv.Profile
	dark    bool
	fg, bg  [numColours]string // the codes of SGR sequences; "" for none
}

// NewTheme is for a terminal with those colours (termenv.Ascii for none), on a
// dark background or a light one.
func NewTheme(profile termenv.Profile, dark bool) *Theme {
	t := &Theme{profile: profile, dark: dark}
	for c := colour(1); c < numColours; c++ {
		var seen termenv.Color
		switch {
		case c >= heat:
			seen = profile.Color(heatColour(int(c-heat), profile, dark))
		case profile == termenv.ANSI:
			seen = profile.Color(palette[c].sixteen(dark))
		default:
			seen = profile.Color(palette[c].exact(dark))
		}
		if seen != nil {
			t.fg[c], t.bg[c] = seen.Sequence(false), seen.Sequence(true)
		}
	}
	return t
}

// plain tells that there are no colours.
func (t *Theme) plain() bool { return t.profile == termenv.Ascii }

// fine tells whether there are colours enough for a ramp without shade characters.
func (t *Theme) fine() bool { return t.profile == termenv.TrueColor || t.profile == termenv.ANSI256 }

// colour is a role; the theme knows what it looks like.
type colour uint8

const (
	plain  colour = iota // the terminal's own
	dim                  // what frames and explains
	accent               // titles, the screen shown
	good
	bad
	caution
	first  // the first series of a chart, and so on
	second // told from its neighbours by lightness too
	third
	fourth
	fifth
	track                     // the part of a bar that is empty
	heat                      // the first step of the heat ramp
	numColours = heat + steps // the rest of them
)

// steps is how many colours the heat ramp has.
const steps = 16

type swatch struct {
	onDark, onLight     string // exact
	onDark16, onLight16 string // of the sixteen
}

func (s *swatch) exact(dark bool) string {
	if dark {
		return s.onDark
	}
	return s.onLight
}

func (s *swatch) sixteen(dark bool) string {
	if dark {
		return s.onDark16
	}
	return s.onLight16
}

var palette = [heat]swatch{
	dim:     {"#8A8A8A", "#6C6C6C", "7", "8"},
	accent:  {"#56B4E9", "#005F9E", "14", "4"},
	good:    {"#2FBF91", "#00795A", "10", "2"},
	bad:     {"#FF6E3A", "#C02A00", "9", "1"},
	caution: {"#F0C000", "#8A5A00", "11", "3"},
	first:   {"#56B4E9", "#0072B2", "12", "4"},
	second:  {"#E69F00", "#9A7B00", "11", "3"},
	third:   {"#2FBF91", "#00795A", "10", "2"},
	fourth:  {"#CC79A7", "#9C3F78", "13", "5"},
	fifth:   {"#F0E442", "#6B6200", "15", "0"},
	track:   {"#4A4A4A", "#C6C6C6", "8", "7"},
}

// viridis at steps equal steps, from its dark end.
var viridis = [steps]string{
	"#481769", "#472A7A", "#433D84", "#3D4E8A", "#355E8D", "#2E6D8E", "#297B8E", "#23898E",
	"#1F978B", "#21A585", "#2EB37C", "#46C06F", "#65CB5E", "#89D548", "#B0DD2F", "#FDE725",
}

// viridis256 is as near to it as the 256 colours come with lightness still rising.
var viridis256 = [steps]string{"53", "53", "54", "55", "25", "31", "31", "36", "36", "42", "78", "113", "149", "184", "220", "227"}

// heatColour runs from the background's end of the ramp to the other.
func heatColour(step int, profile termenv.Profile, dark bool) string {
	if !dark {
		step = steps - 1 - step
	}
	if profile == termenv.ANSI256 {
		return viridis256[step]
	}
	return viridis[step]
}

type attribute uint8

const (
	bold attribute = 1 << iota
	reverse
	underline
)

type style struct {
	fg, bg colour
	attr   attribute
}

func in(c colour) style           { return style{fg: c} }
func (s style) bold() style       { s.attr |= bold; return s }
func (s style) reverse() style    { s.attr |= reverse; return s }
func (s style) on(c colour) style { s.bg = c; return s }

// appendSGR appends the sequence that sets the style after a reset.
func (t *Theme) appendSGR(b []byte, s style) []byte {
	b = append(b, "\x1b[0"...)
	for code, a := range [...]attribute{1: bold, 4: underline, 7: reverse} {
		if s.attr&a != 0 {
			b = fmt.Appendf(b, ";%d", code)
		}
	}
	for _, code := range []string{t.fg[s.fg], t.bg[s.bg]} {
		if code != "" {
			b = append(append(b, ';'), code...)
		}
	}
	return append(b, 'm')
}

// shown is the style without what the theme does not show of it.
func (t *Theme) shown(s style) style {
	if t.fg[s.fg] == "" {
		s.fg = plain
	}
	if t.bg[s.bg] == "" {
		s.bg = plain
	}
	return s
}
