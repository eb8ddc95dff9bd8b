package target

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"
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

// Decode reads the file into v, a pointer, as encoding/json would; what the
// file does not name keeps its value. Every error is a *ConfigError. strict
// refuses keys that v has no place for, and keys given twice.
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
	at, raw, found := f.find(path)
	if !found {
		return nil
	}
	d := decoding{file: f, strict: strict}
	if err := d.check(raw, at, reflect.TypeOf(v).Elem(), strings.Join(path, ".")); err != nil {
		return err
	}
	if err := json.Unmarshal(raw, v); err != nil {
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
		for i, m := range members(raw) {
			if m.key == key {
				inner = i
			}
		}
		if inner < 0 {
			return at, raw, false
		}
		m := members(raw)[inner]
		at, raw = at+m.at, m.value
	}
	return at, raw, true
}

func (f ConfigFile) errorAt(at int, format string, a ...any) error {
	before := f.Data[:min(at, len(f.Data))]
	line := 1 + bytes.Count(before, []byte("\n"))
	column := 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
	return &ConfigError{File: f.Name, Line: line, Column: column, Msg: fmt.Sprintf(format, a...), at: at}
}

// member is one member of a JSON object; at and keyAt are offsets in it.
type member struct {
	key       string
	keyAt, at int
	value     []byte
}

// members takes a valid JSON object apart; of any other value there are none.
func members(object []byte) []member {
	dec := json.NewDecoder(bytes.NewReader(object))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	var out []member
	for dec.More() {
		before := int(dec.InputOffset())
		key, err := dec.Token()
		if err != nil {
			return out
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return out
		}
		out = append(out, member{
			key:   key.(string),
			keyAt: before + max(bytes.IndexByte(object[before:], '"'), 0),
			at:    int(dec.InputOffset()) - len(value),
			value: value,
		})
	}
	return out
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
	for t.Kind() == reflect.Pointer && !t.Implements(unmarshaler) {
		t = t.Elem()
	}
	if t.Kind() != reflect.Pointer && !reflect.PointerTo(t).Implements(unmarshaler) {
		switch {
		case t.Kind() == reflect.Struct && raw[0] == '{':
			return d.checkStruct(raw, at, t, path)
		case t.Kind() == reflect.Map && raw[0] == '{':
			for _, m := range members(raw) {
				if err := d.check(m.value, at+m.at, t.Elem(), join(path, m.key)); err != nil {
					return err
				}
			}
			return nil
		}
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

func (d decoding) checkStruct(raw []byte, at int, t reflect.Type, path string) error {
	fields := map[string]reflect.Type{}
	collect(t, fields)
	seen := map[string]bool{}
	for _, m := range members(raw) {
		if d.strict && seen[m.key] {
			return d.file.errorAt(at+m.keyAt, "%s stands twice", join(path, m.key))
		}
		seen[m.key] = true
		ft, ok := fields[m.key]
		if !ok && d.strict {
			return d.file.errorAt(at+m.keyAt, "no setting is called %s%s", join(path, m.key), suggestion(m.key, fields))
		}
		if !ok {
			continue
		}
		if err := d.check(m.value, at+m.at, ft, join(path, m.key)); err != nil {
			return err
		}
	}
	return nil
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
