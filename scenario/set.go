package scenario

import (
	"fmt"
	"strconv"
	"strings"
)

// step is one part of a set's path: a key, or an index when key is nil.
type step struct {
	key   *string
	index int
}

// applySet patches the document with one "path=value".
func applySet(root *node, set string) *Problem {
	path, value, ok := cutSet(set)
	if !ok {
		return &Problem{File: "--set " + path, Message: "a set is written path=value", Hint: "for instance --set load[0].rate='900 entries/s'"}
	}
	at := place{set: "--set " + path + "=…"}
	steps, err := parsePath(path)
	if err != nil {
		return &Problem{File: at.set, Message: err.Error(), Hint: `keys are parted by dots, list entries are [0], [1], ...; a key that holds a dot is quoted: "a.b"`}
	}
	v := &node{}
	if strings.TrimSpace(value) != "" {
		parsed, problems := parse(document{}, []byte(value))
		if len(problems) > 0 {
			return &Problem{File: at.set, Path: path, Message: problems[0].Message, Hint: "the value is read as YAML: quote it if it is meant as text"}
		}
		v = parsed
	}
	v.move(at)
	return root.set(steps, v, at, "")
}

// move says of every value below n that a set brought it.
func (n *node) move(at place) {
	n.at = at
	for _, item := range n.items {
		item.move(at)
	}
	for _, p := range n.pairs {
		p.key.move(at)
		p.value.move(at)
	}
}

func (n *node) set(steps []step, v *node, at place, path string) *Problem {
	if len(steps) == 0 {
		*n = *v
		return nil
	}
	where := path
	if where == "" {
		where = "the document"
	}
	s := steps[0]
	if s.key != nil {
		if n.kind == absent {
			*n = node{kind: mapping, at: at}
		}
		if n.kind != mapping {
			return &Problem{File: at.set, Message: fmt.Sprintf("%s is %s, not a mapping: it has no key %s", where, n.kind, *s.key)}
		}
		below := n.get(*s.key)
		if below == nil {
			below = &node{at: at}
			n.pairs = append(n.pairs, pair{&node{kind: scalar, text: *s.key, at: at}, below})
		}
		return below.set(steps[1:], v, at, strings.TrimPrefix(path+"."+quoteKey(*s.key), "."))
	}
	if n.kind == absent && s.index == 0 {
		*n = node{kind: sequence, at: at}
	}
	if n.kind != sequence {
		return &Problem{File: at.set, Message: fmt.Sprintf("%s is %s, not a list: it has no entry [%d]", where, n.kind, s.index)}
	}
	if s.index > len(n.items) {
		return &Problem{File: at.set, Message: fmt.Sprintf("%s has no entry [%d]", where, s.index),
			Hint: fmt.Sprintf("it has %d, counted from 0; [%d] would add one", len(n.items), len(n.items))}
	}
	if s.index == len(n.items) {
		n.items = append(n.items, &node{at: at})
	}
	return n.items[s.index].set(steps[1:], v, at, fmt.Sprintf("%s[%d]", path, s.index))
}

// cutSet parts path and value at the first equals sign outside of quotes.
func cutSet(set string) (path, value string, ok bool) {
	quoted := false
	for i := 0; i < len(set); i++ {
		switch {
		case quoted && set[i] == '\\':
			i++
		case set[i] == '"':
			quoted = !quoted
		case set[i] == '=' && !quoted:
			return strings.TrimSpace(set[:i]), set[i+1:], i > 0
		}
	}
	return set, "", false
}

func parsePath(path string) ([]step, error) {
	var steps []step
	for rest := path; rest != ""; {
		switch {
		case rest[0] == '[':
			text, after, ok := strings.Cut(rest[1:], "]")
			i, err := strconv.ParseUint(text, 10, 24)
			if !ok || err != nil {
				return nil, fmt.Errorf("%q is no index", "["+text)
			}
			steps, rest = append(steps, step{index: int(i)}), after
		case rest[0] == '"':
			key, after, err := quotedKey(rest)
			if err != nil {
				return nil, err
			}
			steps, rest = append(steps, step{key: &key}), after
		default:
			end := strings.IndexAny(rest, `.["`)
			if end < 0 {
				end = len(rest)
			}
			if end == 0 {
				return nil, fmt.Errorf("the path has an empty key")
			}
			key := rest[:end]
			steps, rest = append(steps, step{key: &key}), rest[end:]
		}
		if rest == "" {
			return steps, nil
		}
		switch {
		case rest[0] == '.':
			if rest = rest[1:]; rest == "" {
				return nil, fmt.Errorf("the path ends in a dot")
			}
		case rest[0] != '[':
			return nil, fmt.Errorf("a dot is missing before %q", rest)
		}
	}
	return nil, fmt.Errorf("the path is empty")
}

func quotedKey(s string) (key, rest string, err error) {
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '"':
			return b.String(), s[i+1:], nil
		case s[i] == '\\' && i+1 < len(s):
			i++
			b.WriteByte(s[i])
		default:
			b.WriteByte(s[i])
		}
	}
	return "", "", fmt.Errorf("a quote is not closed")
}
