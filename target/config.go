package target

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"

	"volley/internal/jsonrpc"
)

// ConfigFile is a node's config file: JSON, read with errors that say where.
type ConfigFile struct {
	Name string // as errors show it
	Data []byte // empty: as {}
}

// ConfigError is a fault in a config file and where it stands.
type ConfigError struct {
	File   string
	Line   int // from 1
	Column int // from 1, in characters
	Msg    string

	at int // the offset in bytes
}

func (e *ConfigError) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Msg)
}

// Decode reads the file into v, a pointer, as encoding/json would, but that a key
// is one as it is written alone: in another case it is unknown. What the file does
// not name keeps its value. Every error is a *ConfigError; one is a setting that
// stands twice. strict refuses keys that v has no place for; else they are passed
// over.
func (f ConfigFile) Decode(v any, strict bool) error {
	return f.DecodeAt(nil, v, strict)
}

// DecodeAt is Decode for the value at a path of keys. When there is none, v is
// left as it is.
func (f ConfigFile) DecodeAt(path []string, v any, strict bool) error {
	if len(bytes.TrimSpace(f.Data)) == 0 {
		return nil
	}
	var whole json.RawMessage
	if err := json.Unmarshal(f.Data, &whole); err != nil {
		at := 0
		if s, ok := errors.AsType[*json.SyntaxError](err); ok {
			at = int(max(s.Offset-1, 0))
		}
		return f.errorAt(at, "%s", err)
	}
	if _, _, err := jsonrpc.Split(f.Data, nil); err != nil { // encoding/json lets bad UTF-8 pass
		if s, ok := errors.AsType[*jsonrpc.SyntaxError](err); ok {
			return f.errorAt(s.Offset, "%s", s.Reason)
		}
		return f.errorAt(0, "%s", err)
	}
	at, raw, found := f.find(path)
	if !found {
		return nil
	}
	d := decoding{file: f, strict: strict}
	if err := d.check(raw, at, reflect.TypeOf(v).Elem(), strings.Join(path, ".")); err != nil {
		return err
	}
	if err := json.Unmarshal(known(nil, raw, reflect.TypeOf(v).Elem()), v); err != nil {
		return f.errorAt(at, "%s", err)
	}
	return nil
}

// Errorf is a *ConfigError at the value that stands at path, or at the nearest
// one around it that the file has.
func (f ConfigFile) Errorf(path []string, format string, a ...any) error {
	at, _, _ := f.find(path)
	return f.errorAt(at, format, a...)
}

// find locates the value at path, or the nearest one around it.
func (f ConfigFile) find(path []string) (at int, raw []byte, found bool) {
	raw = bytes.TrimSpace(f.Data)
	at = bytes.Index(f.Data, raw)
	for _, key := range path {
		inner := -1
		var value []byte
		for w := jsonrpc.Over(raw); w.Next(); {
			if string(w.Name) == key {
				inner, value = w.ValueAt, w.Value
			}
		}
		if inner < 0 {
			return at, raw, false
		}
		at, raw = at+inner, value
	}
	return at, raw, true
}

func (f ConfigFile) errorAt(at int, format string, a ...any) error {
	before := f.Data[:min(at, len(f.Data))]
	line := 1 + bytes.Count(before, []byte("\n"))
	column := 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
	return &ConfigError{File: f.Name, Line: line, Column: column, Msg: fmt.Sprintf(format, a...), at: at}
}

// decoding walks a value and the type that it goes into side by side, since
// encoding/json does not say where an error stands.
type decoding struct {
	file   ConfigFile
	strict bool
}

var unmarshaler = reflect.TypeFor[json.Unmarshaler]()

func (d decoding) check(raw []byte, at int, t reflect.Type, path string) error {
	if string(raw) == "null" {
		return nil
	}
	switch t = settled(t); {
	case raw[0] != '{':
	case t.Kind() == reflect.Struct && !readsItself(t):
		return d.checkStruct(raw, at, t, path)
	case t.Kind() == reflect.Map && !readsItself(t):
		return d.checkMap(raw, at, t, path)
	}
	err := json.Unmarshal(raw, reflect.New(t).Interface())
	if err == nil {
		return nil
	}
	if inner, ok := errors.AsType[*ConfigError](err); ok { // a part that reads itself says where
		return d.file.errorAt(at+inner.at, "%s", inner.Msg)
	}
	msg := err.Error()
	if _, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		msg = fmt.Sprintf("want %s, got %s", wanted(t), shown(raw))
	}
	if path != "" {
		msg = path + ": " + msg
	}
	return d.file.errorAt(at, "%s", msg)
}

