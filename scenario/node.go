package scenario

import (
	"fmt"
	"regexp"
	"strings"
)

type kind uint8

const (
	absent kind = iota // YAML's null: as if the key were not there
	scalar
	mapping
	sequence
)

func (k kind) String() string {
	return [...]string{"nothing", "a single value", "a mapping", "a list"}[k]
}

// node is a YAML value with its place: what goccy's tree comes down to once
// aliases are resolved, and what sets patch.
type node struct {
	kind   kind
	text   string // of a scalar
	quoted bool   // the scalar was quoted, or a block: always a string
	pairs  []pair
	items  []*node
	at     place
	path   string // load[1].rate; given once the document is complete
	broken bool   // it has had its problem: no more of it is said
}

type pair struct{ key, value *node }

// place is a line and column of the file, or the set that a value came from.
type place struct {
	set          string // "--set PATH=…"; else line and column count
	line, column int
}

// get gives the value of the last pair with that key, or nil.
func (n *node) get(key string) *node {
	if n == nil {
		return nil
	}
	for i := len(n.pairs) - 1; i >= 0; i-- {
		if n.pairs[i].key.text == key {
			return n.pairs[i].value
		}
	}
	return nil
}

func (n *node) given() bool { return n != nil && (n.kind != absent || n.broken) }

// name gives every value below n its path.
func (n *node) name(path string) {
	n.path = path
	for i, item := range n.items {
		item.name(fmt.Sprintf("%s[%d]", path, i))
	}
	for _, p := range n.pairs {
		below := quoteKey(p.key.text)
		if path != "" {
			below = path + "." + below
		}
		p.key.path = below
		p.value.name(below)
	}
}

var plainKey = regexp.MustCompile(`^[^\s."'\[\]=]+$`)

// quoteKey writes a key as a path holds it.
func quoteKey(key string) string {
	if plainKey.MatchString(key) {
		return key
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(key) + `"`
}

// document is the text that places refer to.
type document struct {
	file  string
	lines []string
}

func (d document) line(at place) string {
	if at.set != "" || at.line < 1 || at.line > len(d.lines) {
		return ""
	}
	return d.lines[at.line-1]
}

func (d document) problem(at place, path, message, hint string) Problem {
	p := Problem{File: d.file, Line: at.line, Column: at.column, Path: path, Message: message, Hint: hint, Source: d.line(at)}
	if at.set != "" {
		p.File, p.Line, p.Column = at.set, 0, 0
	}
	return p
}
