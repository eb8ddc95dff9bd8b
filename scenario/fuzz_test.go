package scenario

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"unicode"
)

// FuzzLoad: whatever the bytes, loading gives a plan or problems with a place,
// and a plan is written so that it loads back to the same text.
func FuzzLoad(f *testing.F) {
	seeds, err := filepath.Glob("testdata/*.yaml")
	if err != nil {
		f.Fatal(err)
	}
	bad, err := filepath.Glob("testdata/bad/*.yaml")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range append(seeds, bad...) {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, "load[0].rate=900 entries/s")
	}
	for _, b := range Builtins() {
		data, _ := BuiltinSource(b.Name)
		f.Add(data, `"mix"[1].params={a: [1, {b: {pick: c}}]}`)
	}
	dir := f.TempDir() // feeds of fuzzed scenarios find nothing here
	f.Fuzz(func(t *testing.T, data []byte, set string) {
		for _, sets := range [][]string{nil, {set}} {
			p, err := load(source{file: "fuzz.yaml", dir: dir, data: data}, sets)
			if err == nil {
				writesBack(t, p)
				continue
			}
			problems, ok := err.(Problems)
			if !ok || len(problems) == 0 {
				t.Fatalf("not problems: %T %v", err, err)
			}
			for _, p := range problems {
				if p.Message == "" || (p.Line < 1 || p.Column < 1) && (p.Line != 0 || p.Source != "") {
					t.Errorf("not located: %+v", p)
				}
				for _, r := range p.String() {
					if !unicode.IsPrint(r) && r != '\n' && r != '\t' {
						t.Errorf("control character %q in %q", r, p.String())
					}
				}
			}
		}
	})
}

func writesBack(t *testing.T, p *Plan) {
	text, err := p.YAML()
	if err != nil {
		t.Fatal(err)
	}
	back, err := load(source{file: "plan.yaml", dir: "/", data: text}, nil)
	if err != nil {
		t.Fatalf("the plan does not load back:\n%s\n%v", text, err)
	}
	again, err := back.YAML()
	if err != nil {
		t.Fatal(err)
	}
	if string(again) != string(text) {
		t.Errorf("written twice it differs:\n%s\n%s", text, again)
	}
	if !reflect.DeepEqual(p.Mix, back.Mix) || !reflect.DeepEqual(p.Phases, back.Phases) || !reflect.DeepEqual(p.Objectives, back.Objectives) ||
		!reflect.DeepEqual(p.Size, back.Size) || !reflect.DeepEqual(p.Feeds, back.Feeds) || string(p.Target.Node) != string(back.Target.Node) {
		t.Errorf("loads back to another plan:\n%s", text)
	}
}
