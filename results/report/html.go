package report

import (
	"bytes"
	_ "embed"
	"html/template"
	"io"
	"strings"

	"volley/results"
	"volley/results/report/chart"
)

//go:embed page.gohtml
var pageTemplate string

//go:embed page.css
var pageStyle string

var pageHTML = template.Must(template.New("page").Funcs(template.FuncMap{
	"style": func() template.CSS { return template.CSS(pageStyle + chart.Style) },
	"text":  results.Escape, // whoever wrote it; the template escapes it for HTML
	"lines": escapeLines,
	"class": fieldClass,
	"wide":  (*table).wide,
}).Parse(pageTemplate))

// escapeLines is results.Escape of each line.
func escapeLines(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(results.Escape(strings.TrimSuffix(line, "\n")))
		b.WriteByte('\n')
	}
	return b.String()
}

// wide tells whether a table needs all of the page's width.
func (t *table) wide() bool {
	if len(t.Columns) > 3 || len(t.Note) > longText {
		return true
	}
	for _, row := range t.Rows {
		room := 0
		for _, f := range row {
			room += len(f.Text)
		}
		if room > longText {
			return true
		}
	}
	return false
}

// longText is from how many bytes on a cell of text is given a width.
const longText = 60

func fieldClass(columns []heading, i int, c field) string {
	var classes []string
	if i < len(columns) && columns[i].Number {
		classes = append(classes, "n")
	} else if len(c.Text) > longText {
		classes = append(classes, "long")
	}
	if c.Mood != plain {
		classes = append(classes, string(c.Mood))
	}
	return strings.Join(classes, " ")
}

// html writes the document as one page that needs nothing else: no script, no network,
// light or dark as the reader has it, and fit for print.
func (d *document) html(w io.Writer) error {
	var b bytes.Buffer
	if err := pageHTML.Execute(&b, d); err != nil {
		return err
	}
	_, err := w.Write(b.Bytes())
	return err
}

// HTML writes the run as a self-contained page of less than 1 MB. The error is that of
// writing to w.
func (r *Run) HTML(w io.Writer) error { return r.document().html(w) }
