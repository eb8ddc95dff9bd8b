package scenario

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// maxProblems bounds what one file can be told.
const maxProblems = 100

// decoder walks the document and gathers problems and warnings as it goes. A
// value with a problem comes out as its zero value, and the walk goes on.
type decoder struct {
	doc      document
	dir      string // that feed files are relative to
	problems Problems
	warnings []string
}

// report notes a problem at n.
func (d *decoder) report(n *node, hint, format string, args ...any) {
	if !n.broken && len(d.problems) < maxProblems {
		d.problems = append(d.problems, d.doc.problem(n.at, n.path, fmt.Sprintf(format, args...), hint))
	}
}

func (d *decoder) warn(format string, args ...any) {
	d.warnings = append(d.warnings, fmt.Sprintf(format, args...))
}

// fields is a mapping read against its table.
type fields struct {
	d       *decoder
	table   *table
	node    *node
	values  map[string]*node
	unknown bool // it holds keys that are in no table
}

// mapping reads n against t and reports unknown and missing keys. ok is false
// when n is no mapping at all.
func (d *decoder) mapping(n *node, t *table) (f fields, ok bool) {
	f = fields{d: d, table: t, node: n, values: map[string]*node{}}
	if n.kind != mapping {
		d.report(n, "keys: "+strings.Join(t.keys(), ", "), "%s is a mapping, not %s", t.what, describe(n))
		return f, false
	}
	misspelt := map[string]bool{} // keys that an unknown one was meant to be
	for _, p := range n.pairs {
		if t.find(p.key.text) == nil {
			d.report(p.key, suggest(p.key.text, t.keys()), "unknown key %s", p.key.text)
			misspelt[closest(p.key.text, t.keys())] = true
			f.unknown = true
			continue
		}
		if p.value.given() {
			f.values[p.key.text] = p.value
		}
	}
	for _, s := range t.settings {
		if s.required && f.values[s.key] == nil && !misspelt[s.key] && f.values[s.unless] == nil {
			d.report(n, s.key+": "+s.doc, "%s needs the key %s", t.what, s.key)
		}
	}
	return f, true
}

// given gives the value of a key that the file holds, or nil.
func (f fields) given(key string) *node {
	if f.table.find(key) == nil {
		panic("scenario: " + key + " is in no table")
	}
	return f.values[key]
}

// or gives the value of a key, or its default at the mapping's place; nil
// when there is neither.
func (f fields) or(key string) *node {
	if n := f.given(key); n != nil {
		return n
	}
	if s := f.table.find(key); s.def != "" {
		return &node{kind: scalar, text: s.def, at: f.node.at, path: f.node.path}
	}
	return nil
}

// describe names a value as its author would.
func describe(n *node) string {
	if n.kind != scalar {
		return n.kind.String()
	}
	switch resolve(n.text, n.quoted) {
	case isString:
		return "the text " + clip(n.text)
	case isBool:
		return "the boolean " + n.text
	case isNull:
		return "nothing"
	}
	return "the number " + clip(n.text)
}

func clip(s string) string {
	if r := []rune(s); len(r) > 40 {
		return strconv.Quote(string(r[:40])) + "..."
	}
	return strconv.Quote(s)
}

// text reads a string that is not empty.
func (d *decoder) text(n *node) string {
	switch {
	case n == nil:
		return ""
	case n.kind != scalar || resolve(n.text, n.quoted) != isString:
		hint := ""
		if n.kind == scalar {
			hint = `quote it: "` + n.text + `"`
		}
		d.report(n, hint, "want text, not %s", describe(n))
		return ""
	case strings.TrimSpace(n.text) == "":
		d.report(n, "", "want text, not an empty string")
	}
	return n.text
}

// word reads one of a few words.
func (d *decoder) word(n *node, known []string) string {
	if n == nil {
		return ""
	}
	if n.kind == scalar && slices.Contains(known, n.text) {
		return n.text
	}
	hint := "want one of " + strings.Join(known, ", ")
	if n.kind == scalar {
		if best := closest(n.text, known); best != "" {
			hint = "did you mean " + best + "?"
		}
	}
	d.report(n, hint, "want %s, not %s", strings.Join(known, " or "), describe(n))
	return ""
}

