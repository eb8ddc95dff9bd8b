package loadgen

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"volley/scenario"
)

var update = flag.Bool("update", false, "rewrite the golden files")

type listFeed []string

func (f listFeed) Len() int        { return len(f) }
func (f listFeed) At(i int) string { return f[i] }

// rangeFeed computes its values, more of them than are kept quoted.
type rangeFeed int

func (f rangeFeed) Len() int        { return int(f) }
func (f rangeFeed) At(i int) string { return fmt.Sprintf("user%d.near", i) }

func literalValue(s string) *scenario.Value { return &scenario.Value{JSON: []byte(s)} }

func object(pairs ...any) *scenario.Value {
	v := &scenario.Value{}
	for i := 0; i < len(pairs); i += 2 {
		v.Keys = append(v.Keys, pairs[i].(string))
		v.Values = append(v.Values, pairs[i+1].(*scenario.Value))
	}
	return v
}

func fixed(n int) scenario.Dist { return scenario.Dist{Kind: "fixed", Value: n} }

// nearPlan has every kind of hole but items.
func nearPlan() *scenario.Plan {
	account := &scenario.Value{Pick: "accounts"}
	return &scenario.Plan{
		Seed: 42, Form: scenario.Batch, Size: fixed(4), Items: fixed(1),
		Target: scenario.Target{Dialect: "near"},
		Mix: []scenario.Method{
			{Weight: 70, Method: "query", Params: object(
				"request_type", literalValue(`"view_account"`), "account_id", account,
				"block_id", &scenario.Value{Pinned: "final"})},
			{Weight: 25, Method: "query", Params: object(
				"request_type", literalValue(`"call_function"`),
				"args_base64", &scenario.Value{Base64: object("account_id", account)},
				"nested", &scenario.Value{Base64: &scenario.Value{Base64: account}},
				"constant", &scenario.Value{Base64: literalValue(`"a\u00e9"`)},
				"nothing", &scenario.Value{Base64: literalValue(`""`)})},
			{Weight: 5, Method: "status"},
		},
		Feeds: map[string]scenario.Feed{"accounts": listFeed{"alice.near", `b"ob.near`, "çarol.near"}},
	}
}

// rcpPlan has items.
func rcpPlan(form scenario.Form) *scenario.Plan {
	return &scenario.Plan{
		Seed: 7, Form: form, Size: fixed(3), Items: fixed(2),
		Target: scenario.Target{Dialect: "rcp"},
		Mix: []scenario.Method{
			{Weight: 1, Method: "embed", Params: object("inputs", &scenario.Value{Items: &scenario.Value{Pick: "sentences"}})},
			{Weight: 1, Method: "x-acme/pair", Params: &scenario.Value{Array: true, Values: []*scenario.Value{
				literalValue("1"), {Items: object("text", &scenario.Value{Pick: "sentences"})}, object()}}},
		},
		Feeds: map[string]scenario.Feed{"sentences": rangeFeed(quotedFeed + 1)},
	}
}

func mustCompile(t testing.TB, p *scenario.Plan) *work {
	t.Helper()
	w, err := compile(p, map[string]string{"final": "9xHash"})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// encodeCalls encodes calls from..to-1 in order, as the sequence numbers them.
func encodeCalls(w *work, to uint64) []message {
	seq := newSequence(&w.sizes)
	var out []message
	e := newEncoder(w)
	for range to {
		c := seq.take()
		var m message
		e.encode(&m, c.n, c.first, c.shape)
		out = append(out, m)
	}
	return out
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs; got:\n%s", path, got)
	}
}

func TestEncodeGolden(t *testing.T) {
	mixed := nearPlan()
	mixed.Notifications, mixed.Malformed = 0.2, 0.3
	broken := nearPlan()
	broken.Form, broken.Malformed = scenario.Single, 1
	for _, tt := range []struct {
		name string
		plan *scenario.Plan
	}{
		{"near-batch", nearPlan()},
		{"near-batch-mixed", mixed},
		{"near-single-malformed", broken},
		{"rcp-single", rcpPlan(scenario.Single)},
		{"rcp-batch", rcpPlan(scenario.Batch)},
		{"rcp-array", rcpPlan(scenario.Array)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got bytes.Buffer
			for _, m := range encodeCalls(mustCompile(t, tt.plan), 9) {
				fmt.Fprintf(&got, "POST %s ids %d-%d items %d notifications %d malformed %d\n%s\n",
					m.path, m.first, m.last(), m.items, m.notifications, m.malformed, m.body)
				if !json.Valid(m.body) {
					t.Errorf("not JSON: %s", m.body)
				}
			}
			golden(t, tt.name+".golden", got.Bytes())
		})
	}
}

