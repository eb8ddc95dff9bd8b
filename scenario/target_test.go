package scenario

import (
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestPublicEndpoints(t *testing.T) {
	for _, c := range []struct {
		url, by string
		refused bool
	}{
		{"https://rpc.mainnet.near.org", "", true},
		{"https://rpc.mainnet.near.org", "somebody", true},
		{"https://rpc.mainnet.near.org", "FastNEAR", true},
		{"https://rpc.mainnet.near.org", "NEAR foundation, by mail", false},
		{"https://rpc.mainnet.near.org", "nobody: not NEAR", true},
		{"https://rpc.mainnet.near.org", "near the window", true},
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
		{"http://[fe80::1%25eth0]:3030", "", true},
		{"http://169.254.169.254", "", true},
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
		{[]string{"target.url=http://127.0.0.1:1", "target.node_cpus=1"}, "target.node_cpus is not used"},
		{[]string{"target.url=http://8.8.8.8", "target.authorised={by: x, max_rate: 700 entries/s}"}, `phase "ramp" asks for 2400 entries/s: authorised.max_rate holds it at 700`},
		{[]string{"mix[0].method=block"}, "method block will be answered -32601"},
		{[]string{"size=null"}, "form batch without size"},
		{[]string{"feeds.accounts={file: accounts.csv}"}, "read line by line"},
		{[]string{"target.headers.X=REDACTED"}, "header X was redacted"},
		{[]string{"target.auth={bearer: REDACTED}"}, "target.auth.bearer was redacted"},
		{[]string{"target.url=https://127.0.0.1", "target.tls={insecure: true}"}, "whatever certificate"},
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

// TestSecretsAreHiddenInSourceLines: whatever else is wrong in their line.
func TestSecretsAreHiddenInSourceLines(t *testing.T) {
	for _, text := range []string{
		`target: {dialect: naer, headers: {A: "s3cr3t \" x s3cr3t"}}`,
		"target: {dialect: naer, headers: {A: s3cr3t s3cr3t}}",
		"target: {dialect: naer, headers: {A: 's3cr3t'}, url: 'http://127.0.0.1/?key=s3cr3t'}",
		"target: {dialect: naer, url: http://s3cr3t:s3cr3t@127.0.0.1/}",
		"target: {dialect: naer, ulr: http://s3cr3t:s3cr3t@127.0.0.1/}",
		"target: {dialect: naer, headers: {A: [s3cr3t]}}",
		"target: {dialect: naer, auth: {bearer: s3cr3t, basic: {user: x, password: s3cr3t}}}",
		"target: {dialect: naer, url: \"http+unix://%2Fs/?key=s3cr3t\"}",
		"target: {dialect: naer, headers: {A: &x s3cr3t}}\nx: [*x, s3cr3t]",
		"target:\n  headers: {A: s3cr3t, A: s3cr3t}",
		"target:\n  headers:\n    A: |\n      s3cr3t\n    s3: [1\n",
		"target:\n  headers:\n    Authorization: s3cr3t\n    Authorization: s3cr3t }\n",
		"target:\n  headers: {Authorization: s3cr3t\n",
		"target: {headers: {X-Api-Key: s3cr3t}, url: @}\n",
	} {
		_, err := load(source{file: "x.yaml", dir: ".", data: []byte(text)}, nil)
		if err == nil || strings.Contains(err.Error(), "s3cr3t") {
			t.Errorf("%s\n%v", text, err)
		}
	}
}

// TestReach: what the settings of a connection come to.
func TestReach(t *testing.T) {
	p := mustLoad(t, "testdata/tls.yaml").Target
	file := func(name string) string { abs, _ := filepath.Abs("testdata/pem/" + name); return abs }
	if want := (&TLS{CA: file("ca.pem"), Cert: file("cert.pem"), KeyEnv: "NODE_KEY_PEM", ServerName: "node-7.internal", Insecure: true}); !reflect.DeepEqual(p.TLS, want) {
		t.Errorf("tls %+v, want %+v", p.TLS, want)
	}
	if want := (&Auth{User: "load test", Secret: Header{Value: "s3cr3t pass"}}); !reflect.DeepEqual(p.Auth, want) {
		t.Errorf("auth %+v, want %+v", p.Auth, want)
	}
	if want := (Connections{MaxAge: 30 * time.Second, MaxRequests: 1000, ExpectContinue: 500 * time.Millisecond}); p.Connections != want || !p.ResolveAlways {
		t.Errorf("connections %+v, resolve always %v", p.Connections, p.ResolveAlways)
	}
	p = mustLoad(t, "testdata/websocket.yaml").Target
	if want := (&TLS{CA: file("ca.pem"), Cert: file("cert.pem"), Key: file("key.pem")}); !reflect.DeepEqual(p.TLS, want) || p.Connections.Sockets != 4 || p.ResolveAlways {
		t.Errorf("%+v", p)
	}
	p = mustLoad(t, "testdata/unix.yaml").Target
	if !p.Connections.CloseEach || p.Metrics.Every != time.Second {
		t.Errorf("close each %v, metrics every %v, want them over the same socket", p.Connections.CloseEach, p.Metrics.Every)
	}
	p = mustLoad(t, "testdata/h2.yaml").Target
	if want := (&Auth{Secret: Header{Env: "NODE_TOKEN"}}); !reflect.DeepEqual(p.Auth, want) || p.Transport != "h2" {
		t.Errorf("%+v", p)
	}
}

func TestUnixSockets(t *testing.T) {
	for _, c := range []struct {
		url     string
		refused bool
	}{
		{"unix:/run/node.sock", false},
		{"unix:///run/node.sock", false},
		{"http+unix://%2Frun%2Fnode.sock", false},
		{"http+unix://%2Frun%2Fnode.sock/path?key=1", false},
		{"unix:", true},
		{"unix:run/node.sock", true},
		{"http+unix:/run/node.sock", true},
		{"http+unix://run/node.sock", true},
		{"http+unix://%2Frun%zz/", true},
		{"http+unix://%2Frun/#x", true},
	} {
		if _, err := Load("testdata/near.yaml", []string{`target.url="` + c.url + `"`}); (err != nil) != c.refused {
			t.Errorf("%s: %v", c.url, err)
		}
	}
	if p := mustLoad(t, "testdata/near.yaml", `target.metrics.url="http+unix://%2Frun%2Fnode.sock/metrics"`); p.Target.Metrics.URL == "" {
		t.Error("metrics over a Unix socket are not taken")
	}
}

func TestExpect(t *testing.T) {
	if got, want := mustLoad(t, "testdata/full.yaml").Expect, (Expect{InOrder: true, UnwrappedOne: true, EmptyStatus: 204, NotificationAnswers: true}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := mustLoad(t, "testdata/near.yaml").Expect; got != (Expect{}) {
		t.Errorf("%+v of a plan that expects nothing", got)
	}
	if got := mustLoad(t, "testdata/near.yaml", "expect.empty_for_notifications=200").Expect; got != (Expect{EmptyStatus: 200}) {
		t.Errorf("%+v", got)
	}
}

// The limit of a node that is not ours can be told; of ours its config tells it.
func TestBatchLimit(t *testing.T) {
	const set = "target.metrics.batch_concurrency_limit=4"
	p := mustLoad(t, "testdata/full.yaml", set)
	if p.Target.Metrics.BatchLimit != 4 {
		t.Errorf("limit %d", p.Target.Metrics.BatchLimit)
	}
	writesBack(t, p)
	_, err := Load("testdata/near.yaml", []string{set})
	if err == nil || !strings.Contains(err.Error(), "the run starts the node, whose config in target.node says it") {
		t.Errorf("of the bundled node: %v", err)
	}
}