func (d *decoder) boolean(n *node) bool {
	if n.kind != scalar || resolve(n.text, n.quoted) != isBool {
		d.report(n, "", "want true or false, not %s", describe(n))
		return false
	}
	return strings.EqualFold(n.text, "true")
}

// whole reads an integer within bounds.
func (d *decoder) whole(n *node, least, most int) int {
	if n == nil {
		return 0
	}
	if n.kind != scalar || n.quoted || !decimalInt.MatchString(n.text) || resolve(n.text, false) != isInt {
		d.report(n, "", "want a whole number, not %s", describe(n))
		return 0
	}
	v, err := strconv.Atoi(n.text)
	if err != nil || v < least || v > most {
		d.report(n, "", "want a whole number from %d to %d, not %s", least, most, n.text)
		return 0
	}
	return v
}

func (d *decoder) seed(n *node) uint64 {
	v, err := uint64(0), error(nil)
	if n.kind == scalar && !n.quoted {
		v, err = strconv.ParseUint(n.text, 10, 64)
	}
	if n.kind != scalar || n.quoted || err != nil {
		d.report(n, "", "want a whole number from 0 to %d, not %s", uint64(math.MaxUint64), describe(n))
	}
	return v
}

// number reads a finite number that is not negative.
func (d *decoder) number(n *node) (float64, bool) {
	if n.kind != scalar || n.quoted {
		d.report(n, "", "want a number, not %s", describe(n))
		return 0, false
	}
	v, ok := finite(n.text)
	if !ok || v < 0 {
		d.report(n, "", "want a finite number, 0 or more, not %s", clip(n.text))
		return 0, false
	}
	return v, true
}

// duration reads a time with its unit, at least as long as least.
func (d *decoder) duration(n *node, least time.Duration) time.Duration {
	if n == nil {
		return 0
	}
	if n.kind != scalar {
		d.report(n, "write it like 30s, 250ms or 1m30s", "want a duration, not %s", n.kind)
		return 0
	}
	v, err := time.ParseDuration(strings.TrimSpace(n.text))
	if err != nil {
		hint := "write it like 30s, 250ms or 1m30s"
		if _, bare := finite(n.text); bare {
			hint = "a duration needs a unit: did you mean " + n.text + "s?"
		}
		d.report(n, hint, "%s is no duration", clip(n.text))
		return 0
	}
	if v < least {
		d.report(n, "", "%s is too short: want %v or more", n.text, least)
		return 0
	}
	return v
}

// share reads a percentage or a fraction from 0 to 1.
func (d *decoder) share(n *node) float64 {
	if n == nil {
		return 0
	}
	if n.kind != scalar {
		d.report(n, "write it like 5% or 0.05", "want a share, not %s", n.kind)
		return 0
	}
	v, percent, ok := parseShare(n.text)
	switch {
	case !ok:
		d.report(n, "write it like 5% or 0.05", "%s is no share", clip(n.text))
		return 0
	case v >= 0 && v <= 1:
		return v
	}
	hint := ""
	if !percent && v > 1 && v <= 100 {
		hint = "did you mean " + n.text + "%?"
	}
	d.report(n, hint, "a share lies between 0%% and 100%%, not at %s", n.text)
	return 0
}

func parseShare(text string) (v float64, percent, ok bool) {
	digits, percent := strings.CutSuffix(strings.TrimSpace(text), "%")
	v, ok = finite(strings.TrimSpace(digits))
	if percent {
		v /= 100
	}
	return v, percent, ok
}

// list gives the entries of a list, and reports anything else.
func (d *decoder) list(n *node, what string) []*node {
	if n == nil {
		return nil
	}
	if n.kind != sequence {
		d.report(n, "", "want a list of %s, not %s", what, describe(n))
		return nil
	}
	if len(n.items) == 0 {
		d.report(n, "", "the list of %s is empty", what)
	}
	return n.items
}
