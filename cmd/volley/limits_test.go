package main

import (
	"strings"
	"testing"
	"time"

	"volley/scenario"
)

func TestAllowanceOfPorts(t *testing.T) {
	for _, tt := range []struct {
		files map[string]string
		ports int
		reuse int
	}{
		{map[string]string{"proc/sys/net/ipv4/ip_local_port_range": "32768\t60999\n", "proc/sys/net/ipv4/tcp_tw_reuse": "2\n"}, 28232, 2},
		{map[string]string{"proc/sys/net/ipv4/ip_local_port_range": "1024 1024\n"}, 1, 0},
		{map[string]string{"proc/sys/net/ipv4/ip_local_port_range": "5000 4000\n", "proc/sys/net/ipv4/tcp_tw_reuse": "yes\n"}, 0, 0},
		{map[string]string{"proc/sys/net/ipv4/ip_local_port_range": "many\n"}, 0, 0},
		{nil, 0, 0},
	} {
		var l allowance
		l.portLimits(tree(tt.files))
		if l.ports() != tt.ports || l.reuse != tt.reuse {
			t.Errorf("%v: %+v, want %d ports", tt.files, l, tt.ports)
		}
	}
}

func TestNeed(t *testing.T) {
	rate := func(v float64, d time.Duration) scenario.Phase {
		return scenario.Phase{Rate: scenario.Rate{Value: v, Unit: scenario.Calls}, To: v, For: d}
	}
	for _, tt := range []struct {
		why  string
		plan scenario.Plan
		want need
	}{
		{"a rate against the bundled node", scenario.Plan{InFlight: 256, Phases: []scenario.Phase{rate(100, time.Second)}},
			need{atMost: 256, inFlight: 256, tcp: true, local: true}},
		{"a closed loop alone", scenario.Plan{InFlight: 256, Target: scenario.Target{URL: "http://10.0.0.7:3030/"}, Phases: []scenario.Phase{{Callers: 32}, {Callers: 8}}},
			need{surely: 32, tcp: true}},
		{"a connection for every call", scenario.Plan{InFlight: 9, Target: scenario.Target{URL: "http://localhost/", Connections: scenario.Connections{CloseEach: true}},
			Phases: []scenario.Phase{rate(100, time.Hour), rate(500, time.Second), {Callers: 3}}},
			need{surely: 3, atMost: 9, inFlight: 9, tcp: true, local: true, churn: 500, span: time.Second}},
		{"a hundred calls to a connection", scenario.Plan{InFlight: 9, Target: scenario.Target{URL: "http://[::1]:8/", Connections: scenario.Connections{MaxRequests: 100}},
			Phases: []scenario.Phase{rate(500, time.Second)}},
			need{atMost: 9, inFlight: 9, tcp: true, local: true, churn: 5, span: time.Second}},
		{"a Unix socket", scenario.Plan{InFlight: 9, Target: scenario.Target{URL: "unix:/tmp/node"}, Phases: []scenario.Phase{rate(500, time.Second)}},
			need{atMost: 9, inFlight: 9}},
		{"shared connections", scenario.Plan{InFlight: 9, Target: scenario.Target{Transport: "websocket", Connections: scenario.Connections{Sockets: 4}}, Phases: []scenario.Phase{{Callers: 1000}}},
			need{surely: 4}},
	} {
		if got := needOf(&tt.plan); got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.why, got, tt.want)
		}
	}
}

func TestAllowanceIsHeldAgainstTheNeed(t *testing.T) {
	roomy := allowance{soft: 20_000, hard: 20_000, first: 32_768, last: 60_999, reuse: 2}
	for _, tt := range []struct {
		why     string
		l       allowance
		n       need
		warning string // a part of the only one; "": none
		err     string
	}{
		{"room enough", roomy, need{surely: 64, atMost: 256, tcp: true}, "", ""},
		{"all of the files", roomy, need{surely: 20_000 - ownFiles}, "", ""},
		{"one caller too many", roomy, need{surely: 20_001 - ownFiles}, "", "19937 connections at a time take 20001 open files, and this process may have 20000: raise the hard limit (ulimit -Hn)"},
		{"what the open loop may take", roomy, need{atMost: 30_000, inFlight: 30_000}, "in_flight: 30000 may take 30,064 open files, and this process may have 20,000", ""},
		{"more callers than ports", allowance{first: 1000, last: 1099}, need{surely: 101, tcp: true}, "", "101 connections at a time to one address take as many local ports, and this machine has 100 (1000 to 1099)"},
		{"where no port is taken", allowance{first: 1000, last: 1099}, need{surely: 101}, "", ""},
		{"what may take more than the ports", allowance{first: 1000, last: 1099}, need{surely: 40, atMost: 61, inFlight: 61, tcp: true}, "in_flight: 61 may take more local ports than the 100", ""},
		{"connections that use up ports", roomy, need{tcp: true, churn: 500, span: time.Hour}, "500 new connections a second are more than this machine can keep up: each of its 28,232 local ports rests for 60 s after its connection, which allows 470 a second", ""},
		{"but not for so long", roomy, need{tcp: true, churn: 500, span: 56 * time.Second}, "", ""},
		{"or on this machine, which uses them again", roomy, need{tcp: true, local: true, churn: 500, span: time.Hour}, "", ""},
		{"nothing known", allowance{}, need{surely: 1 << 20, atMost: 1 << 20, tcp: true, churn: 1e9, span: time.Hour}, "", ""},
	} {
		warnings, err := tt.l.check(tt.n)
		if (err == nil) != (tt.err == "") || err != nil && !strings.HasPrefix(err.Error(), tt.err) {
			t.Errorf("%s: error %v, want %q", tt.why, err, tt.err)
		}
		if len(warnings) > 1 || strings.Join(warnings, "") == "" != (tt.warning == "") || !strings.HasPrefix(strings.Join(warnings, ""), tt.warning) {
			t.Errorf("%s: %q, want %q", tt.why, warnings, tt.warning)
		}
	}
}

// The limit that this process has is told, and there is room for a plan of a usual size.
func TestAllow(t *testing.T) {
	l, warnings, err := allow(&scenario.Plan{InFlight: 16, Phases: []scenario.Phase{{Callers: 4}}}, tree(nil))
	if err != nil || len(warnings) > 0 || l.soft > l.hard {
		t.Errorf("%+v, %q, %v", l, warnings, err)
	}
	env := map[string]string{}
	(&allowance{soft: 1024, hard: 4096, first: 32_768, last: 60_999}).record(env)
	if env["open_files"] != "1024" || env["local_ports"] != "32768-60999" {
		t.Errorf("%v", env)
	}
	(&allowance{}).record(env)
	if len(env) != 2 {
		t.Errorf("%v", env)
	}
}
