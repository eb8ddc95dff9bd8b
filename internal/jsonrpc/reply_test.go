package jsonrpc

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

func TestScanReply_element(t *testing.T) {
	id1 := Answer{ID: []byte("1"), IDKind: Number, Int: 1, IsInt: true}
	with := func(change func(*Answer)) Answer {
		a := id1
		change(&a)
		return a
	}
	for _, c := range []struct {
		element string
		want    Answer
	}{
		{`{"jsonrpc":"2.0","result":{"a":[{"error":1}]},"id":1}`, with(func(a *Answer) { a.Kind, a.Result = Result, []byte(`{"a":[{"error":1}]}`) })},
		{`{"result":null,"id":1}`, with(func(a *Answer) { a.Kind, a.Result = Result, []byte("null") })},
		{`{"result":"r","error":null,"id":1}`, with(func(a *Answer) { a.Kind, a.Result, a.NullError = Result, []byte(`"r"`), true })},
		{`{"\u0072esult":[],"\u0069d":1}`, with(func(a *Answer) { a.Kind, a.Result = Result, []byte("[]") })},
		{`{"result":{"error":"no \"x\"","n":1},"id":1}`, with(func(a *Answer) {
			a.Kind, a.Result, a.Message = ResultError, []byte(`{"error":"no \"x\"","n":1}`), []byte(`"no \"x\""`)
		})},
		{`{"result":{"error":null},"id":1}`, with(func(a *Answer) { a.Kind, a.Result = Result, []byte(`{"error":null}`) })},
		{`{"result":{},"id":1}`, with(func(a *Answer) { a.Kind, a.Result = Result, []byte(`{}`) })},
		{`{"error":{"name":"N","cause":{"code":1},"code":-32601,"message":"m","data":{}},"id":1}`, with(func(a *Answer) {
			a.Kind, a.Code, a.Message, a.Data = ErrorObject, -32601, []byte(`"m"`), []byte("{}")
		})},
		{`{"error":{"code":-3.20e4},"result":null,"id":1}`, with(func(a *Answer) { a.Kind, a.Code, a.Result = ErrorObject, -32000, []byte("null") })},
		{`{"error":{"code":1,"message":"m"},"result":0,"id":1}`, with(func(a *Answer) { a.Kind, a.Result = NotAnAnswer, []byte("0") })},
		{`{"error":{"code":1.5},"id":1}`, with(func(a *Answer) { a.Kind = NotAnAnswer })},
		{`{"error":{"code":-0.0},"id":1}`, with(func(a *Answer) { a.Kind = ErrorObject })},
		{`{"error":{"code":0.00025E4},"id":1}`, with(func(a *Answer) { a.Kind = NotAnAnswer })},
		{`{"error":{"code":0.00025E5},"id":1}`, with(func(a *Answer) { a.Kind, a.Code = ErrorObject, 25 })},
		{`{"error":{"code":320000e-1},"id":1}`, with(func(a *Answer) { a.Kind, a.Code = ErrorObject, 32000 })},
		{`{"error":{"code":1e19},"id":1}`, with(func(a *Answer) { a.Kind = NotAnAnswer })},
		{`{"error":{"code":1e9999999999999999999},"id":1}`, with(func(a *Answer) { a.Kind = NotAnAnswer })},
		{`{"error":{"code":1e-9999999999999999999},"id":1}`, with(func(a *Answer) { a.Kind = NotAnAnswer })},
		{`{"error":{"code":"1"},"id":1}`, with(func(a *Answer) { a.Kind = NotAnAnswer })},
		{`{"error":{"code":9223372036854775808},"id":1}`, with(func(a *Answer) { a.Kind = NotAnAnswer })},
		{`{"error":{},"id":1}`, with(func(a *Answer) { a.Kind = NotAnAnswer })},
		{`{"error":"text","id":1}`, with(func(a *Answer) { a.Kind = NotAnAnswer })},
		{`{"error":null,"id":1}`, with(func(a *Answer) { a.Kind = NotAnAnswer })},
		{`{"id":1}`, id1},
		{`{"id":2,"result":1,"error":null,"result":3,"id":1}`, with(func(a *Answer) { a.Kind, a.Result, a.NullError = Result, []byte("3"), true })},
		{`{"error":{"code":1},"error":null,"result":{"error":1,"error":null},"id":1}`, with(func(a *Answer) { a.Kind, a.Result, a.NullError = Result, []byte(`{"error":1,"error":null}`), true })},
		{`{"result":1}`, Answer{Kind: Result, Result: []byte("1")}},
		{`{"result":1,"id":null}`, Answer{ID: []byte("null"), IDKind: Null, Kind: Result, Result: []byte("1")}},
		{`{"result":1,"id":"1"}`, Answer{ID: []byte(`"1"`), IDKind: String, Kind: Result, Result: []byte("1")}},
		{`{"result":1,"id":1.0}`, Answer{ID: []byte("1.0"), IDKind: Number, Kind: Result, Result: []byte("1")}},
		{`{"result":1,"id":-1}`, Answer{ID: []byte("-1"), IDKind: Number, Kind: Result, Result: []byte("1")}},
		{`{"result":1,"id":18446744073709551615}`, Answer{ID: []byte("18446744073709551615"), IDKind: Number, Int: 1<<64 - 1, IsInt: true, Kind: Result, Result: []byte("1")}},
		{`{"result":1,"id":18446744073709551616}`, Answer{ID: []byte("18446744073709551616"), IDKind: Number, Kind: Result, Result: []byte("1")}},
		{`{"Result":1,"ID":1}`, Answer{}},
		{`{}`, Answer{}},
		{`[]`, Answer{}},
		{`"x"`, Answer{}},
		{`null`, Answer{}},
	} {
		for _, form := range []struct {
			body  string
			batch bool
		}{{" " + c.element + "\n", false}, {"[ " + c.element + " ]", true}} {
			if c.element[0] == '[' && !form.batch {
				continue
			}
			var got []Answer
			batch, n, err := ScanReply([]byte(form.body), func(a *Answer) { got = append(got, *a) })
			if err != nil || batch != form.batch || n != 1 || len(got) != 1 {
				t.Errorf("ScanReply(%s): batch %v, n %d, %v; called %d times", form.body, batch, n, err, len(got))
				continue
			}
			if !reflect.DeepEqual(got[0], c.want) {
				t.Errorf("ScanReply(%s)\n got %+v\nwant %+v", form.body, got[0], c.want)
			}
		}
	}
}

