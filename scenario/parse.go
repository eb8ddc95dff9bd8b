package scenario

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// Bounds on what is read, so that a hostile file can take neither the stack
// nor the memory. Long lists of values belong in a feed's file.
const (
	maxSource  = 4 << 20 // bytes
	maxNesting = 256     // mappings and lists within one another
	maxNodes   = 1 << 20 // values once aliases are resolved
)

// parse reads one YAML document. The root is nil when nothing of it can be used.
func parse(doc document, data []byte) (*node, Problems) {
	refuse := func(at place, message, hint string) (*node, Problems) {
		p := doc.problem(at, "", message, hint)
		p.Source = maskSecretKeys(p.Source)
		return nil, Problems{p}
	}
	start := place{line: 1, column: 1}
	if len(data) > maxSource {
		return refuse(start, fmt.Sprintf("the file is longer than %d bytes", maxSource), "put long lists into a feed's file")
	}
	if !utf8.Valid(data) {
		return refuse(invalidUTF8(data), "the text is not UTF-8", "")
	}
	if at, deep := tooDeep(data); deep {
		return refuse(at, fmt.Sprintf("nested more than %d deep", maxNesting), "")
	}
	file, err := parseYAML(data)
	if err != nil {
		var syntax *yaml.SyntaxError
		if errors.As(err, &syntax) {
			return refuse(placeOf(syntax.Token), syntax.Message, "")
		}
		return refuse(start, "this is not YAML that can be read: "+err.Error(), "")
	}
	c := converter{doc: doc, anchors: map[string]ast.Node{}}
	var root *node
	for _, d := range file.Docs {
		switch {
		case d.Body == nil:
		case root != nil:
			c.problem(d.Body, "a second document in one file", "a scenario is one document: remove the line ---")
		default:
			root = c.convert(d.Body, 0)
		}
	}
	if root == nil && len(c.problems) == 0 {
		return refuse(start, "there is no scenario in this file", "start from one of `volley scenario list`")
	}
	return root, c.problems
}

// parseYAML guards against the parser's own slips: whatever the file holds, the
// answer is a tree or an error.
func parseYAML(data []byte) (file *ast.File, err error) {
	defer func() {
		if r := recover(); r != nil {
			file, err = nil, fmt.Errorf("the parser gave up (%v)", r)
		}
	}()
	tokens := lexer.Tokenize(string(data))
	for _, t := range tokens {
		// The scanner loses the character after such a string.
		if t.Type == token.DoubleQuoteType && strings.Contains(t.Origin, "\t") {
			return nil, &yaml.SyntaxError{Message: `a tab within double quotes: write \t`, Token: t}
		}
	}
	return parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
}

func invalidUTF8(data []byte) place {
	at := place{line: 1, column: 1}
	for len(data) > 0 {
		r, n := utf8.DecodeRune(data)
		if r == utf8.RuneError && n == 1 {
			break
		}
		at.column++
		if r == '\n' {
			at.line, at.column = at.line+1, 1
		}
		data = data[n:]
	}
	return at
}

// tooDeep looks at brackets and dashes alone, before the parser recurses over
// them. Brackets within strings count too: the bound is far from any real file.
func tooDeep(data []byte) (place, bool) {
	depth, line := 0, 0
	for text := range strings.Lines(string(data)) {
		line++
		depth = min(depth, maxNesting) // a stray closer must not buy depth
		marks := 0
		for _, r := range strings.TrimLeft(text, " \t") {
			if r != '-' && r != '?' && r != ' ' && r != ':' && r != '\t' {
				break
			}
			if r != ' ' && r != '\t' {
				marks++
			}
		}
		for i, r := range text {
			switch r {
			case '[', '{':
				depth++
			case ']', '}':
				depth = max(depth-1, 0)
			}
			if depth > maxNesting {
				return place{line: line, column: utf8.RuneCountInString(text[:i]) + 1}, true
			}
		}
		if marks > maxNesting && !strings.HasPrefix(strings.TrimLeft(text, " \t"), "---") {
			return place{line: line, column: 1}, true
		}
	}
	return place{}, false
}

// startOf is where a value begins; the token of a block mapping is its first colon.
func startOf(n ast.Node) place {
	switch n := n.(type) {
	case *ast.MappingValueNode:
		return startOf(n.Key)
	case *ast.MappingNode:
		if !n.IsFlowStyle && len(n.Values) > 0 {
			return startOf(n.Values[0].Key)
		}
	}
	return placeOf(n.GetToken())
}

