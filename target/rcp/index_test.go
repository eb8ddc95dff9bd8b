package rcp

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"volley/internal/jsonrpc"
	"volley/target"
)

const empty = `{"documents":0,"dimension":16,"hidden":8`

func ids(t *testing.T, d *Dialect, params string) []string {
	t.Helper()
	return result[struct{ IDs []string }](t, d, `{"id":1,"method":"index/add","params":`+params+`}`).IDs
}

func deleted(t *testing.T, d *Dialect, params string) int {
	t.Helper()
	return result[struct{ Deleted int }](t, d, `{"id":1,"method":"index/delete","params":`+params+`}`).Deleted
}

func stored(d *Dialect) map[string]string {
	all := map[string]string{}
	for _, doc := range d.index.current.Load().docs {
		all[doc.id] = doc.text
	}
	return all
}

// Ids are positional; a document with an id replaces the one that has it.
func TestIndexAdd(t *testing.T) {
	d := newDialect(t, empty+`}`)
	for _, row := range []struct {
		params string
		ids    []string
		after  map[string]string
	}{
		{`{"documents":[]}`, nil, map[string]string{}},
		{`{"documents":[{"id":"b","text":"1"},{"id":"a","text":"2","meta":null,"x-acme":1}],"chunk":false}`, []string{"b", "a"}, map[string]string{"a": "2", "b": "1"}},
		{`{"documents":[{"id":"b","text":"3"}]}`, []string{"b"}, map[string]string{"a": "2", "b": "3"}},
		{`{"documents":[{"id":"c","text":"4"},{"id":"c","text":"5"}]}`, []string{"c", "c"}, map[string]string{"a": "2", "b": "3", "c": "5"}},
		{`{"documents":[{"id":"volley-2","text":"6"}]}`, []string{"volley-2"}, map[string]string{"a": "2", "b": "3", "c": "5", "volley-2": "6"}},
		{`{"documents":[{"text":"7"},{"id":"volley-3","text":"8"},{"id":null,"text":""}]}`, []string{"volley-1", "volley-3", "volley-4"},
			map[string]string{"a": "2", "b": "3", "c": "5", "volley-2": "6", "volley-1": "7", "volley-3": "8", "volley-4": ""}},
	} {
		if got := ids(t, d, row.params); !slices.Equal(got, row.ids) {
			t.Errorf("%s: ids %v, want %v", row.params, got, row.ids)
		}
		if got := stored(d); !reflect.DeepEqual(got, row.after) {
			t.Errorf("%s: the index holds %v, want %v", row.params, got, row.after)
		}
	}
	if got := deleted(t, d, `{"ids":["a","nobody","a","volley-4"]}`); got != 2 {
		t.Errorf("deleted %d, want 2", got)
	}
	if got := deleted(t, d, `{"ids":["a","nobody","a","volley-4"]}`); got != 0 {
		t.Errorf("deleted %d again", got)
	}
	if _, there := stored(d)["a"]; there || len(stored(d)) != 5 {
		t.Errorf("the index holds %v", stored(d))
	}
}

func TestIndexParams(t *testing.T) {
	d := newDialect(t, empty+`,"embed_batch_limit":2,"index_limit":3,"index_bytes_limit":40}`)
	ids(t, d, `{"documents":[{"id":"1","text":"a"},{"id":"2","text":"b"}]}`)
	for _, row := range []struct {
		method, params string
		code           jsonrpc.Code
		data           string
	}{
		{"index/add", `{}`, jsonrpc.InvalidParams, `{"field":"documents"}`},
		{"index/add", `{"documents":null}`, jsonrpc.InvalidParams, `{"field":"documents"}`},
		{"index/add", `{"documents":{}}`, jsonrpc.InvalidParams, `{"field":"documents"}`},
		{"index/add", `{"documents":["text"]}`, jsonrpc.InvalidParams, `{"field":"documents[0]"}`},
		{"index/add", `{"documents":[{"id":"a"}]}`, jsonrpc.InvalidParams, `{"field":"documents[0].text"}`},
		{"index/add", `{"documents":[{"text":"a"},{"text":7}]}`, jsonrpc.InvalidParams, `{"field":"documents[1].text"}`},
		{"index/add", `{"documents":[{"text":"a","id":7}]}`, jsonrpc.InvalidParams, `{"field":"documents[0].id"}`},
		{"index/add", `{"documents":[{"text":"a","id":""}]}`, jsonrpc.InvalidParams, `{"field":"documents[0].id"}`},
		{"index/add", `{"documents":[{"text":"a","meta":[]}]}`, jsonrpc.InvalidParams, `{"field":"documents[0].meta"}`},
		{"index/add", `{"documents":[],"chunk":1}`, jsonrpc.InvalidParams, `{"field":"chunk"}`},
		{"index/add", `{"documents":[],"chunk":true}`, optionUnsupported, `{"option":"chunk"}`},
		{"index/add", `{"documents":[],"contextual":true}`, optionUnsupported, `{"option":"contextual"}`},
		{"index/add", `{"documents":[{"text":"a"},{"text":"a"},{"text":"a"}]}`, jsonrpc.InvalidParams, `{"limit":2,"size":3}`},
		{"index/add", `{"documents":[{"text":"a"},{"text":"a"}]}`, payloadTooLarge, `{"limit":3,"size":4}`},
		{"index/add", `{"documents":[{"id":"1","text":"` + strings.Repeat("long", 10) + `"}]}`, payloadTooLarge, `{"limit":40,"size":43}`},
		{"index/delete", `{}`, jsonrpc.InvalidParams, `{"field":"ids"}`},
		{"index/delete", `{"ids":"1"}`, jsonrpc.InvalidParams, `{"field":"ids"}`},
		{"index/delete", `{"ids":["1",2]}`, jsonrpc.InvalidParams, `{"field":"ids[1]"}`},
	} {
		_, e := do(t, d, d.Connect(target.HTTP), `{"id":1,"method":"`+row.method+`","params":`+row.params+`}`)
		if e == nil {
			t.Fatalf("%s %.80s is not refused", row.method, row.params)
		}
		if e.Code != row.code || string(e.Data) != row.data {
			t.Errorf("%s %.80s: code %d, data %s; want %d, %s", row.method, row.params, e.Code, e.Data, row.code, row.data)
		}
		if got := stored(d); !reflect.DeepEqual(got, map[string]string{"1": "a", "2": "b"}) {
			t.Fatalf("%s %.80s: refused, yet the index holds %v", row.method, row.params, got)
		}
	}
}

