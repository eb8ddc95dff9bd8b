package scenario

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"math"
	"slices"
	"strings"
)

func (d *decoder) mix(n *node, dialect string, feeds *node) []Method {
	v := values{decoder: d, dialect: dialect}
	if feeds != nil {
		for _, p := range feeds.pairs {
			v.feeds = append(v.feeds, p.key.text)
		}
	}
	var mix []Method
	sum, sound := 0.0, true
	for _, row := range d.list(n, "methods") {
		f, ok := d.mapping(row, methodTable())
		if !ok {
			sound = false
			continue
		}
		m := Method{Method: d.text(f.given("method"))}
		m.Weight, ok = d.number(f.or("weight"))
		sum, sound = sum+m.Weight, sound && ok
		if params := f.given("params"); params != nil {
			m.Params = v.params(params)
		}
		mix = append(mix, m)
	}
	if len(mix) > 0 && sound && !(sum > 0 && !math.IsInf(sum, 0)) {
		d.report(n, "give at least one row a weight above zero", "the weights add up to %v: no row can be drawn", sum)
	}
	return mix
}

// values reads parameter values, which may hold holes.
type values struct {
	*decoder
	dialect string
	feeds   []string
	inItems bool
}

// The words that make a mapping with that one key a hole.
func holes() []string { return []string{"pick", "items", "base64", "pinned", "literal"} }

// holeOf gives the one pair of a mapping that is a hole.
func holeOf(n *node) (pair, bool) {
	if n.kind == mapping && len(n.pairs) == 1 && slices.Contains(holes(), n.pairs[0].key.text) {
		return n.pairs[0], true
	}
	return pair{}, false
}

func (v values) params(n *node) *Value {
	if n.kind == scalar {
		v.report(n, "to send a bare value on purpose write {literal: ...}", "params are a mapping or a list, not %s", describe(n))
		return nil
	}
	if h, ok := holeOf(n); ok && h.key.text != "literal" && h.key.text != "items" {
		v.report(n, "put it into a mapping or a list", "params are a mapping or a list, and {%s: ...} makes a string", h.key.text)
		return nil
	}
	return v.value(n)
}

// value reads n; a part whose text is known by now becomes one literal.
func (v values) value(n *node) *Value {
	if h, ok := holeOf(n); ok {
		return v.hole(h)
	}
	if n.kind != mapping && n.kind != sequence {
		return &Value{JSON: v.appendJSON(nil, n)}
	}
	out := &Value{Array: n.kind == sequence}
	for _, item := range n.items {
		out.Values = append(out.Values, v.value(item))
	}
	for _, p := range n.pairs {
		out.Keys = append(out.Keys, p.key.text)
		out.Values = append(out.Values, v.value(p.value))
	}
	if slices.ContainsFunc(out.Values, func(below *Value) bool { return below.JSON == nil }) {
		return out
	}
	return &Value{JSON: out.literal()}
}

// literal writes an object or array whose values are all literals.
func (v *Value) literal() []byte {
	open, end := byte('{'), byte('}')
	if v.Array {
		open, end = '[', ']'
	}
	dst := []byte{open}
	for i, below := range v.Values {
		if i > 0 {
			dst = append(dst, ',')
		}
		if !v.Array {
			dst = append(append(dst, quoteJSON(v.Keys[i])...), ':')
		}
		dst = append(dst, below.JSON...)
	}
	return append(dst, end)
}

func (v values) hole(h pair) *Value {
	switch h.key.text {
	case "pick":
		return v.pick(h.value)
	case "items":
		if v.inItems {
			v.report(h.key, "to send a member of that name write {literal: {items: ...}}", "items within items: one entry has one number of items")
			return &Value{}
		}
		v.inItems = true
		return &Value{Items: v.value(h.value)}
	case "base64":
		inner := v.value(h.value)
		if inner.JSON != nil {
			return &Value{JSON: quoteJSON(base64.StdEncoding.EncodeToString(ownBytes(inner.JSON)))}
		}
		return &Value{Base64: inner}
	case "pinned":
		if v.dialect != "near" && v.dialect != "" {
			v.report(h.key, "", "dialect %s has no blocks to pin: {pinned: ...} is NEAR's", v.dialect)
		}
		return &Value{Pinned: v.word(h.value, []string{"final"})}
	}
	return &Value{JSON: v.appendJSON(nil, h.value)}
}

func (v values) pick(n *node) *Value {
	name := v.text(n)
	if name != "" && !slices.Contains(v.feeds, name) {
		hint := "name it under feeds"
		if len(v.feeds) > 0 {
			hint = suggest(name, v.feeds)
		}
		v.report(n, hint, "there is no feed %s", name)
	}
	return &Value{Pick: name}
}

// ownBytes is what base64 encodes: a string's own bytes, else the JSON.
func ownBytes(literal []byte) []byte {
	var s string
	if json.Unmarshal(literal, &s) == nil && literal[0] == '"' {
		return []byte(s)
	}
	return literal
}

// takesItems tells whether v holds an {items: ...}.
func (v *Value) takesItems() bool {
	return v != nil && (v.Items != nil || v.Base64.takesItems() || slices.ContainsFunc(v.Values, (*Value).takesItems))
}

// appendJSON writes n as JSON, mappings in the file's order, numbers by their
// text wherever JSON can hold it.
func (d *decoder) appendJSON(dst []byte, n *node) []byte {
	switch n.kind {
	case mapping:
		dst = append(dst, '{')
		for i, p := range n.pairs {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(append(dst, quoteJSON(p.key.text)...), ':')
			dst = d.appendJSON(dst, p.value)
		}
		return append(dst, '}')
	case sequence:
		dst = append(dst, '[')
		for i, item := range n.items {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = d.appendJSON(dst, item)
		}
		return append(dst, ']')
	case absent:
		return append(dst, "null"...)
	}
	switch resolve(n.text, n.quoted) {
	case isNull:
		return append(dst, "null"...)
	case isBool:
		return append(dst, strings.ToLower(n.text)...)
	case isInt, isFloat:
		return append(dst, jsonNumberText(n.text)...)
	case isInfinite:
		d.report(n, "quote it to send the text", "JSON has no word for %s", n.text)
		return append(dst, "null"...)
	case isDoubtful:
		d.report(n, `quote it to send the text, or write the number without its zero`, "%s is eight-based to some readers and ten-based to others", n.text)
		return append(dst, "null"...)
	}
	return append(dst, quoteJSON(n.text)...)
}

// quoteJSON writes a JSON string, with <, > and & as they are.
func quoteJSON(s string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic(err) // a string always encodes
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