// What call n holds does not depend on which calls were encoded before it.
func TestEncodeDependsOnSeedAndIndexAlone(t *testing.T) {
	p := nearPlan()
	p.Size = scenario.Dist{Kind: "uniform", Min: 1, Max: 9}
	p.Notifications, p.Malformed = 0.1, 0.1
	w := mustCompile(t, p)
	inOrder := encodeCalls(w, 50)
	e, s := newEncoder(mustCompile(t, p)), newStream()
	var m message
	for n := 49; n >= 0; n-- {
		want := inOrder[n]
		e.encode(&m, uint64(n), want.first, w.sizes.at(s, uint64(n)))
		if !bytes.Equal(m.body, want.body) || !slices.Equal(m.members, want.members) {
			t.Fatalf("call %d differs when encoded out of order:\n%s\n%s", n, m.body, want.body)
		}
	}
	p.Seed++
	if other := encodeCalls(mustCompile(t, p), 1)[0]; bytes.Equal(other.body, inOrder[0].body) {
		t.Error("another seed gives the same call")
	}
}

func TestIDsAreUniqueAndContiguous(t *testing.T) {
	p := nearPlan()
	p.Size = scenario.Dist{Kind: "zipf", Max: 20, S: 1.1}
	next := uint64(1)
	for i, m := range encodeCalls(mustCompile(t, p), 200) {
		if m.first != next {
			t.Fatalf("call %d starts at id %d, want %d", i, m.first, next)
		}
		var requests []struct{ ID uint64 }
		if err := json.Unmarshal(m.body, &requests); err != nil {
			t.Fatal(err)
		}
		for _, r := range requests {
			if r.ID != next {
				t.Fatalf("id %d, want %d", r.ID, next)
			}
			next++
		}
	}
}

func TestBase64HoldsTheValuesOwnBytes(t *testing.T) {
	p := nearPlan()
	p.Mix = p.Mix[1:2]
	p.Feeds["accounts"] = listFeed{`q"uote`}
	for _, m := range encodeCalls(mustCompile(t, p), 2) {
		var entries []struct {
			Params struct {
				Args     string `json:"args_base64"`
				Nested   string
				Constant string
				Nothing  string
			}
		}
		if err := json.Unmarshal(m.body, &entries); err != nil {
			t.Fatal(err)
		}
		decode := func(s string) string {
			b, err := base64.StdEncoding.DecodeString(s)
			if err != nil {
				t.Fatal(err)
			}
			return string(b)
		}
		for _, e := range entries {
			for _, tt := range []struct{ what, got, want string }{
				{"an object's JSON", decode(e.Params.Args), `{"account_id":"q\"uote"}`},
				{"base64 within base64", decode(decode(e.Params.Nested)), `q"uote`},
				{"a literal string's bytes", decode(e.Params.Constant), "aé"},
				{"an empty string's", e.Params.Nothing, ""},
			} {
				if tt.got != tt.want {
					t.Errorf("%s: %q, want %q", tt.what, tt.got, tt.want)
				}
			}
		}
	}
}

// The shares of a mix are those asked for: within five standard deviations of a
// binomial count.
func TestShares(t *testing.T) {
	p := nearPlan()
	p.Size, p.Notifications, p.Malformed = fixed(100), 0.05, 0.10
	var entries, notifications, malformed, status float64
	for _, m := range encodeCalls(mustCompile(t, p), 200) {
		entries += float64(len(m.members))
		notifications += float64(m.notifications)
		malformed += float64(m.malformed)
		status += float64(bytes.Count(m.body, []byte(`"method":"status"`)))
	}
	for _, tt := range []struct {
		what       string
		got, share float64
	}{
		{"notifications", notifications, 0.05},
		{"malformed", malformed, 0.10},
		{"status", status, 0.85*0.05 + 0.05*0.05},
	} {
		if sigma := math.Sqrt(entries * tt.share * (1 - tt.share)); math.Abs(tt.got-entries*tt.share) > 5*sigma {
			t.Errorf("%s: %v of %v, want a share of %v", tt.what, tt.got, entries, tt.share)
		}
	}
}