func placeOf(t *token.Token) place {
	if t == nil || t.Position == nil {
		return place{line: 1, column: 1}
	}
	return place{line: max(t.Position.Line, 1), column: max(t.Position.Column, 1)}
}

// converter turns goccy's tree into ours.
type converter struct {
	doc      document
	anchors  map[string]ast.Node
	open     []string // anchors whose value is being converted
	nodes    int
	problems Problems
}

func (c *converter) problem(n ast.Node, message, hint string) *node {
	at := startOf(n)
	if len(c.problems) < maxProblems {
		c.problems = append(c.problems, c.doc.problem(at, "", message, hint))
	}
	return &node{at: at, broken: true}
}

func (c *converter) convert(n ast.Node, depth int) *node {
	if c.nodes++; c.nodes > maxNodes {
		if c.nodes == maxNodes+1 {
			c.problem(n, "too many values once aliases are resolved", "")
		}
		return &node{broken: true}
	}
	if depth > maxNesting {
		return c.problem(n, fmt.Sprintf("nested more than %d deep", maxNesting), "")
	}
	at := startOf(n)
	switch n := n.(type) {
	case *ast.NullNode:
		return &node{at: at}
	case *ast.StringNode:
		t := n.Token.Type
		return &node{kind: scalar, text: n.Value, quoted: t == token.DoubleQuoteType || t == token.SingleQuoteType, at: at}
	case *ast.LiteralNode:
		return &node{kind: scalar, text: n.Value.Value, quoted: true, at: at}
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return &node{kind: scalar, text: n.GetToken().Value, at: at}
	case *ast.MappingValueNode:
		return c.mapping([]*ast.MappingValueNode{n}, at, depth)
	case *ast.MappingNode:
		return c.mapping(n.Values, at, depth)
	case *ast.SequenceNode:
		list := &node{kind: sequence, at: at}
		for _, v := range n.Values {
			list.items = append(list.items, c.convert(v, depth+1))
		}
		return list
	case *ast.AnchorNode:
		name := n.Name.GetToken().Value
		c.open = append(c.open, name)
		value := c.convert(n.Value, depth+1)
		c.open = c.open[:len(c.open)-1]
		c.anchors[name] = n.Value
		return value
	case *ast.AliasNode:
		return c.alias(n, depth)
	case *ast.TagNode:
		return c.problem(n, "tags are not understood: "+n.Start.Value, "quote a value to make it a string")
	}
	return c.problem(n, "this kind of YAML is not understood here", "write plain mappings, lists and values")
}

// alias converts the anchored value anew, so that a set through one name does
// not reach through the other.
func (c *converter) alias(n *ast.AliasNode, depth int) *node {
	name := n.Value.GetToken().Value
	for _, open := range c.open {
		if open == name {
			return c.problem(n, "alias *"+name+" stands inside its own anchor", "")
		}
	}
	value, ok := c.anchors[name]
	if !ok {
		return c.problem(n, "alias *"+name+" has no anchor before it", suggest(name, slices.Sorted(maps.Keys(c.anchors))))
	}
	c.open = append(c.open, name)
	v := c.convert(value, depth+1)
	c.open = c.open[:len(c.open)-1]
	return v
}

func (c *converter) mapping(values []*ast.MappingValueNode, at place, depth int) *node {
	m := &node{kind: mapping, at: at}
	seen := map[string]bool{}
	for _, v := range values {
		var key ast.Node = v.Key
		if k, ok := key.(*ast.MappingKeyNode); ok {
			key = k.Value
		}
		if _, ok := key.(*ast.MergeKeyNode); ok {
			c.problem(v.Key, "merge keys (<<) are not understood", "write the keys out")
			continue
		}
		k := c.convert(key, depth+1)
		if k.kind != scalar {
			c.problem(v.Key, "a key must be a single value", "")
			continue
		}
		if seen[k.text] {
			c.problem(v.Key, "key "+k.text+" stands twice in this mapping", "keep one of them")
		}
		seen[k.text] = true
		m.pairs = append(m.pairs, pair{k, c.convert(v.Value, depth+1)})
	}
	return m
}
