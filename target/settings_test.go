package target_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"volley/target"
	"volley/target/near"
	"volley/target/rcp"
)

// configs are the nodes' settings as they are without a file.
func configs(t *testing.T) map[string]any {
	t.Helper()
	generic, err := target.ParseGenericConfig(target.ConfigFile{})
	if err != nil {
		t.Fatal(err)
	}
	return map[string]any{"near": near.DefaultConfig(), "rcp": rcp.DefaultConfig(), "jsonrpc": generic}
}

// TestEverySettingIsTold: none without a word on what it means.
func TestEverySettingIsTold(t *testing.T) {
	for name, config := range configs(t) {
		undocumented(t, name, reflect.TypeOf(config), map[reflect.Type]bool{})
		for _, s := range target.Settings(config) {
			if s.Doc == "" || strings.ContainsAny(s.Doc+s.Default, "\n\t") {
				t.Errorf("%s: %s is %q, %q", name, s.Path, s.Default, s.Doc)
			}
		}
	}
}

// undocumented walks the types, not what is listed.
func undocumented(t *testing.T, path string, typ reflect.Type, seen map[reflect.Type]bool) {
	switch typ.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Slice:
		undocumented(t, path, typ.Elem(), seen)
	case reflect.Struct:
		if seen[typ] {
			return
		}
		seen[typ] = true
		for i := range typ.NumField() {
			f := typ.Field(i)
			if name := f.Tag.Get("json"); name != "" && name != "-" {
				if f.Tag.Get("doc") == "" {
					t.Errorf("%s.%s has no doc", path, name)
				}
				undocumented(t, path+"."+name, f.Type, seen)
			}
		}
	}
}

// TestSettingsAreSettings: each that is listed can be set in a file, and its
// default is what is there without it.
func TestSettingsAreSettings(t *testing.T) {
	for name, config := range configs(t) {
		for _, s := range target.Settings(config) {
			if s.Default == "" || strings.HasPrefix(s.Path, "admission.") || strings.HasPrefix(s.Path, "volley.admission.") {
				continue // a group; an admission cannot do without a rate
			}
			text := s.Default
			keys := strings.Split(s.Path, ".")
			for i := len(keys) - 1; i >= 0; i-- {
				text = fmt.Sprintf("{%q: %s}", keys[i], text)
			}
			f := target.ConfigFile{Name: "f", Data: []byte(text)}
			var got any
			var err error
			switch name {
			case "near":
				got, err = near.ParseConfig(f)
			case "rcp":
				got, err = rcp.ParseConfig(f)
			default:
				got, err = target.ParseGenericConfig(f)
			}
			if err != nil {
				t.Errorf("%s: %s: %v", name, text, err)
				continue
			}
			if strings.Contains(s.Path, "misbehave.") || s.Default == "{}" || strings.Contains(s.Path, "service.") {
				continue // where the file changes nil to nothing
			}
			if !reflect.DeepEqual(got, config) && !strings.HasSuffix(s.Path, ".data") {
				t.Errorf("%s: %s changes the node", name, text)
			}
		}
	}
}

// TestSettings: groups, defaults as a file has them, and what is listed once.
func TestSettings(t *testing.T) {
	type part struct {
		N int `json:"n" doc:"a number"`
	}
	type config struct {
		A     part               `json:"a" doc:"a part"`
		B     part               `json:"b" doc:"another"`
		C     *target.Contention `json:"c" doc:"a part that may be missing"`
		M     map[string]int     `json:"m" doc:"by name"`
		Cut   target.ResponseCut `json:"cut" doc:"a word"`
		Time  target.Service     `json:"time" doc:"a time"`
		Not   int                `json:"-"`
		other int
	}
	var got []string
	for _, s := range target.Settings(&config{A: part{3}, other: 1}) {
		got = append(got, fmt.Sprintf("%s %s: %s", s.Path, s.Default, s.Doc))
	}
	want := []string{
		"a : a part", "a.n 3: a number", "b : another; parts as of a",
		"c null: a part that may be missing", "c.sigma 0: the share that is done one after another, 0 and more", "c.kappa 0: the cost of keeping two in step, 0 and more",
		"m {}: by name", `cut "drain": a word`, `time "0s": a time`,
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// TestWordsAreWrittenAsRead: what a file's words mean is written as these words.
func TestWordsAreWrittenAsRead(t *testing.T) {
	for _, tt := range []struct {
		v     any
		texts []string
	}{
		{new(target.Charge), []string{`"request"`, `"entry"`, `"cost"`}},
		{new(target.Bucket), []string{`"client"`, `"node"`}},
		{new(target.ResponseCut), []string{`"drain"`, `"stop"`, `"keep"`}},
		{new(target.ResponseMeasure), []string{`"array"`, `"results"`}},
		{new(target.NullID), []string{`"echo"`, `"invalid"`, `"notification"`}},
		{new(target.DuplicateIDs), []string{`"answer"`, `"invalid"`}},
		{new(target.Limit), []string{`"none"`, `7`}},
		{new(target.Span), []string{`"none"`, `"1.5s"`}},
		{new(near.Duration), []string{`"600ms"`}},
	} {
		for _, text := range tt.texts {
			if err := json.Unmarshal([]byte(text), tt.v); err != nil {
				t.Errorf("%T: %v", tt.v, err)
			} else if got, err := json.Marshal(tt.v); err != nil || string(got) != text {
				t.Errorf("%T: got %s for %s, %v", tt.v, got, text, err)
			}
		}
	}
}