func TestSamplers(t *testing.T) {
	choice := scenario.Dist{Kind: "choice", Choices: []scenario.Choice{{Value: 1, Share: .2}, {Value: 20, Share: .6}, {Value: 100, Share: .2}}}
	for _, tt := range []struct {
		dist     scenario.Dist
		mean     float64
		min, max int
	}{
		{scenario.Dist{}, 1, 1, 1},
		{fixed(20), 20, 20, 20},
		{choice, 32.2, 1, 100},
		{scenario.Dist{Kind: "uniform", Min: 1, Max: 100}, 50.5, 1, 100},
		// H(4,0)/H(4,1) with H(n,s) the generalised harmonic number: 4 / (25/12).
		{scenario.Dist{Kind: "zipf", Max: 4, S: 1}, 1.92, 1, 4},
	} {
		s := newSampler(tt.dist)
		if math.Abs(s.mean-tt.mean) > 1e-12 || s.min != tt.min || s.max != tt.max {
			t.Errorf("%+v: mean %v, %d..%d, want %v, %d..%d", tt.dist, s.mean, s.min, s.max, tt.mean, tt.min, tt.max)
		}
		r := newStream()
		sum, n := 0.0, 20000
		low, high := math.MaxInt, 0
		for i := range n {
			r.set(1, uint64(i), forSize)
			v := s.draw(r.rand)
			sum += float64(v)
			low, high = min(low, v), max(high, v)
		}
		if low != tt.min || high != tt.max {
			t.Errorf("%+v: drew %d..%d, want %d..%d", tt.dist, low, high, tt.min, tt.max)
		}
		// The variance of a value within an interval is at most a quarter of its square.
		if sigma := float64(tt.max-tt.min) / 2 / math.Sqrt(float64(n)); math.Abs(sum/float64(n)-tt.mean) > 5*sigma {
			t.Errorf("%+v: mean of the draws %v, want %v", tt.dist, sum/float64(n), tt.mean)
		}
	}
}

func TestCountInTheRatesUnit(t *testing.T) {
	p := rcpPlan(scenario.Batch)
	z := newSizes(p)
	h := z.at(newStream(), 3)
	for unit, want := range map[scenario.Unit]float64{scenario.Calls: 1, scenario.Entries: 3, scenario.Items: 6} {
		if h.count(unit) != want || z.mean(unit) != want {
			t.Errorf("%s: count %v, mean %v, want %v", unit, h.count(unit), z.mean(unit), want)
		}
	}
}

func TestCompileRefusesWhatItCannotFill(t *testing.T) {
	for _, tt := range []struct {
		value *scenario.Value
		want  string
	}{
		{&scenario.Value{Pick: "nowhere"}, `method "m" of the mix: no feed "nowhere"`},
		{&scenario.Value{Pick: "none"}, `method "m" of the mix: feed "none" is empty`},
		{&scenario.Value{Base64: &scenario.Value{Pinned: "latest"}}, `method "m" of the mix: no block was resolved for {pinned: latest}: only final can be`},
	} {
		p := &scenario.Plan{Mix: []scenario.Method{{Weight: 1, Method: "m", Params: tt.value}}, Feeds: map[string]scenario.Feed{"none": listFeed{}}}
		if _, err := compile(p, nil); err == nil || err.Error() != tt.want {
			t.Errorf("got %v, want %s", err, tt.want)
		}
	}
}

func BenchmarkEncodeBatchOf100(b *testing.B) {
	p := nearPlan()
	p.Size, p.Notifications = fixed(100), 0.05
	w := mustCompile(b, p)
	e := newEncoder(w)
	var m message
	b.ReportAllocs()
	for n := uint64(0); b.Loop(); n++ {
		e.encode(&m, n, 1+100*n, shape{entries: 100, items: 1})
	}
	b.SetBytes(int64(len(m.body)))
}