func contents(s *snapshot) string {
	var all []string
	for _, doc := range s.docs {
		all = append(all, doc.id+"="+doc.text)
	}
	return strings.Join(all, " ")
}

// Snapshots against a map, over random histories; those that are held do not
// change, and equal contents by equal histories have one version.
func TestSnapshots(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	s, model := new(snapshot), map[string]string{}
	for step := range 300 {
		old, before := s, contents(s)
		if r.IntN(3) > 0 {
			var docs []*document
			for i := range 30 {
				if r.IntN(6) == 0 {
					doc := &document{id: fmt.Sprintf("%02d", i), text: strings.Repeat("x", r.IntN(3))}
					docs = append(docs, doc)
					model[doc.id] = doc.text
				}
			}
			s = s.with(docs)
			if again := s.with(docs); again.version != s.version || again.bytes != s.bytes || len(again.docs) != len(s.docs) {
				t.Fatalf("step %d: the same documents again are a change", step)
			}
		} else {
			var gone []string
			want := 0
			for range r.IntN(8) {
				id := fmt.Sprintf("%02d", r.IntN(30))
				gone = append(gone, id)
				if _, there := model[id]; there {
					delete(model, id)
					want++
				}
			}
			var deleted int
			if s, deleted = s.without(gone); deleted != want {
				t.Fatalf("step %d: %d deleted of %v, want %d", step, deleted, gone, want)
			}
		}
		bytes := 0
		for id, text := range model {
			bytes += len(id) + len(text)
		}
		if !slices.IsSortedFunc(s.docs, func(a, b *document) int { return strings.Compare(a.id, b.id) }) || s.bytes != bytes {
			t.Fatalf("step %d: %v of %d bytes, want %d", step, contents(s), s.bytes, bytes)
		}
		got := map[string]string{}
		for _, doc := range s.docs {
			got[doc.id] = doc.text
		}
		if !reflect.DeepEqual(got, model) {
			t.Fatalf("step %d: %v, want %v", step, got, model)
		}
		if contents(old) != before {
			t.Fatalf("step %d: a snapshot that was held has changed", step)
		}
	}
}

// The corpus is one thing, everywhere.
func TestCorpus(t *testing.T) {
	id, text, meta := corpusDocument(210)
	const want = `note-0210: Note on how to test replication. Start with one client and raise the rate until latency bends. Revision 1. ` +
		`{"topic":"replication","title":"how to test replication","lang":"en","year":2016,"score":0.5,"draft":false,"tags":["replication","caching"]}`
	if got := id + ": " + text + " " + meta; got != want {
		t.Errorf("document 210 is %s, want %s", got, want)
	}
	fields := corpusFields()
	seen := map[string]bool{}
	for i := range 1000 {
		id, text, meta := corpusDocument(i)
		var values map[string]any
		if err := json.Unmarshal([]byte(meta), &values); err != nil {
			t.Fatal(err)
		}
		for name := range fields {
			if values[name] == nil {
				t.Errorf("document %d has no %s", i, name)
			}
		}
		if seen[id] || seen[text] {
			t.Errorf("document %d, %q, is not the only one like it", i, text)
		}
		seen[id], seen[text] = true, true
	}
}

func FuzzIndexAdd(f *testing.F) {
	for _, seed := range []string{
		`{"documents":[{"id":"a","text":"b c","meta":{"year":2020,"tags":["x",1,null,{}]}}]}`,
		`{"documents":[{"text":""},{"id":"é","text":"!"}],"chunk":false}`, `{"documents":[{}]}`, `{"documents":7}`,
		`{"documents":[{"id":"a","text":"1"},{"id":"a","text":"2"}],"contextual":null}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, params string) {
		text, ok := fuzzed("index/add", params)
		if !ok {
			t.Skip()
		}
		d := newDialect(t, `{"documents":2,"dimension":4,"hidden":2,"embed_batch_limit":8,"index_limit":6}`)
		c := d.Connect(target.HTTP)
		out, e := do(t, d, c, text)
		if e != nil {
			if len(stored(d)) != 2 {
				t.Fatalf("refused with %d, yet %v", e.Code, stored(d))
			}
			return
		}
		var got struct{ IDs []string }
		if err := json.Unmarshal(out, &got); err != nil {
			t.Fatal(err)
		}
		for _, id := range got.IDs {
			if _, there := stored(d)[id]; !there {
				t.Errorf("%q is not in the index", id)
			}
		}
		if _, e := do(t, d, c, `{"id":1,"method":"retrieve","params":{"query":"b","k":10,"includeVectors":true}}`); e != nil {
			t.Errorf("retrieve after it: %d %s", e.Code, e.Message)
		}
	})
}
