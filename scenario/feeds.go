package scenario

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxFeed bounds the file of one feed, in bytes.
const maxFeed = 256 << 20

// listFeed holds its values; file and column say where they came from.
type listFeed struct {
	file, column string // file is absolute; "" for values in the scenario itself
	values       []string
}

func (f *listFeed) Len() int        { return len(f.values) }
func (f *listFeed) At(i int) string { return f.values[i] }

// rangeFeed computes its values: prefix, counter, suffix.
type rangeFeed struct {
	prefix, suffix string
	from           uint64
	n              int
	width          int // with leading zeros up to this
}

func (f *rangeFeed) Len() int { return f.n }
func (f *rangeFeed) At(i int) string {
	return f.prefix + fmt.Sprintf("%0*d", f.width, f.from+uint64(i)) + f.suffix
}

func (d *decoder) feeds(n *node) map[string]Feed {
	if n.kind != mapping {
		d.report(n, "for instance feeds: {accounts: {file: accounts.csv, column: account_id}}", "want feeds by name, not %s", describe(n))
		return nil
	}
	feeds := map[string]Feed{}
	for _, p := range n.pairs {
		f, ok := d.mapping(p.value, feedTable())
		if !ok {
			continue
		}
		if feed := d.feed(f); feed != nil {
			feeds[p.key.text] = feed
		}
	}
	return feeds
}

func (d *decoder) feed(f fields) Feed {
	file, column, counter, values := f.given("file"), f.given("column"), f.given("range"), f.given("values")
	given := 0
	for _, n := range []*node{file, counter, values} {
		if n != nil {
			given++
		}
	}
	switch {
	case given != 1:
		d.report(f.node, "", "a feed has one of file, range and values, not %d of them", given)
	case column != nil && file == nil:
		d.report(column, "leave it out", "column belongs to a feed with a file")
	case file != nil:
		return d.fileFeed(file, column)
	case counter != nil:
		return d.rangeFeed(counter)
	default:
		return d.valuesFeed(values)
	}
	return nil
}

func (d *decoder) valuesFeed(n *node) Feed {
	feed := &listFeed{}
	for _, v := range d.list(n, "values") {
		if v.kind != scalar {
			d.report(v, "", "want a single value, not %s", describe(v))
			continue
		}
		feed.values = append(feed.values, v.text)
	}
	if len(feed.values) == 0 {
		return nil
	}
	return feed
}

var counterRange = regexp.MustCompile(`\{([0-9]+)\.\.([0-9]+)\}`)

func (d *decoder) rangeFeed(n *node) Feed {
	const hint = "write it like user{0..9999}.near"
	text := d.text(n)
	if text == "" {
		return nil
	}
	m := counterRange.FindAllStringSubmatchIndex(text, -1)
	if len(m) != 1 {
		d.report(n, hint, "a range has one {FIRST..LAST}, not %d", len(m))
		return nil
	}
	first, last := text[m[0][2]:m[0][3]], text[m[0][4]:m[0][5]]
	from, err := strconv.ParseUint(first, 10, 62)
	to, err2 := strconv.ParseUint(last, 10, 62)
	if err != nil || err2 != nil || to < from {
		d.report(n, hint, "a range counts up from a whole number to another, not from %s to %s", first, last)
		return nil
	}
	feed := &rangeFeed{prefix: text[:m[0][0]], suffix: text[m[0][1]:], from: from, n: int(to - from + 1)}
	if len(first) > 1 && first[0] == '0' || len(last) > 1 && last[0] == '0' {
		feed.width = max(len(first), len(last))
	}
	return feed
}

func (d *decoder) fileFeed(n, column *node) Feed {
	name := d.text(n)
	if name == "" {
		return nil
	}
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(d.dir, path)
	}
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	data, err := readFeed(path)
	if err != nil {
		d.report(n, "feed files are looked for beside the scenario", "%s", err)
		return nil
	}
	feed := &listFeed{file: path}
	if column == nil {
		if strings.EqualFold(filepath.Ext(name), ".csv") {
			d.warn("feed file %s is read line by line: name a column to read it as CSV", name)
		}
		feed.values = textLines(data)
	} else {
		feed.column = d.text(column)
		feed.values = d.csvColumn(data, n, column)
		if feed.values == nil {
			return nil
		}
	}
	if len(feed.values) == 0 {
		d.report(n, "", "feed file %s holds no values", name)
		return nil
	}
	for i, v := range feed.values {
		if !utf8.ValidString(v) {
			d.report(n, "", "feed file %s: value %d is not UTF-8", name, i+1)
			return nil
		}
	}
	return feed
}

func readFeed(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no regular file", path)
	}
	if info.Size() > maxFeed {
		return nil, fmt.Errorf("%s is longer than %d MiB", path, maxFeed>>20)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFeed+1))
	if err == nil && len(data) > maxFeed {
		err = fmt.Errorf("%s is longer than %d MiB", path, maxFeed>>20)
	}
	return bytes.TrimPrefix(data, []byte("\ufeff")), err
}

// textLines gives the lines that are not blank.
func textLines(data []byte) []string {
	var lines []string
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimRight(line, "\r\n"); strings.TrimSpace(line) != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// csvColumn gives a column's values; nil after a problem.
func (d *decoder) csvColumn(data []byte, file, column *node) []string {
	r := csv.NewReader(bufio.NewReader(bytes.NewReader(data)))
	r.ReuseRecord = true
	header, err := r.Read()
	if errors.Is(err, io.EOF) {
		d.report(file, "", "feed file %s holds no values", file.text)
		return nil
	}
	if err != nil {
		d.report(file, "", "feed file %s: %s", file.text, err)
		return nil
	}
	header = slices.Clone(header)
	at := slices.Index(header, column.text)
	if at < 0 {
		hint := suggest(column.text, header)
		if !strings.HasPrefix(hint, "known") {
			hint += " Columns: " + strings.Join(header, ", ")
		}
		d.report(column, hint, "feed file %s has no column %s", file.text, clip(column.text))
		return nil
	}
	if slices.Contains(header[at+1:], column.text) {
		d.report(column, "", "feed file %s has two columns %s", file.text, clip(column.text))
		return nil
	}
	values := []string{}
	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			return values
		}
		if err != nil {
			d.report(file, "", "feed file %s: %s", file.text, err)
			return nil
		}
		values = append(values, strings.Clone(record[at]))
	}
}
