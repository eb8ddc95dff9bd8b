package report

import (
	"html/template"
	"slices"
)

// document is what a page says, whatever it is rendered to. Its text is as others
// wrote it: whoever renders it escapes it.
type document struct {
	Title    string
	Kind     string // "Run", "Search" and so on
	Verdict  string // in a few words
	Mood     mood
	Facts    []string // one line each, under the title
	Lead     []string // what a reader must know, in sentences
	Cautions []string // what the figures must not be taken for
	Cards    []card
	Sections []section
	Foot     string
}

// mood is how a verdict is shown, beside its words.
type mood string

const (
	good  mood = "good"
	bad   mood = "bad"
	wary  mood = "wary"
	plain mood = ""
)

// card is a figure that stands out.
type card struct {
	Label, Value, Note string
	Mood               mood
}

// section is a part of a document.
type section struct {
	ID, Title string
	Blocks    []block
	Short     bool // it belongs into a short rendering too
}

// block is one of a text, a list, a table, a figure and a listing.
type block struct {
	Text    string
	Caution bool // of Text and List
	List    []string
	Table   *table
	Figure  *figure
	Listing *listing
}

// figure is a picture with its figures as a table.
type figure struct {
	Title string
	Note  string
	SVG   template.HTML // of package chart, which escapes what it is given
	Table *table
}

// listing is text to be shown line by line.
type listing struct {
	Title, Text string
}

// table has rows of as many cells as it has columns.
type table struct {
	Title   string
	Columns []heading
	Rows    [][]field
	Note    string
	Folded  bool // shown when it is asked for
}

type heading struct {
	Name   string
	Number bool
}

type field struct {
	Text string
	Mood mood
}

// headings makes those of columns with those names; those that begin with # hold numbers.
func headings(names ...string) (all []heading) {
	for _, n := range names {
		if n[0] == '#' {
			all = append(all, heading{n[1:], true})
		} else {
			all = append(all, heading{n, false})
		}
	}
	return all
}

func (t *table) add(texts ...string) {
	row := make([]field, len(texts))
	for i, text := range texts {
		row[i] = field{Text: text}
	}
	t.Rows = append(t.Rows, row)
}

// mark gives the last row's cell a mood.
func (t *table) mark(column int, m mood) { t.Rows[len(t.Rows)-1][column].Mood = m }

// drop leaves out a column in which nothing stands.
func (t *table) drop(column int) {
	for _, row := range t.Rows {
		if row[column].Text != "" {
			return
		}
	}
	t.Columns = slices.Delete(t.Columns, column, column+1)
	for i := range t.Rows {
		t.Rows[i] = slices.Delete(t.Rows[i], column, column+1)
	}
}

// atMost keeps as many rows and says how many are left out.
func (t *table) atMost(n int, where string) {
	if left := len(t.Rows) - n; left > 0 {
		t.Rows = slices.Clone(t.Rows[:n])
		if t.Note != "" {
			t.Note += " "
		}
		t.Note += plural(uint64(left), "row") + " more in " + where + "."
	}
}

func (s *section) text(text string) {
	if text != "" {
		s.Blocks = append(s.Blocks, block{Text: text})
	}
}

// cautions are one block, however many.
func (s *section) cautions(items []string) {
	if len(items) > 0 {
		s.Blocks = append(s.Blocks, block{List: items, Caution: true})
	}
}

func (s *section) list(items []string) {
	if len(items) > 0 {
		s.Blocks = append(s.Blocks, block{List: items})
	}
}

func (s *section) table(t *table) {
	if t != nil && len(t.Rows) > 0 {
		s.Blocks = append(s.Blocks, block{Table: t})
	}
}

func (s *section) figure(f *figure) {
	if f != nil {
		if f.Table != nil {
			f.Table.Folded = true
		}
		s.Blocks = append(s.Blocks, block{Figure: f})
	}
}

// add adds a section that has something to say.
func (d *document) add(s section) {
	if len(s.Blocks) > 0 {
		d.Sections = append(d.Sections, s)
	}
}

// Bounds of what is shown, so that a page stays one that can be sent: a server or a
// scenario may say anything at any length.
const (
	mostText    = 2_000
	mostRows    = 100
	mostListing = 64 << 10
)

// short cuts a text that is too long.
func short(text string, most int) string {
	if len(text) <= most {
		return text
	}
	all := []rune(text)
	if len(all) <= most {
		return text
	}
	return string(all[:most]) + "… (cut)"
}

// shorter keeps as many of a list as a page has room for.
func shorter(all []string, where string) []string {
	if left := len(all) - mostRows; left > 0 {
		return append(slices.Clone(all[:mostRows]), plural(uint64(left), "line")+" more in "+where)
	}
	return all
}
