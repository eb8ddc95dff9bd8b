package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"volley/results"
)

// mostShortRows is how many rows of a table stand in a comment.
const mostShortRows = 30

// markdown writes the parts of the document that a reviewer needs, as GitHub's Markdown.
func (d *document) markdown(w io.Writer) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "## %s %s: %s\n\n", signs[d.Mood], mdText(d.Title), mdText(d.Verdict))
	for _, c := range d.Cautions {
		fmt.Fprintf(&b, "> **%s**\n>\n", mdText(c))
	}
	if len(d.Cautions) > 0 {
		b.WriteByte('\n')
	}
	for _, l := range d.Lead {
		fmt.Fprintf(&b, "- %s\n", mdText(l))
	}
	b.WriteByte('\n')
	for i := range d.Sections {
		if d.Sections[i].Short {
			d.Sections[i].markdown(&b)
		}
	}
	for _, f := range d.Facts {
		fmt.Fprintf(&b, "<sub>%s</sub>\n", mdText(f))
	}
	_, err := w.Write(b.Bytes())
	return err
}

// signs say a mood without colour.
var signs = map[mood]string{good: "✅", bad: "❌", wary: "⚠️", plain: "ℹ️"}

func (s *section) markdown(b *bytes.Buffer) {
	fmt.Fprintf(b, "### %s\n\n", mdText(s.Title))
	for _, one := range s.Blocks {
		if one.Text != "" {
			fmt.Fprintf(b, "%s\n\n", mdText(one.Text))
		}
		for i, item := range one.List {
			if i == mostShortRows {
				fmt.Fprintf(b, "- %d more in the full report\n", len(one.List)-i)
				break
			}
			fmt.Fprintf(b, "- %s\n", mdText(item))
		}
		if one.List != nil {
			b.WriteByte('\n')
		}
		if one.Table != nil {
			one.Table.markdown(b)
		}
	}
}

func (t *table) markdown(b *bytes.Buffer) {
	cut := *t
	cut.atMost(mostShortRows, "the full report")
	if cut.Title != "" {
		fmt.Fprintf(b, "**%s**\n\n", mdText(cut.Title))
	}
	rule := ""
	for _, c := range cut.Columns {
		fmt.Fprintf(b, "| %s ", mdText(c.Name))
		if c.Number {
			rule += "|---:"
		} else {
			rule += "|---"
		}
	}
	fmt.Fprintf(b, "|\n%s|\n", rule)
	for _, row := range cut.Rows {
		for _, c := range row {
			text := mdText(c.Text)
			if c.Mood == bad && text != "" {
				text = "**" + text + "**"
			}
			fmt.Fprintf(b, "| %s ", text)
		}
		b.WriteString("|\n")
	}
	b.WriteByte('\n')
	if cut.Note != "" {
		fmt.Fprintf(b, "<sub>%s</sub>\n\n", mdText(cut.Note))
	}
}

// mdText makes text stand as it is in GitHub's Markdown: no mark-up, no HTML, no link,
// no mention of a person or an issue.
func mdText(text string) string {
	text = results.Escape(text)
	var b strings.Builder
	for i, r := range text {
		switch r {
		case '\\', '`', '*', '_', '{', '}', '[', ']', '(', ')', '|', '~', '!':
			b.WriteByte('\\')
			b.WriteRune(r)
		case '<':
			b.WriteString("&lt;")
		case '>':
			b.WriteString("&gt;")
		case '&':
			b.WriteString("&amp;")
		case '#', '+', '-', '=':
			if i == 0 {
				b.WriteByte('\\')
			}
			b.WriteRune(r)
			if r == '#' {
				b.WriteString(noLink)
			}
		case '@':
			b.WriteRune(r)
			b.WriteString(noLink)
		case ':':
			b.WriteRune(r)
			if strings.HasPrefix(text[i:], "://") {
				b.WriteString(noLink)
			}
		case '.':
			if i >= 3 && strings.EqualFold(text[i-3:i], "www") {
				b.WriteString(noLink)
			}
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// noLink stands between two characters that GitHub would make a link of together.
const noLink = "<!-- -->"

// Markdown writes the run for a comment on a pull request.
func (r *Run) Markdown(w io.Writer) error { return r.document().markdown(w) }