// settled is what a pointer's value is.
func settled(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer && !t.Implements(unmarshaler) {
		t = t.Elem()
	}
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}

// readsItself tells whether a type has a way of its own to be read.
func readsItself(t reflect.Type) bool { return reflect.PointerTo(t).Implements(unmarshaler) }

func (d decoding) checkStruct(raw []byte, at int, t reflect.Type, path string) error {
	fields := map[string]reflect.Type{}
	collect(t, fields)
	seen := map[string]bool{}
	for w := jsonrpc.Over(raw); w.Next(); {
		key := string(w.Name)
		ft, ok := fields[key]
		switch {
		case !ok && d.strict:
			return d.file.errorAt(at+w.NameAt, "no setting is called %s%s", join(path, key), suggestion(key, fields))
		case !ok:
			continue
		case seen[key]:
			return d.file.errorAt(at+w.NameAt, "%s stands twice", join(path, key))
		}
		seen[key] = true
		if err := d.check(w.Value, at+w.ValueAt, ft, join(path, key)); err != nil {
			return err
		}
	}
	return nil
}

func (d decoding) checkMap(raw []byte, at int, t reflect.Type, path string) error {
	seen := map[string]bool{}
	for w := jsonrpc.Over(raw); w.Next(); {
		key := string(w.Name)
		if seen[key] {
			return d.file.errorAt(at+w.NameAt, "%s stands twice", join(path, key))
		}
		seen[key] = true
		if err := d.check(w.Value, at+w.ValueAt, t.Elem(), join(path, key)); err != nil {
			return err
		}
	}
	return nil
}

// known appends a value without the members that its type has no place for: with
// encoding/json alone a name in another case would find one.
func known(dst, raw []byte, t reflect.Type) []byte {
	t = settled(t)
	isStruct, isMap := t.Kind() == reflect.Struct, t.Kind() == reflect.Map
	if raw[0] != '{' || readsItself(t) || !isStruct && !isMap {
		return append(dst, raw...)
	}
	fields := map[string]reflect.Type{}
	if isStruct {
		collect(t, fields)
	}
	opening := byte('{')
	for w := jsonrpc.Over(raw); w.Next(); {
		ft, ok := fields[string(w.Name)]
		if isMap {
			ft, ok = t.Elem(), true
		}
		if ok {
			dst = append(jsonrpc.AppendString(append(dst, opening), string(w.Name)), ':')
			dst, opening = known(dst, w.Value, ft), ','
		}
	}
	if opening == '{' {
		dst = append(dst, '{')
	}
	return append(dst, '}')
}

// collect gathers the JSON names of a struct's fields, embedded ones included.
func collect(t reflect.Type, into map[string]reflect.Type) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-" || !f.IsExported() && !f.Anonymous:
		case f.Anonymous && name == "" && f.Type.Kind() == reflect.Struct:
			collect(f.Type, into)
		case name == "":
			into[f.Name] = f.Type
		default:
			into[name] = f.Type
		}
	}
}

func join(path, key string) string {
	if strings.IndexFunc(key, func(r rune) bool { return r < ' ' || r > '~' }) >= 0 {
		key = fmt.Sprintf("%+q", key)
	}
	if path == "" {
		return key
	}
	return path + "." + key
}

func wanted(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "a string"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return "a whole number"
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "a whole number that is not under zero"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Slice, reflect.Array:
		return "an array"
	}
	return "an object"
}

func shown(raw []byte) string {
	switch raw[0] {
	case '{':
		return "an object"
	case '[':
		return "an array"
	}
	if len(raw) > 40 {
		return fmt.Sprintf("%+q...", raw[:40])
	}
	return fmt.Sprintf("%+q", raw)
}

// suggestion finds the known key that an unknown one most likely stands for.
func suggestion(key string, known map[string]reflect.Type) string {
	best, least := "", len(key)/3+1
	for k := range known {
		if d := distance(key, k); d < least || d == least && (best == "" || k < best) {
			best, least = k, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %s?", best)
}

// Misspelt tells which of the known keys an unknown one is a slip of the pen for:
// at most two letters differ in a key of at least eight. It is for files that may
// hold settings of other programs, where an unknown key alone is no mistake.
func Misspelt(key string, known []string) (meant string, ok bool) {
	for _, k := range known {
		if len(k) >= 8 && distance(key, k) <= 2 {
			return k, true
		}
	}
	return "", false
}

// distance is the least number of bytes to put in, leave out or change
// (Levenshtein) that turns a into b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// listed joins words as a sentence does: a, b and c.
func listed(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}
