package scenario

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Problem is one thing wrong with a scenario, and where.
type Problem struct {
	File    string // as it was given; "--set PATH=…" for what stands in a set
	Line    int    // from 1; 0 for a set
	Column  int    // in characters, from 1; 0 for a set
	Path    string // the setting, as in load[1].rate; "" for the whole document
	Message string
	Source  string // the line itself, with secrets masked; "" for a set
	Hint    string // what to write instead; may be empty
}

// String gives the problem as "file:line:column: path: message", the source
// line with a caret under the place, and the hint. Control characters that
// came from the file are made visible; a tab stays one, in the caret's line too.
func (p Problem) String() string {
	var b strings.Builder
	word := func(s string) string { return strings.ReplaceAll(visible(s), "\t", `\t`) }
	b.WriteString(word(p.File))
	if p.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", p.Line, p.Column)
	}
	b.WriteString(": ")
	if p.Path != "" {
		b.WriteString(word(p.Path) + ": ")
	}
	b.WriteString(word(p.Message))
	if p.Source != "" {
		line, before := p.window()
		fmt.Fprintf(&b, "\n  %s\n  %s^", visible(line), padding(visible(before)))
	}
	if p.Hint != "" {
		b.WriteString("\n  " + word(p.Hint))
	}
	return b.String()
}

// window gives the source line, or of a long one the part around the place,
// and what stands before the place in it.
func (p Problem) window() (line, before string) {
	const most, ahead = 200, 120
	runes := []rune(p.Source)
	at := min(max(p.Column-1, 0), len(runes))
	if len(runes) <= most {
		return p.Source, string(runes[:at])
	}
	lead, tail := "", ""
	start := max(0, at-ahead)
	end := min(len(runes), start+most)
	if start > 0 {
		lead = "…"
	}
	if end < len(runes) {
		tail = "…"
	}
	return lead + string(runes[start:end]) + tail, lead + string(runes[start:at])
}

// Problems is all that is wrong with a scenario, in the file's order, sets
// last. It is an error as soon as it holds one.
type Problems []Problem

// Error gives every problem, one below the other.
func (p Problems) Error() string {
	texts := make([]string, len(p))
	for i := range p {
		texts[i] = p[i].String()
	}
	return strings.Join(texts, "\n")
}

func (p Problems) sort() {
	slices.SortStableFunc(p, func(a, b Problem) int {
		if (a.Line == 0) != (b.Line == 0) {
			return cmp.Compare(b.Line, a.Line)
		}
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
}

// visible escapes whatever could act on a terminal, tabs excepted.
func visible(s string) string {
	clean := func(r rune) bool { return r == '\t' || unicode.IsPrint(r) && r != utf8.RuneError }
	if strings.IndexFunc(s, func(r rune) bool { return !clean(r) }) < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case clean(r):
			b.WriteRune(r)
		case r < 0x80:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		i += n
	}
	return b.String()
}

// padding is white space as wide as s is on a terminal.
func padding(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\t':
			b.WriteByte('\t')
		case unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Me, r):
		case wide(r):
			b.WriteString("  ")
		default:
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// wide tells the characters that take two cells, after the wide and fullwidth
// blocks of Unicode's East Asian Width annex (UAX 11).
func wide(r rune) bool {
	return r >= 0x1100 && r <= 0x115f || r >= 0x2e80 && r <= 0xa4cf && r != 0x303f ||
		r >= 0xac00 && r <= 0xd7a3 || r >= 0xf900 && r <= 0xfaff || r >= 0xfe30 && r <= 0xfe6f ||
		r >= 0xff00 && r <= 0xff60 || r >= 0xffe0 && r <= 0xffe6 || r >= 0x1f300 && r <= 0x1faff ||
		r >= 0x20000 && r <= 0x3fffd
}

// closest gives the known word that was probably meant, or "".
func closest(word string, known []string) string {
	best, bestDistance := "", max(1, utf8.RuneCountInString(word)/3)+1
	for _, k := range known {
		if d := editDistance(strings.ToLower(word), strings.ToLower(k)); d < bestDistance && d < utf8.RuneCountInString(k) {
			best, bestDistance = k, d
		}
	}
	return best
}

// suggest is the hint for a word that is not known.
func suggest(word string, known []string) string {
	if best := closest(word, known); best != "" {
		return "did you mean " + best + "?"
	}
	if len(known) == 0 {
		return ""
	}
	return "known: " + strings.Join(known, ", ")
}

// editDistance counts insertions, deletions, replacements and swaps of
// neighbours (optimal string alignment). Long words are not worth the time.
func editDistance(a, b string) int {
	s, t := []rune(a), []rune(b)
	if len(s) > 64 || len(t) > 64 {
		return max(len(s), len(t))
	}
	rows := make([][]int, len(s)+1)
	for i := range rows {
		rows[i] = make([]int, len(t)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(s); i++ {
		for j := 1; j <= len(t); j++ {
			cost := 1
			if s[i-1] == t[j-1] {
				cost = 0
			}
			d := min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && s[i-1] == t[j-2] && s[i-2] == t[j-1] {
				d = min(d, rows[i-2][j-2]+1)
			}
			rows[i][j] = d
		}
	}
	return rows[len(s)][len(t)]
}
