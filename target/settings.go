package target

import (
	"encoding/json"
	"reflect"
	"strings"
)

// Setting is one setting of a config file, for people to read.
type Setting struct {
	Path    string // its keys, joined by dots; one in <> stands for any
	Default string // as a file would say it; "" of a group
	Doc     string // one line
}

// Settings lists what a config file can say, in the order of the struct's fields:
// names are of the tag "json", what they mean of the tag "doc", defaults the
// struct's values. The parts of a struct that comes several times are listed at
// its first place alone.
func Settings(config any) []Setting {
	l := settingsList{places: map[reflect.Type]string{}}
	l.list(reflect.Indirect(reflect.ValueOf(config)), "")
	return l.all
}

type settingsList struct {
	all    []Setting
	places map[reflect.Type]string // of structs, where their parts are listed
}

// lister is a type that lists its parts itself.
type lister interface{ settings() []Setting }

func (l *settingsList) list(v reflect.Value, path string) {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" || name == "-" {
			continue
		}
		l.add(v.Field(i), Setting{Path: join(path, name), Doc: f.Tag.Get("doc")})
	}
}

func (l *settingsList) add(v reflect.Value, s Setting) {
	t := settled(v.Type())
	if v.Kind() == reflect.Pointer || t.Kind() != reflect.Struct || !hasSettings(t) {
		s.Default = written(v)
	}
	group := len(l.all)
	l.all = append(l.all, s)
	if parts, ok := reflect.Zero(t).Interface().(lister); ok {
		for _, p := range parts.settings() {
			p.Path = join(s.Path, p.Path)
			l.all = append(l.all, p)
		}
		return
	}
	if t.Kind() != reflect.Struct || !hasSettings(t) {
		return
	}
	if place, listed := l.places[t]; listed {
		l.all[group].Doc += "; parts as of " + place
		return
	}
	l.places[t] = s.Path
	if v.Kind() == reflect.Pointer {
		v = reflect.Zero(t)
	}
	l.list(v, s.Path)
}

func hasSettings(t reflect.Type) bool {
	for i := range t.NumField() {
		if t.Field(i).Tag.Get("json") != "" {
			return true
		}
	}
	return false
}

// written is a value as a config file says it.
func written(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Map:
		if v.Len() == 0 {
			return "{}"
		}
	case reflect.Struct:
		if s, ok := v.Interface().(Service); ok && s.IsZero() {
			return `"0s"`
		}
	}
	text, err := json.Marshal(v.Interface())
	if err != nil {
		return ""
	}
	return string(text)
}
