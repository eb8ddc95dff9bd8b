package scenario

import (
	"strings"
	"testing"
)

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
