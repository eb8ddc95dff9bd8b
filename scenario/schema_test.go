package scenario

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func schema(t *testing.T) map[string]any {
	t.Helper()
	text, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	var s map[string]any
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

// violations checks a value against the part of JSON Schema that Schema uses.
func violations(s map[string]any, v any, path string) []string {
	if of, ok := s["oneOf"].([]any); ok {
		var all []string
		matched := 0
		for _, o := range of {
			if bad := violations(o.(map[string]any), v, path); len(bad) > 0 {
				all = append(all, bad...)
			} else {
				matched++
			}
		}
		if matched == 1 {
			return nil
		}
		return append(all, fmt.Sprintf("%s: matches %d of oneOf", path, matched))
	}
	bad := func(what string) []string { return []string{path + ": " + what} }
	if c, ok := s["const"]; ok && c != v {
		return bad("is not the constant")
	}
	if enum, ok := s["enum"].([]any); ok && !slices.Contains(enum, v) {
		return bad(fmt.Sprintf("%v is in no enum", v))
	}
	switch v := v.(type) {
	case string:
		if s["type"] != nil && s["type"] != "string" {
			return bad("is a string")
		}
		if p, ok := s["pattern"].(string); ok && !regexp.MustCompile(p).MatchString(v) {
			return bad(v + " does not match " + p)
		}
	case float64:
		if s["type"] != nil && s["type"] != "number" && (s["type"] != "integer" || v != float64(int64(v))) {
			return bad("is a number")
		}
		if least, ok := s["minimum"].(float64); ok && v < least {
			return bad("is too small")
		}
		if most, ok := s["maximum"].(float64); ok && v > most {
			return bad("is too large")
		}
	case bool:
		if s["type"] != nil && s["type"] != "boolean" {
			return bad("is a boolean")
		}
	case []any:
		if s["type"] != nil && s["type"] != "array" {
			return bad("is a list")
		}
		items, _ := s["items"].(map[string]any)
		var all []string
		for i, item := range v {
			all = append(all, violations(items, item, fmt.Sprintf("%s[%d]", path, i))...)
		}
		return all
	case map[string]any:
		if s["type"] != nil && s["type"] != "object" {
			return bad("is a mapping")
		}
		return mappingViolations(s, v, path)
	}
	return nil
}

func mappingViolations(s map[string]any, v map[string]any, path string) (all []string) {
	for _, r := range asList(s["required"]) {
		if _, ok := v[r.(string)]; !ok {
			all = append(all, fmt.Sprintf("%s: lacks %v", path, r))
		}
	}
	properties, _ := s["properties"].(map[string]any)
	patterns, _ := s["patternProperties"].(map[string]any)
	for key, value := range v {
		below := path + "." + key
		if p, ok := properties[key].(map[string]any); ok {
			all = append(all, violations(p, value, below)...)
			continue
		}
		matched := false
		for pattern, p := range patterns {
			if regexp.MustCompile(pattern).MatchString(key) {
				matched = true
				all = append(all, violations(p.(map[string]any), value, below)...)
			}
		}
		switch extra := s["additionalProperties"].(type) {
		case bool:
			if !extra && !matched {
				all = append(all, below+": unknown")
			}
		case map[string]any:
			all = append(all, violations(extra, value, below)...)
		}
	}
	return all
}

func asList(v any) []any {
	list, _ := v.([]any)
	return list
}

// plainValue turns our tree into what encoding/json would have read.
func plainValue(t *testing.T, n *node) any {
	switch n.kind {
	case mapping:
		m := map[string]any{}
		for _, p := range n.pairs {
			m[p.key.text] = plainValue(t, p.value)
		}
		return m
	case sequence:
		list := []any{}
		for _, item := range n.items {
			list = append(list, plainValue(t, item))
		}
		return list
	case scalar:
		switch resolve(n.text, n.quoted) {
		case isBool:
			return n.text == "true"
		case isInt, isFloat:
			v, err := strconv.ParseFloat(n.text, 64)
			if err == nil {
				return v
			}
		}
		return n.text
	}
	return nil
}

func TestExamplesFitTheSchema(t *testing.T) {
	s := schema(t)
	texts := map[string][]byte{}
	files, _ := filepath.Glob("testdata/*.yaml")
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts[file] = data
	}
	for _, b := range Builtins() {
		texts[b.Name], _ = BuiltinSource(b.Name)
	}
	for name, p := range examples(t) {
		text, err := p.YAML()
		if err != nil {
			t.Fatal(err)
		}
		texts["effective plan of "+name] = text
	}
	for name, text := range texts {
		root, problems := parse(document{file: name}, text)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		for _, v := range violations(s, plainValue(t, root), "") {
			t.Errorf("%s%s", name, v)
		}
	}
}

func TestBadScenariosDoNotAllFitTheSchema(t *testing.T) {
	s := schema(t)
	for _, name := range []string{"five-mistakes", "unknown-keys", "wrong-types", "missing"} {
		data, err := os.ReadFile("testdata/bad/" + name + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		root, _ := parse(document{}, data)
		if len(violations(s, plainValue(t, root), "")) == 0 {
			t.Errorf("%s fits the schema", name)
		}
	}
}

// TestSchemaKnowsWhatTheDecoderKnows: at every level of the schema, the decoder
// takes each property and refuses one more.
func TestSchemaKnowsWhatTheDecoderKnows(t *testing.T) {
	levels := 0
	var walk func(s map[string]any, path string)
	walk = func(s map[string]any, path string) {
		for _, o := range asList(s["oneOf"]) {
			walk(o.(map[string]any), path)
		}
		if items, ok := s["items"].(map[string]any); ok {
			walk(items, path+"[0]")
		}
		if extra, ok := s["additionalProperties"].(map[string]any); ok {
			walk(extra, strings.TrimPrefix(path+".some", "."))
		}
		properties, ok := s["properties"].(map[string]any)
		if !ok {
			return
		}
		levels++
		for key := range properties {
			if told := unknownAt(t, path, key); told {
				t.Errorf("%s.%s is in the schema, but the decoder does not know it", path, key)
			}
		}
		if !unknownAt(t, path, "surplus") {
			t.Errorf("%s: the decoder took an unknown key", path)
		}
		for key, p := range properties {
			walk(p.(map[string]any), strings.TrimPrefix(path+"."+key, "."))
		}
	}
	walk(schema(t), "")
	if want := 31; levels != want {
		t.Errorf("%d mappings in the schema, want %d", levels, want)
	}
}

// unknownAt tells whether the decoder calls the key unknown at the path.
func unknownAt(t *testing.T, path, key string) bool {
	t.Helper()
	under := strings.TrimPrefix(path+"."+key, ".")
	_, err := load(source{file: "x.yaml", dir: t.TempDir(), data: []byte("name: x\n")}, []string{under + "={a: b}"})
	problems, ok := err.(Problems)
	if !ok {
		t.Fatalf("%s: %v", under, err)
	}
	return slices.ContainsFunc(problems, func(p Problem) bool {
		return p.Path == under && (strings.HasPrefix(p.Message, "unknown key") || strings.Contains(p.Message, "is no size"))
	})
}