func TestScanReply_batch(t *testing.T) {
	for body, want := range map[string]string{
		`[]`:                          "",
		" [ ] ":                       "",
		`[{"id":2},{"id":1} , 7,{}]`:  "2 1 - - ",
		`{"id":9,"error":{"code":1}}`: "9 ",
	} {
		var ids strings.Builder
		batch, n, err := ScanReply([]byte(body), func(a *Answer) {
			if a.ID == nil {
				a.ID = []byte("-")
			}
			fmt.Fprintf(&ids, "%s ", a.ID)
		})
		if err != nil || ids.String() != want || n != strings.Count(want, " ") || batch != strings.Contains(body, "[") {
			t.Errorf("ScanReply(%s): ids %q, batch %v, n %d, %v; want ids %q", body, ids.String(), batch, n, err, want)
		}
	}
}

func TestScanReply_refuses(t *testing.T) {
	for _, c := range []struct {
		body   string
		offset int
		reason string
		given  int // answers before the fault
	}{
		{"", 0, "empty body", 0},
		{"<html>", 0, "expected a value", 0},
		{`{"id":1} x`, 9, "trailing data after the JSON text", 0},
		{`[{"id":1},{"id":2}`, 18, "unexpected end of text", 2},
		{`[{"id":1},{"id":2`, 17, "unexpected end of text", 1},
		{`[{"id":1}]]`, 10, "trailing data after the JSON text", 1},
		{`[{"id":1},]`, 10, "expected a value", 1},
		{`[{"id"}]`, 6, "expected a colon after the member name", 0},
		{`[{"error":{"code"}}]`, 17, "expected a colon after the member name", 0},
		{`[{"error":{"code":}}]`, 18, "expected a value", 0},
		{`[{"error":{"code":1]}]`, 19, "expected a comma or a closing brace", 0},
		{`[{"error":`, 10, "unexpected end of text", 0},
		{`[{"result":`, 11, "unexpected end of text", 0},
		{`[{"result":{1}}]`, 12, "expected a member name in double quotes", 0},
		{`[{"result":{"error":}}]`, 20, "expected a value", 0},
		{`[{"result":{"error":1,}}]`, 22, "expected a member name in double quotes", 0},
		{`[{"result":{"error":1]}]`, 21, "expected a comma or a closing brace", 0},
	} {
		given := 0
		_, n, err := ScanReply([]byte(c.body), func(*Answer) { given++ })
		var bad *SyntaxError
		if !errors.As(err, &bad) {
			t.Errorf("ScanReply(%s): %v, want a *SyntaxError", c.body, err)
			continue
		}
		if bad.Offset != c.offset || bad.Reason != c.reason || given != c.given || n != given {
			t.Errorf("ScanReply(%s): %q at %d, %d answers (n %d); want %q at %d, %d", c.body, bad.Reason, bad.Offset, given, n, c.reason, c.offset, c.given)
		}
	}
}

