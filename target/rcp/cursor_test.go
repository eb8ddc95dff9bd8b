package rcp

import (
	"slices"
	"testing"

	"volley/internal/jsonrpc"
	"volley/target"
)

// Pages put together are the ranking; a cursor is good for its request and
// snapshot alone.
func TestPages(t *testing.T) {
	d := newDialect(t, `{}`)
	for _, more := range []string{``, `,"mode":"sparse"`, `,"rerank":{"topN":20}`, `,"mmr":{"lambda":0.3}`, `,"filter":{"field":"lang","op":"eq","value":"en"}`} {
		request := `{"query":"measuring backup","k":7,"candidateK":30` + more
		whole := retrieved(t, d, `{"query":"measuring backup","k":20,"candidateK":30`+more+`}`).ids()
		var paged []string
		cursor := ""
		for page := 0; ; page++ {
			got := retrieved(t, d, request+`,"cursor":"`+cursor+`"}`)
			paged = append(paged, got.ids()...)
			if cursor = got.NextCursor; cursor == "" || page > 9 {
				break
			}
			if len(got.Hits) != 7 {
				t.Errorf("%s: a page of %d that is not the last", more, len(got.Hits))
			}
		}
		if len(paged) < len(whole) || !slices.Equal(paged[:len(whole)], whole) {
			t.Errorf("%s: pages\n%v\nwhole\n%v", more, paged, whole)
		}
		if n := len(slices.Compact(slices.Sorted(slices.Values(paged)))); n != len(paged) {
			t.Errorf("%s: %d ids on the pages, %d of them different", more, len(paged), n)
		}
	}
	next := retrieved(t, d, `{"query":"q","k":3}`).NextCursor
	for _, row := range []struct {
		params string
		code   jsonrpc.Code
	}{
		{`{"query":"q","k":3,"cursor":"` + next + `","seed":1,"includeText":false}`, 0},
		{`{"query":"r","k":3,"cursor":"` + next + `"}`, jsonrpc.InvalidParams},
		{`{"query":"q","k":4,"cursor":"` + next + `"}`, jsonrpc.InvalidParams},
		{`{"query":"q","k":3,"mode":"dense","cursor":"` + next + `"}`, jsonrpc.InvalidParams},
		{`{"query":"q","k":3,"cursor":"` + next + `A"}`, jsonrpc.InvalidParams},
		{`{"query":"q","k":3,"cursor":"!"}`, jsonrpc.InvalidParams},
		{`{"query":"q","k":3,"cursor":7}`, jsonrpc.InvalidParams},
		{`{"query":"q","k":3,"cursor":null}`, 0},
	} {
		if _, e := do(t, d, d.Connect(target.HTTP), `{"id":1,"method":"retrieve","params":`+row.params+`}`); code(e) != row.code {
			t.Errorf("%s: code %d, want %d", row.params, code(e), row.code)
		}
	}
	ids(t, d, `{"documents":[{"id":"new","text":"new"}]}`)
	if _, e := do(t, d, d.Connect(target.HTTP), `{"id":1,"method":"retrieve","params":{"query":"q","k":3,"cursor":"`+next+`"}}`); code(e) != notFound {
		t.Errorf("a cursor into an index that has changed: code %d", code(e))
	}
}

func TestIndexVersion(t *testing.T) {
	d := newDialect(t, `{"documents":3}`)
	version := retrieved(t, d, `{"query":"q","k":1}`).IndexVersion
	if again := retrieved(t, d, `{"query":"q","k":1,"indexVersion":"`+version+`"}`).IndexVersion; again != version {
		t.Errorf("version %q is served as %q", version, again)
	}
	if other := newDialect(t, `{"documents":3,"seed":9}`); retrieved(t, other, `{"query":"q","k":1}`).IndexVersion != version {
		t.Error("another process with the same documents has another version")
	}
	ids(t, d, `{"documents":[{"id":"new","text":"new"}]}`)
	_, e := do(t, d, d.Connect(target.HTTP), `{"id":1,"method":"retrieve","params":{"query":"q","k":1,"indexVersion":"`+version+`"}}`)
	if code(e) != backendUnavailable {
		t.Errorf("a version that is gone: code %d", code(e))
	}
	changed := retrieved(t, d, `{"query":"q","k":1}`).IndexVersion
	ids(t, d, `{"documents":[{"id":"new","text":"new"}]}`)
	deleted(t, d, `{"ids":["nobody"]}`)
	if again := retrieved(t, d, `{"query":"q","k":1}`).IndexVersion; changed == version || again != changed {
		t.Errorf("versions %q, then %q, then %q", version, changed, again)
	}
}
