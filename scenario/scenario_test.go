package scenario

import (
	"flag"
	"os"
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
	for _, name := range []string{"near", "rcp", "full", "stdio"} {
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

// TestPlanYAML: the effective plan loads back to an equal one but for secrets,
// and written again it is the same text.
func TestPlanYAML(t *testing.T) {
	for name, p := range examples(t) {
		text, err := p.YAML()
		if err != nil {
			t.Fatal(err)
		}
		back, err := load(source{file: "plan.yaml", dir: t.TempDir(), data: text}, nil)
		if err != nil {
			t.Errorf("%s: the plan does not load back:\n%s\n%v", name, text, err)
			continue
		}
		want := *p
		want.Target.URL = secretFree(p.Target.URL)
		want.Target.Metrics.URL = secretFree(p.Target.Metrics.URL)
		want.Target.Headers = nil
		for header, value := range p.Target.Headers {
			if want.Target.Headers == nil {
				want.Target.Headers = map[string]Header{}
			}
			if value.Env == "" {
				value.Value = redacted
			}
			want.Target.Headers[header] = value
		}
		want.Warnings, back.Warnings = nil, nil
		if !reflect.DeepEqual(back, &want) {
			t.Errorf("%s: loads back to another plan:\n%s\ngot  %+v\nwant %+v", name, text, back, &want)
		}
		again, err := back.YAML()
		if err != nil || string(again) != string(text) {
			t.Errorf("%s: written twice it differs:\n%s\n%s\n%v", name, text, again, err)
		}
	}
}

func TestPlanYAMLHoldsNoSecret(t *testing.T) {
	p := mustLoad(t, "testdata/full.yaml", "target.url=http://me:pass@10.0.0.1/v3/0123456789abcdef0123456789abcdef?key=k9")
	text, err := p.YAML()
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"abcdef", "pass", "k9", "me:pass", "token=abc"} {
		if strings.Contains(string(text), secret) || strings.Contains(p.SecretFreeURL(), secret) {
			t.Errorf("the plan tells %s:\n%s", secret, text)
		}
	}
	if want := "http://REDACTED@10.0.0.1/v3/REDACTED?key=REDACTED"; p.SecretFreeURL() != want {
		t.Errorf("%s, want %s", p.SecretFreeURL(), want)
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

func TestSets(t *testing.T) {
	p := mustLoad(t, "testdata/near.yaml",
		"load[0].rate=900 entries/s",
		"target.node.rpc.limits_config.batch_concurrency_limit=4",
		"target.node.new.deep=[1, {a: b}]",
		`target.headers."X.Y"={env: KEY}`,
		"size={uniform: [2, 30]}",
		"slo[2]=goodput >= 10 entries/s",
		"slo[0]=response p50 <= 1s",
		"name=a = b",
		"feeds=",
		`feeds.accounts={values: [x]}`,
	)
	if r := p.Phases[0].Rate; r != (Rate{900, Entries}) {
		t.Errorf("rate %v", r)
	}
	if want := `{"rpc":{"limits_config":{"batch_concurrency_limit":4}},"view_client_threads":4,"volley":{"service":{"view_account":"300us","call_function":{"lognormal":{"median":"2ms","p99":"15ms"}}}},"new":{"deep":[1,{"a":"b"}]}}`; string(p.Target.Node) != want {
		t.Errorf("node %s", p.Target.Node)
	}
	if p.Target.Headers["X.y"].Env != "KEY" {
		t.Errorf("headers %v", p.Target.Headers)
	}
	if p.Size.Min != 2 || p.Size.Max != 30 || len(p.Objectives) != 3 || p.Objectives[0].Stat != "p50" || p.Name != "a = b" || p.Feeds["accounts"].Len() != 1 {
		t.Errorf("%+v", p)
	}
}

func TestSetProblems(t *testing.T) {
	for _, c := range []struct{ set, want string }{
		{"load[0].rate=900 entires/s", "--set load[0].rate=…: load[0].rate: unknown unit \"entires/s\"\n  did you mean entries/s?"},
		{"targt.url=http://127.0.0.1/", "--set targt.url=…: targt: unknown key targt\n  did you mean target?"},
		{"load[9].rate=1", "--set load[9].rate=…: load has no entry [9]\n  it has 4, counted from 0; [4] would add one"},
		{"name.x=1", "--set name.x=…: name is a single value, not a mapping: it has no key x"},
		{"size[0]=1", "--set size[0]=…: size is a mapping, not a list: it has no entry [0]"},
		{"name", "--set name: a set is written path=value\n  for instance --set load[0].rate='900 entries/s'"},
		{"load[x]=1", `--set load[x]=…: "[x" is no index` + "\n" + `  keys are parted by dots, list entries are [0], [1], ...; a key that holds a dot is quoted: "a.b"`},
		{"a..b=1", "--set a..b=…: the path has an empty key\n" + `  keys are parted by dots, list entries are [0], [1], ...; a key that holds a dot is quoted: "a.b"`},
		{"size={1: 20%", "--set size=…: size: could not find flow mapping end token '}'"},
		{"target.headers.Authorization=a\x01b", "--set target.headers.Authorization=…: "},
		{"target.url=http://8.8.8.8/", "--set target.url=…: target.url: 8.8.8.8 is neither a loopback nor a private address\n"},
	} {
		_, err := Load("testdata/near.yaml", []string{c.set})
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("--set %s\ngot  %v\nwant %v", c.set, err, c.want)
		}
	}
}

// TestBadScenarios: each file of testdata/bad is told its problems as the
// golden beside it says.
func TestBadScenarios(t *testing.T) {
	files, err := filepath.Glob("testdata/bad/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no bad scenarios", err)
	}
	for _, file := range files {
		_, err := Load(file, nil)
		problems, ok := err.(Problems)
		if !ok {
			t.Errorf("%s: want problems, got %v", file, err)
			continue
		}
		got := strings.ReplaceAll(problems.Error(), "testdata/bad/", "") + "\n"
		if wd, err := os.Getwd(); err == nil {
			got = strings.ReplaceAll(got, wd+"/", "")
		}
		golden := strings.TrimSuffix(file, ".yaml") + ".golden"
		if *update {
			if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s:\ngot\n%s\nwant\n%s", file, got, want)
		}
	}
}

// TestFiveMistakes: all of a file's problems come at once, each in its place.
func TestFiveMistakes(t *testing.T) {
	_, err := Load("testdata/bad/five-mistakes.yaml", nil)
	problems, _ := err.(Problems)
	var got []string
	for _, p := range problems {
		got = append(got, p.Path)
		if p.Line == 0 || p.Column == 0 || p.Source == "" || p.Hint == "" {
			t.Errorf("not located: %+v", p)
		}
	}
	want := []string{"target.dialect", "load[0].rate", "load[1].for", "size", "mix[0].params.account_id.pick"}
	if !slices.Equal(got, want) {
		t.Errorf("problems at %q, want %q", got, want)
	}
}

func TestMissingFileIsNoProblem(t *testing.T) {
	_, err := Load("testdata/absent.yaml", nil)
	if _, ok := err.(Problems); ok || err == nil {
		t.Errorf("got %v", err)
	}
}

func TestPublicEndpoints(t *testing.T) {
	for _, c := range []struct {
		url, by string
		refused bool
	}{
		{"https://rpc.mainnet.near.org", "", true},
		{"https://rpc.mainnet.near.org", "somebody", true},
		{"https://rpc.mainnet.near.org", "FastNEAR", true},
		{"https://rpc.mainnet.near.org", "NEAR foundation, by mail", false},
		{"https://RPC.Mainnet.Fastnear.com.", "NEAR", true},
		{"https://rpc.mainnet.fastnear.com", "fastnear", false},
		{"https://notfastnear.com", "", false},
		{"http://8.8.8.8:3030", "", true},
		{"http://8.8.8.8:3030", "its owner", false},
		{"http://[::ffff:8.8.8.8]:3030", "", true},
		{"http://[2001:4860::1]/", "", true},
		{"http://0.0.0.0/", "", true},
		{"http://127.8.0.1:3030", "", false},
		{"http://[::1]:3030", "", false},
		{"http://[fd00::1]:3030", "", false},
		{"http://[fe80::1%25eth0]:3030", "", false},
		{"http://169.254.1.1", "", false},
		{"http://192.168.1.9", "", false},
		{"http://localhost:3030", "", false},
		{"http://node.internal", "", false},
	} {
		sets := []string{`target.url="` + c.url + `"`}
		if c.by != "" {
			sets = append(sets, `target.authorised={by: "`+c.by+`", max_rate: 10 entries/s}`)
		}
		_, err := Load("testdata/near.yaml", sets)
		if (err != nil) != c.refused {
			t.Errorf("%s by %q: %v", c.url, c.by, err)
		}
	}
}

func TestWarnings(t *testing.T) {
	for _, c := range []struct {
		sets []string
		want string
	}{
		{[]string{"target.url=http://127.0.0.1:1"}, "target.node is not used"},
		{[]string{"target.url=http://8.8.8.8", "target.authorised={by: x, max_rate: 700 entries/s}"}, `phase "ramp" asks for 2400 entries/s: authorised.max_rate holds it at 700`},
		{[]string{"mix[0].method=block"}, "method block will be answered -32601"},
		{[]string{"size=null"}, "form batch without size"},
		{[]string{"feeds.accounts={file: accounts.csv}"}, "read line by line"},
		{[]string{"target.headers.X=REDACTED"}, "header X was redacted"},
	} {
		p, err := Load("testdata/near.yaml", c.sets)
		if err != nil {
			t.Errorf("%v: %v", c.sets, err)
			continue
		}
		if !strings.Contains(strings.Join(p.Warnings, "\n"), c.want) {
			t.Errorf("%v: warnings %q, want %q", c.sets, p.Warnings, c.want)
		}
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