func TestScanReply_depth(t *testing.T) {
	for _, before := range []string{`[{"result":{"x":`, `[{"error":{"x":`, `[{"x":`, `[`, `{"result":`, ``} {
		levels := strings.Count(before, "[") + strings.Count(before, "{")
		after := strings.NewReplacer("[", "]", "{", "}")
		var end string
		for _, c := range before {
			if c == '[' || c == '{' {
				end = after.Replace(string(c)) + end
			}
		}
		for extra, ok := range []bool{true, false} {
			body := before + string(nested(MaxDepth-levels+extra)) + end
			if _, _, err := ScanReply([]byte(body), func(*Answer) {}); (err == nil) != ok {
				t.Errorf("%d levels beginning with %q: %v", MaxDepth+extra, before, err)
			}
		}
	}
}

func TestScanReply_allocatesOnceAtMost(t *testing.T) {
	body := replyOf(100)
	count := 0
	if n := testing.AllocsPerRun(10, func() { ScanReply(body, func(*Answer) { count++ }) }); n > 1 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzScanReply(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		var got []Answer
		batch, n, err := ScanReply(body, func(a *Answer) { got = append(got, *a) })
		members, batch2, err2 := Split(body, nil)
		if !reflect.DeepEqual(err, err2) {
			t.Fatalf("ScanReply: %v; Split: %v", err, err2)
		}
		if n != len(got) {
			t.Fatalf("n is %d after %d calls", n, len(got))
		}
		if err != nil {
			return
		}
		if batch != batch2 || n != len(members) {
			t.Fatalf("batch %v, n %d; Split: %v, %d", batch, n, batch2, len(members))
		}
		for i, m := range members {
			if want := plainAnswer(m); !reflect.DeepEqual(got[i], want) {
				t.Fatalf("%s\n got %+v\nwant %+v", m, got[i], want)
			}
		}
	})
}

// plainAnswer classifies with encoding/json and math/big what ScanReply
// classifies in its one pass.
func plainAnswer(element []byte) (a Answer) {
	o, ok := objectOf(element)
	if !ok {
		return a
	}
	a.ID, a.Result = o["id"], o["result"]
	a.IDKind = kindOf(a.ID)
	if json.Unmarshal(a.ID, &a.Int) == nil && a.IDKind == Number {
		a.IsInt = true
	} else {
		a.Int = 0
	}
	if e, has := o["error"]; has && string(e) != "null" {
		if members, ok := objectOf(e); ok && (a.Result == nil || string(a.Result) == "null") {
			if code, ok := plainCode(members["code"]); ok {
				a.Kind, a.Code, a.Message = ErrorObject, code, members["message"]
				if data, has := members["data"]; has && string(data) != "null" {
					a.Data = data
				}
			}
		}
		return a
	}
	if a.Result == nil {
		return a
	}
	a.Kind = Result
	_, a.NullError = o["error"]
	if members, ok := objectOf(a.Result); ok {
		if held, has := members["error"]; has && string(held) != "null" {
			a.Kind, a.Message = ResultError, held
		}
	}
	return a
}

func plainCode(token []byte) (int64, bool) {
	r := plainNumber(token)
	if r == nil || !r.IsInt() || !r.Num().IsInt64() {
		return 0, false
	}
	return r.Num().Int64(), true
}

func BenchmarkScanReply(b *testing.B) {
	body := replyOf(100)
	b.Run("scan", func(b *testing.B) {
		b.SetBytes(int64(len(body)))
		b.ReportAllocs()
		sum := uint64(0)
		for b.Loop() {
			if _, _, err := ScanReply(body, func(a *Answer) { sum += a.Int }); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.N)*100/b.Elapsed().Seconds(), "entries/s")
	})
	b.Run("encoding-json", func(b *testing.B) {
		b.SetBytes(int64(len(body)))
		b.ReportAllocs()
		for b.Loop() {
			var answers []struct {
				ID     json.RawMessage
				Result json.RawMessage
				Error  *struct {
					Code    int64
					Message string
				}
			}
			if err := json.Unmarshal(body, &answers); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.N)*100/b.Elapsed().Seconds(), "entries/s")
	})
}
