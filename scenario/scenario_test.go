package scenario

import (
	"flag"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write the goldens anew")

func mustLoad(t *testing.T, path string, sets ...string) *Plan {
	t.Helper()
	p, err := Load(path, sets)
	if err != nil {
		t.Fatalf("Load(%s):\n%v", path, err)
	}
	return p
}

func examples(t *testing.T) map[string]*Plan {
	t.Helper()
	plans := map[string]*Plan{}
	for _, name := range []string{"near", "rcp", "full", "stdio", "replay", "tls", "h2", "websocket", "unix", "prometheus"} {
		plans[name] = mustLoad(t, "testdata/"+name+".yaml")
	}
	for _, b := range Builtins() {
		p, err := Builtin(b.Name, nil)
		if err != nil {
			t.Fatalf("built-in %s:\n%v", b.Name, err)
		}
		plans[b.Name] = p
	}
	return plans
}

func TestLoadNEARExample(t *testing.T) {
	p := mustLoad(t, "testdata/near.yaml")
	accounts, _ := filepath.Abs("testdata/accounts.csv")
	want := &Plan{
		Name: "near mixed reads",
		Seed: 42,
		Target: Target{
			Dialect: "near", Transport: "http", Metrics: Metrics{Every: time.Second},
			Node: []byte(`{"rpc":{"limits_config":{"batch_concurrency_limit":16}},"view_client_threads":4,"volley":{"service":{"view_account":"300us","call_function":{"lognormal":{"median":"2ms","p99":"15ms"}}}}}`),
		},
		Phases: []Phase{
			{Name: "warm up", Rate: Rate{100, Entries}, To: 100, Arrivals: "constant", For: 5 * time.Second},
			{Name: "steady", Rate: Rate{600, Entries}, To: 600, Arrivals: "poisson", For: 30 * time.Second, Measured: true},
			{Name: "ramp", Rate: Rate{600, Entries}, To: 2400, Arrivals: "constant", For: 30 * time.Second, Measured: true},
			{Name: "saturation", Callers: 32, For: 10 * time.Second, Measured: true},
		},
		Form:          Batch,
		Size:          Dist{Kind: "choice", Choices: []Choice{{1, 0.2}, {20, 0.6}, {100, 0.2}}},
		Items:         Dist{Kind: "fixed", Value: 1},
		Notifications: 0.05,
		Mix: []Method{
			{70, "query", &Value{
				Keys:   []string{"request_type", "account_id", "block_id"},
				Values: []*Value{{JSON: []byte(`"view_account"`)}, {Pick: "accounts"}, {Pinned: "final"}},
			}},
			{25, "query", &Value{
				Keys: []string{"request_type", "account_id", "method_name", "args_base64", "finality"},
				Values: []*Value{
					{JSON: []byte(`"call_function"`)}, {JSON: []byte(`"token.near"`)}, {JSON: []byte(`"ft_balance_of"`)},
					{Base64: &Value{Keys: []string{"account_id"}, Values: []*Value{{Pick: "accounts"}}}}, {JSON: []byte(`"final"`)},
				},
			}},
			{5, "query", &Value{JSON: []byte(`{"request_type":"view_state","account_id":"token.near","prefix_base64":"","finality":"final"}`)}},
		},
		Feeds: map[string]Feed{"accounts": &listFeed{file: accounts, column: "account_id", values: []string{"user0.near", "user1.near", "user2.near"}}},
		Objectives: []Objective{
			{"response p99 <= 250ms", "response", "p99", "<=", 250_000},
			{"entry errors <= 0.1%", "entry errors", "", "<=", 0.001},
		},
		Timeout: 10 * time.Second, Drain: 10 * time.Second, InFlight: 256,
	}
	if !reflect.DeepEqual(p, want) {
		t.Errorf("got  %+v\nwant %+v", p, want)
	}
}

func TestLoadRCPExample(t *testing.T) {
	p := mustLoad(t, "testdata/rcp.yaml")
	if p.Seed != 1 || p.Form != Array {
		t.Errorf("seed %d, form %s", p.Seed, p.Form)
	}
	if !reflect.DeepEqual(p.Size, Dist{Kind: "fixed", Value: 32}) {
		t.Errorf("size %+v", p.Size)
	}
	feed := p.Feeds["sentences"]
	var got []string
	for i := range feed.Len() {
		got = append(got, feed.At(i))
	}
	if want := []string{"The first sentence.", `A second, with "quotes".`, "Un troisième."}; !slices.Equal(got, want) {
		t.Errorf("sentences %q, want %q", got, want)
	}
	if want := (&Value{Keys: []string{"inputs"}, Values: []*Value{{Items: &Value{Pick: "sentences"}}}}); !reflect.DeepEqual(p.Mix[0].Params, want) {
		t.Errorf("params of embed: %+v", p.Mix[0].Params)
	}
}

// TestLiterals: YAML's scalars become JSON exactly, by their text where they can.
func TestLiterals(t *testing.T) {
	params := mustLoad(t, "testdata/full.yaml").Mix[1].Params
	want := []Value{
		{Items: &Value{JSON: []byte("12345678901234567890")}},
		{JSON: []byte(`{"pick":"nothing"}`)},
		{JSON: []byte(`{"deep":{"items":[{"base64":"x"}]},"other":[1.50,-0,1e400,5,16,15,0.5,7,null,true,"","it's","12 apples"]}`)},
		{JSON: []byte(`"dGV4dA=="`)},
		{Base64: &Value{Keys: []string{"a"}, Values: []*Value{{Base64: &Value{Pick: "numbers"}}}}},
		{JSON: []byte(`"eyJhIjoxLCJiIjpbIngiLCLDqSJdfQ=="`)},
		{JSON: []byte(`{"items":"one","pick":"numbers"}`)},
		{JSON: []byte(`"\t\u001b\n\\ \"quoted\" \u2028 ` + "\ufeff\"")},
		{JSON: []byte(`"a block\n  of text\n"`)},
		{JSON: []byte(`"folded text"`)},
		{JSON: []byte(`{}`)},
		{JSON: []byte(`[]`)},
	}
	if len(params.Values) != len(want) {
		t.Fatalf("%d values, want %d", len(params.Values), len(want))
	}
	for i, v := range params.Values {
		if !reflect.DeepEqual(*v, want[i]) {
			t.Errorf("value %d: %s %+v, want %s %+v", i, v.JSON, v, want[i].JSON, want[i])
		}
	}
}

func TestRangeFeeds(t *testing.T) {
	for _, c := range []struct {
		text, first, last string
		n                 int
	}{
		{"user{0..9999}.near", "user0.near", "user9999.near", 10000},
		{"n{0008..0012}", "n0008", "n0012", 5},
		{"{00..100}", "000", "100", 101},
		{"{7..7}", "7", "7", 1},
		{"x{0..4000000000000000000}", "x0", "x4000000000000000000", 4000000000000000001},
	} {
		d := &decoder{}
		f := d.rangeFeed(&node{kind: scalar, text: c.text, quoted: true})
		if f == nil {
			t.Errorf("%s: %v", c.text, d.problems)
			continue
		}
		if f.Len() != c.n || f.At(0) != c.first || f.At(f.Len()-1) != c.last {
			t.Errorf("%s: %d values from %s to %s", c.text, f.Len(), f.At(0), f.At(f.Len()-1))
		}
	}
}

func TestBuiltins(t *testing.T) {
	plans := examples(t)
	for i, b := range Builtins() {
		p := plans[b.Name]
		if i == 0 && b.Name != "near-mix" {
			t.Errorf("the first is %s", b.Name)
		}
		if b.Summary == "" || strings.HasPrefix(b.Summary, "#") || strings.Contains(b.Summary, ":\n") {
			t.Errorf("%s: summary %q", b.Name, b.Summary)
		}
		total := time.Duration(0)
		for _, ph := range p.Phases {
			total += ph.For
		}
		if total > 25*time.Second {
			t.Errorf("%s takes %v", b.Name, total)
		}
		if len(p.Objectives) == 0 || !p.Target.bundled() || len(p.Warnings) > 0 {
			t.Errorf("%s: objectives %v, url %q, warnings %q", b.Name, p.Objectives, p.Target.URL, p.Warnings)
		}
	}
	if _, err := Builtin("near-mxi", nil); err == nil || !strings.Contains(err.Error(), "did you mean near-mix?") {
		t.Errorf("unknown built-in: %v", err)
	}
}

func TestDistMean(t *testing.T) {
	for _, c := range []struct {
		d       Dist
		mean    float64
		largest int
	}{
		{Dist{Kind: "fixed", Value: 7}, 7, 7},
		{Dist{Kind: "choice", Choices: []Choice{{1, 0.5}, {9, 0.5}, {99, 0}}}, 5, 9},
		{Dist{Kind: "uniform", Min: 1, Max: 100}, 50.5, 100},
		{Dist{Kind: "zipf", Max: 4, S: 0}, 2.5, 4},
		{Dist{Kind: "zipf", Max: 2, S: 1}, 4.0 / 3, 2},
	} {
		if got := c.d.Mean(); got < c.mean-1e-12 || got > c.mean+1e-12 || c.d.Largest() != c.largest {
			t.Errorf("%+v: mean %v, largest %d", c.d, got, c.d.Largest())
		}
	}
}
