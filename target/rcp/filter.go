package rcp

import (
	"bytes"
	"maps"
	"slices"
	"strconv"
	"strings"

	"volley/internal/jsonrpc"
)

// filter is a checked tree of section 8. It is evaluated over a document's meta.
type filter struct {
	op    string // an operator, or and, or, not
	field string
	kind  string   // the field's type
	value []scalar // one, but for in and nin
	of    []filter // of and, or, not
}

// filterOperators are all that section 8 has.
var filterOperators = []string{"eq", "ne", "gt", "gte", "lt", "lte", "in", "nin", "contains", "exists"}

// filterTypes are the types of fields that this node compares; date and geo are
// not among them.
var filterTypes = []string{"keyword", "text", "int", "float", "bool"}

// maxFilterClauses bounds what one call may ask of every document.
const maxFilterClauses = 256

// scalar is a JSON scalar by value.
type scalar struct {
	kind   jsonrpc.Kind // String, Number or Bool
	text   string
	number float64
	truth  bool
}

func scalarOf(token []byte) (s scalar, ok bool) {
	switch {
	case isString(token):
		s.kind = jsonrpc.String
		s.text, ok = jsonrpc.Unquote(token)
	case isNumber(token):
		s.kind = jsonrpc.Number
		var err error
		s.number, err = strconv.ParseFloat(string(token), 64)
		ok = err == nil
	case bytes.Equal(token, []byte("true")), bytes.Equal(token, []byte("false")):
		s.kind, s.truth, ok = jsonrpc.Bool, token[0] == 't', true
	}
	return s, ok
}

// fits says whether a value may be compared with a field of that type.
func (s scalar) fits(kind string) bool {
	switch kind {
	case "int", "float":
		return s.kind == jsonrpc.Number
	case "bool":
		return s.kind == jsonrpc.Bool
	}
	return s.kind == jsonrpc.String
}

// filterParser checks a tree against the fields that are advertised.
type filterParser struct {
	fields  map[string]string
	clauses int
}

func (p *filterParser) parse(token []byte, path string) (f filter, fault *jsonrpc.Error) {
	if p.clauses++; p.clauses > maxFilterClauses {
		return f, invalid("filter", "has more than "+strconv.Itoa(maxFilterClauses)+" clauses")
	}
	if !isObject(token) {
		return f, invalid(path, "is not an object")
	}
	combinators := 0
	for _, name := range []string{"and", "or", "not"} {
		if sub := present(token, name); sub != nil {
			combinators++
			f.op = name
			if f.of, fault = p.combined(name, sub, path+"."+name); fault != nil {
				return f, fault
			}
		}
	}
	field := present(token, "field")
	switch {
	case combinators > 1 || combinators == 1 && field != nil:
		return f, invalid(path, "is more than one of and, or, not and a field's clause")
	case combinators == 1:
		return f, nil
	case field == nil:
		return f, invalid(path, "is none of and, or, not and a field's clause")
	}
	return p.clause(token, path)
}

func (p *filterParser) combined(name string, token []byte, path string) (all []filter, fault *jsonrpc.Error) {
	if name == "not" {
		sub, fault := p.parse(token, path)
		return []filter{sub}, fault
	}
	if !isArray(token) {
		return nil, invalid(path, "is not an array of filters")
	}
	for e := range jsonrpc.Elements(token) {
		sub, fault := p.parse(e, path+"["+strconv.Itoa(len(all))+"]")
		if fault != nil {
			return nil, fault
		}
		all = append(all, sub)
	}
	if len(all) == 0 {
		return nil, invalid(path, "is empty")
	}
	return all, nil
}

// clause reads {"field", "op", "value"}.
func (p *filterParser) clause(token []byte, path string) (f filter, fault *jsonrpc.Error) {
	name, asked, fault := optional(token, "field")
	if fault != nil || !asked {
		return f, invalid(path+".field", "is not a string")
	}
	f.field = name
	if f.kind, asked = p.fields[name]; !asked {
		return f, invalid("filter."+name, "is not a field that this server advertises: "+strings.Join(slices.Sorted(maps.Keys(p.fields)), ", "))
	}
	if f.op, asked, fault = optional(token, "op"); fault != nil || !asked {
		return f, invalid(path+".op", "is not a string")
	}
	if !slices.Contains(filterOperators, f.op) {
		return f, unsupported(path+".op", "is not one that this server advertises: "+strings.Join(filterOperators, ", "))
	}
	value := present(token, "value")
	wrong := func(why string) (filter, *jsonrpc.Error) { return f, invalid("filter."+name, why) }
	switch f.op {
	case "in", "nin":
		if !isArray(value) {
			return wrong(f.op + " needs an array of values")
		}
		for e := range jsonrpc.Elements(value) {
			s, ok := scalarOf(e)
			if !ok || !s.fits(f.kind) {
				return wrong("is of type " + f.kind + ": a value is of another")
			}
			f.value = append(f.value, s)
		}
		return f, nil
	case "exists":
		s, ok := scalarOf(value)
		if !ok || s.kind != jsonrpc.Bool {
			return wrong("exists needs true or false")
		}
		f.value = []scalar{s}
		return f, nil
	case "gt", "gte", "lt", "lte":
		if f.kind != "int" && f.kind != "float" {
			return wrong("is of type " + f.kind + ", which has no " + f.op)
		}
	}
	s, ok := scalarOf(value)
	if !ok || !s.fits(f.kind) {
		return wrong("is of type " + f.kind + ": the value is of another, or missing")
	}
	f.value = []scalar{s}
	return f, nil
}

// matches evaluates the tree. A field that is missing, null, or of another type
// than is advertised equals nothing: eq, in, contains and the orderings are
// false of it, ne and nin true. Of an array, a clause is true when it is of one
// element; ne and nin are the opposites of eq and in.
func (f *filter) matches(meta map[string][]scalar) bool {
	switch f.op {
	case "and":
		for i := range f.of {
			if !f.of[i].matches(meta) {
				return false
			}
		}
		return true
	case "or":
		for i := range f.of {
			if f.of[i].matches(meta) {
				return true
			}
		}
		return false
	case "not":
		return !f.of[0].matches(meta)
	}
	values, there := meta[f.field]
	switch f.op {
	case "exists":
		return there == f.value[0].truth
	case "ne", "nin":
		return !f.some(values)
	}
	return f.some(values)
}

func (f *filter) some(values []scalar) bool {
	for _, v := range values {
		for _, want := range f.value {
			if f.holds(v, want) {
				return true
			}
		}
	}
	return false
}

func (f *filter) holds(v, want scalar) bool {
	if v.kind != want.kind {
		return false
	}
	switch f.op {
	case "gt":
		return v.number > want.number
	case "gte":
		return v.number >= want.number
	case "lt":
		return v.number < want.number
	case "lte":
		return v.number <= want.number
	case "contains":
		if f.kind == "text" {
			return strings.Contains(v.text, want.text)
		}
	}
	return v == want
}

// metaValues takes a document's meta apart: of each field its scalar, or its
// array's scalars. Objects and null are no values.
func metaValues(meta []byte) map[string][]scalar {
	values := map[string][]scalar{}
	for text, token := range jsonrpc.Members(meta) {
		name := string(text)
		switch {
		case isArray(token):
			all := []scalar{}
			for e := range jsonrpc.Elements(token) {
				if s, ok := scalarOf(e); ok {
					all = append(all, s)
				}
			}
			values[name] = all
		case isObject(token):
			values[name] = nil
		default:
			delete(values, name)
			if s, ok := scalarOf(token); ok {
				values[name] = []scalar{s}
			}
		}
	}
	return values
}
