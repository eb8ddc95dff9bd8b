package main

import (
	"fmt"
	"io/fs"
	"math"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	"volley/results"
	"volley/scenario"
)

// allowance is what this machine allows the process; zero is not known.
type allowance struct {
	soft, hard  uint64 // files that it may have open; the soft one can be raised up to the hard one
	first, last int    // local ports for connections that it opens
	reuse       int    // net.ipv4.tcp_tw_reuse
}

// ownFiles are what the process has open beside its connections, with room: the run
// directory, the node's pipes and metrics, the runtime's own.
const ownFiles = 64

// The time that a port rests after its connection, on the side that closed first: the
// TIME_WAIT of Linux, and what is left of it where the kernel may use it again.
const (
	portRest   = 60 * time.Second
	portReused = time.Second
)

// portLimits reads the limits of ports, in a tree that begins at its root.
func (l *allowance) portLimits(root fs.FS) {
	if words := strings.Fields(line(root, "proc/sys/net/ipv4/ip_local_port_range")); len(words) == 2 {
		first, err1 := strconv.Atoi(words[0])
		last, err2 := strconv.Atoi(words[1])
		if err1 == nil && err2 == nil && 0 < first && first <= last {
			l.first, l.last = first, last
		}
	}
	l.reuse, _ = strconv.Atoi(line(root, "proc/sys/net/ipv4/tcp_tw_reuse")) // without it a port is not used again
}

func (l *allowance) ports() int {
	if l.first == 0 {
		return 0
	}
	return l.last - l.first + 1
}

// record puts the limits into a run's environment.
func (l *allowance) record(env map[string]string) {
	if l.soft > 0 {
		env["open_files"] = strconv.FormatUint(l.soft, 10)
	}
	if l.first > 0 {
		env["local_ports"] = fmt.Sprintf("%d-%d", l.first, l.last)
	}
}

// need is what a plan may take of the machine's limits.
type need struct {
	surely   int // connections at a time that its closed loops open whatever the node does
	atMost   int // and those that its open loops may open beside them
	tcp      bool
	local    bool          // to this machine itself
	churn    float64       // connections a second that are used up, at the highest rate
	span     time.Duration // that this rate lasts
	inFlight int
}

// needOf tells what a plan needs. Calls over HTTP/2, WebSocket or standard streams
// share few connections.
func needOf(plan *scenario.Plan) need {
	t := &plan.Target
	var n need
	if t.Transport != "" && t.Transport != "http" {
		return need{surely: t.Connections.Sockets}
	}
	n.tcp, n.local = !strings.HasPrefix(t.URL, "unix:"), onThisMachine(t.URL)
	for i := range plan.Phases {
		p := &plan.Phases[i]
		n.surely = max(n.surely, p.Callers)
		if p.Callers == 0 {
			n.inFlight = plan.InFlight
			rate := max(p.Rate.Value, p.To) / perCall(plan, p.Rate.Unit)
			switch {
			case t.Connections.MaxRequests > 0:
				rate /= float64(t.Connections.MaxRequests)
			case !t.Connections.CloseEach:
				rate = 0
			}
			if rate > n.churn {
				n.churn, n.span = rate, p.For
			}
		}
	}
	n.atMost = n.inFlight
	return n
}

func onThisMachine(address string) bool {
	if address == "" {
		return true // the bundled node
	}
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	a, err := netip.ParseAddr(u.Hostname())
	return u.Hostname() == "localhost" || err == nil && a.IsLoopback()
}

// files is how many open files the need comes to.
func (n *need) files() uint64 { return uint64(n.surely + n.atMost + ownFiles) }

// check holds a need to the limits: the error says that the plan cannot be carried out,
// the warnings what it may run into.
func (l *allowance) check(n need) (warnings []string, err error) {
	if l.hard > 0 && uint64(n.surely+ownFiles) > l.hard {
		return nil, fmt.Errorf("%d connections at a time take %d open files, and this process may have %d: raise the hard limit (ulimit -Hn) or ask for fewer callers", n.surely, n.surely+ownFiles, l.hard)
	}
	if l.soft > 0 && n.files() > l.soft {
		warnings = append(warnings, fmt.Sprintf("in_flight: %d may take %s open files, and this process may have %s: calls beyond will fail for want of sockets (ulimit -n)",
			n.inFlight, results.Count(n.files()), results.Count(l.soft)))
	}
	ports := l.ports()
	if !n.tcp || ports == 0 {
		return warnings, nil
	}
	const widen = "widen net.ipv4.ip_local_port_range"
	switch {
	case n.surely > ports:
		return nil, fmt.Errorf("%d connections at a time to one address take as many local ports, and this machine has %d (%d to %d): %s or ask for fewer callers", n.surely, ports, l.first, l.last, widen)
	case n.surely+n.atMost > ports:
		warnings = append(warnings, fmt.Sprintf("in_flight: %d may take more local ports than the %s that this machine has (%d to %d): %s",
			n.inFlight, results.Count(uint64(ports)), l.first, l.last, widen))
	}
	rest := portRest
	if l.reuse == 1 || l.reuse == 2 && n.local {
		rest = portReused
	}
	lasting := float64(ports) / rest.Seconds()
	if total := n.churn * min(n.span, rest).Seconds(); n.churn > lasting && total > float64(ports) {
		warnings = append(warnings, fmt.Sprintf("%s new connections a second are more than this machine can keep up: each of its %s local ports rests for %s after its connection, which allows %s a second unless the node closes first; %s, or keep connections alive for longer",
			results.Rate(n.churn), results.Count(uint64(ports)), results.Seconds(rest.Seconds()), results.Rate(math.Floor(lasting)), widen))
	}
	return warnings, nil
}

// allow raises the soft limit where the plan may need that, and tells what the
// machine allows it. Go raises the limit by itself at its start, and gives children the
// one it found unless it is set here: then they inherit the raised one.
func allow(plan *scenario.Plan, root fs.FS) (l allowance, warnings []string, err error) {
	n := needOf(plan)
	l.soft, l.hard = openFiles()
	if want := min(n.files(), l.hard); l.soft < want && raiseOpenFiles(want) == nil {
		l.soft = want
	}
	l.portLimits(root)
	warnings, err = l.check(n)
	return l, warnings, err
}
