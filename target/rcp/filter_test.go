package rcp

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"volley/internal/jsonrpc"
	"volley/target"
)

func TestFilter(t *testing.T) {
	d := newDialect(t, empty+`,"filter_fields":{"lang":"keyword","title":"text","year":"int","score":"float","draft":"bool","tags":"keyword"}}`)
	ids(t, d, `{"documents":[
		{"id":"1","text":"a","meta":{"lang":"en","title":"On batching","year":2020,"score":0.5,"draft":true,"tags":["x","y"]}},
		{"id":"2","text":"a","meta":{"lang":"de","title":"Batching again","year":2021,"score":1e0,"draft":false,"tags":[]}},
		{"id":"3","text":"a","meta":{"lang":"EN","year":2022.0,"tags":"x"}},
		{"id":"4","text":"a","meta":{"lang":null,"year":"2020","tags":[["x"],null]}},
		{"id":"5","text":"a"}]}`)
	for _, row := range []struct{ filter, want string }{
		{`{"field":"lang","op":"eq","value":"en"}`, "1"},
		{`{"field":"lang","op":"ne","value":"en"}`, "2345"},
		{`{"field":"lang","op":"in","value":["en","de"]}`, "12"},
		{`{"field":"lang","op":"in","value":[]}`, ""},
		{`{"field":"lang","op":"nin","value":["en","de"]}`, "345"},
		{`{"field":"lang","op":"exists","value":true}`, "123"},
		{`{"field":"lang","op":"exists","value":false}`, "45"},
		{`{"field":"year","op":"eq","value":2020}`, "1"},
		{`{"field":"year","op":"eq","value":2022}`, "3"},
		{`{"field":"year","op":"gt","value":2020}`, "23"},
		{`{"field":"year","op":"gte","value":2020}`, "123"},
		{`{"field":"year","op":"lt","value":2021}`, "1"},
		{`{"field":"year","op":"lte","value":2021}`, "12"},
		{`{"field":"score","op":"eq","value":1}`, "2"},
		{`{"field":"draft","op":"eq","value":false}`, "2"},
		{`{"field":"tags","op":"contains","value":"x"}`, "13"},
		{`{"field":"tags","op":"eq","value":"y"}`, "1"},
		{`{"field":"tags","op":"ne","value":"x"}`, "245"},
		{`{"field":"tags","op":"exists","value":true}`, "1234"},
		{`{"field":"title","op":"contains","value":"atching"}`, "12"},
		{`{"field":"title","op":"contains","value":"Batching"}`, "2"},
		{`{"and":[{"field":"year","op":"gte","value":2021},{"field":"lang","op":"eq","value":"de"}]}`, "2"},
		{`{"or":[{"field":"year","op":"lt","value":2021},{"field":"lang","op":"eq","value":"de"}]}`, "12"},
		{`{"not":{"or":[{"field":"year","op":"lt","value":2021},{"field":"lang","op":"eq","value":"de"}]}}`, "345"},
		{`{"and":null,"field":"lang","op":"eq","value":"\u0065n","x-more":1}`, "1"},
	} {
		for _, mode := range []string{"dense", "sparse", "hybrid"} {
			got := retrieved(t, d, `{"query":"a","k":9,"mode":"`+mode+`","filter":`+row.filter+`}`).ids()
			slices.Sort(got)
			if s := strings.Join(got, ""); s != row.want {
				t.Errorf("%s, %s: %s, want %s", row.filter, mode, s, row.want)
			}
		}
	}
}

func TestFilterRefusals(t *testing.T) {
	d := newDialect(t, empty+`,"filter_fields":{"lang":"keyword","year":"int"}}`)
	deep := strings.Repeat(`{"not":`, maxFilterClauses) + `{"field":"lang","op":"eq","value":"en"}` + strings.Repeat(`}`, maxFilterClauses)
	for _, row := range []struct {
		filter string
		code   jsonrpc.Code
		data   string
	}{
		{`7`, jsonrpc.InvalidParams, `{"field":"filter"}`},
		{`{}`, jsonrpc.InvalidParams, `{"field":"filter"}`},
		{`{"and":[]}`, jsonrpc.InvalidParams, `{"field":"filter.and"}`},
		{`{"or":{}}`, jsonrpc.InvalidParams, `{"field":"filter.or"}`},
		{`{"and":[{"field":"lang","op":"eq","value":"en"},7]}`, jsonrpc.InvalidParams, `{"field":"filter.and[1]"}`},
		{`{"not":[]}`, jsonrpc.InvalidParams, `{"field":"filter.not"}`},
		{`{"and":[{"field":"lang","op":"eq","value":"en"}],"field":"lang","op":"eq","value":"en"}`, jsonrpc.InvalidParams, `{"field":"filter"}`},
		{`{"field":"color","op":"eq","value":"red"}`, jsonrpc.InvalidParams, `{"field":"filter.color"}`},
		{`{"field":7,"op":"eq","value":"red"}`, jsonrpc.InvalidParams, `{"field":"filter.field"}`},
		{`{"field":"lang","value":"en"}`, jsonrpc.InvalidParams, `{"field":"filter.op"}`},
		{`{"field":"lang","op":"like","value":"en"}`, optionUnsupported, `{"option":"filter.op"}`},
		{`{"field":"lang","op":"eq"}`, jsonrpc.InvalidParams, `{"field":"filter.lang"}`},
		{`{"field":"lang","op":"eq","value":7}`, jsonrpc.InvalidParams, `{"field":"filter.lang"}`},
		{`{"field":"lang","op":"gt","value":"a"}`, jsonrpc.InvalidParams, `{"field":"filter.lang"}`},
		{`{"field":"year","op":"gt","value":"2020"}`, jsonrpc.InvalidParams, `{"field":"filter.year"}`},
		{`{"field":"year","op":"in","value":2020}`, jsonrpc.InvalidParams, `{"field":"filter.year"}`},
		{`{"field":"year","op":"nin","value":[2020,"x"]}`, jsonrpc.InvalidParams, `{"field":"filter.year"}`},
		{`{"field":"year","op":"exists","value":1}`, jsonrpc.InvalidParams, `{"field":"filter.year"}`},
		{deep, jsonrpc.InvalidParams, `{"field":"filter"}`},
	} {
		_, e := do(t, d, d.Connect(target.HTTP), fmt.Sprintf(`{"id":1,"method":"retrieve","params":{"query":"a","k":1,"filter":%s}}`, row.filter))
		if e == nil {
			t.Errorf("%.80s is not refused", row.filter)
		} else if e.Code != row.code || string(e.Data) != row.data {
			t.Errorf("%.80s: code %d, data %s; want %d, %s", row.filter, e.Code, e.Data, row.code, row.data)
		}
	}
}
