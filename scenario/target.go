package scenario

import (
	"net/netip"
	"net/textproto"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// bundled tells whether the run starts its own node.
func (t *Target) bundled() bool { return t.URL == "" && len(t.Command) == 0 }

func (d *decoder) target(n *node) Target {
	f, ok := d.mapping(n, targetTable())
	if !ok {
		return Target{}
	}
	t := Target{
		Dialect:   d.word(f.given("dialect"), dialects()),
		Transport: d.word(f.or("transport"), transports()),
	}
	if a := f.given("authorised"); a != nil {
		t.Authorised = d.authorised(a)
	}
	if u := f.given("url"); u != nil {
		t.URL = d.url(u, t.Authorised, true, schemes(t.Transport))
	}
	t.Command = d.command(f.given("command"))
	d.apply(f, &t)
	if h := f.given("headers"); h != nil {
		t.Headers = d.headers(h)
	}
	if n := f.given("tls"); n != nil {
		t.TLS = d.tls(n, &t)
	}
	if n := f.given("auth"); n != nil {
		t.Auth = d.auth(n, &t, f.given("headers"))
	}
	t.ResolveAlways = d.word(f.or("resolve"), resolves()) == "always"
	if n := f.given("connections"); n != nil {
		t.Connections = d.connections(n, t.Transport)
	}
	if t.Transport == "websocket" {
		t.Connections.Sockets = max(t.Connections.Sockets, 1)
	}
	if c := f.given("node"); c != nil {
		if c.kind != mapping {
			d.report(c, "", "want the node's settings as a mapping, not %s", describe(c))
		} else {
			t.Node = d.appendJSON(nil, c)
		}
	}
	if c := f.given("node_cpus"); c != nil {
		t.NodeCPUs = d.cpus(c)
	}
	t.Metrics = d.metrics(f.given("metrics"), &t)
	d.transportFits(f, t)
	return t
}

func (d *decoder) authorised(n *node) *Authorised {
	f, ok := d.mapping(n, authorisedTable())
	if !ok {
		return nil
	}
	a := &Authorised{By: d.text(f.given("by"))}
	if r := f.given("max_rate"); r != nil {
		var ramp bool
		a.MaxRate, _, ramp = d.rate(r)
		if a.MaxRate.Unit != Entries && a.MaxRate.Unit != "" || ramp {
			d.report(r, "write it like 500 entries/s", "max_rate is one rate in entries/s")
		}
	}
	return a
}

func (d *decoder) headers(n *node) map[string]Header {
	if n.kind != mapping {
		d.report(n, "", "want header names with their values, not %s", n.kind)
		return nil
	}
	headers := map[string]Header{}
	for _, p := range n.pairs {
		name := textproto.CanonicalMIMEHeaderKey(p.key.text)
		if _, twice := headers[name]; twice {
			d.report(p.key, "", "header %s stands twice", name)
		}
		switch {
		case !headerName.MatchString(p.key.text):
			d.report(p.key, "", "%s is no header name", clip(p.key.text))
		case p.value.kind == sequence || p.value.kind == absent:
			d.report(p.value, "write {env: VARIABLE} to keep the value out of the file", "want a header's value, not %s", p.value.kind)
		default:
			headers[name] = d.secret(p.value, "header "+name, notInHeader)
		}
	}
	return headers
}

// headerName is a token of RFC 9110, section 5.6.2.
var headerName = regexp.MustCompile("^[-!#$%&'*+.^_`|~0-9A-Za-z]+$")

// notInHeader tells the characters that RFC 9110, section 5.5, bars from values.
func notInHeader(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }

var envName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

func (d *decoder) envName(n *node) string {
	if n == nil {
		return ""
	}
	if n.kind != scalar || !envName.MatchString(n.text) {
		d.report(n, "", "want the name of an environment variable")
		return ""
	}
	return n.text
}

// url reads an address and judges whether it may be aimed at. Host names that
// are in no table pass: what they resolve to is checked when a connection is made.
func (d *decoder) url(n *node, a *Authorised, sockets bool, schemes []string) string {
	text := d.text(n)
	if text == "" {
		return ""
	}
	if sockets && isSocket(text) {
		return d.socketURL(n, text)
	}
	// Parse errors repeat the address, which may hold secrets: not shown.
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.Hostname() == "":
		d.report(n, "write it like http://127.0.0.1:3030/", "this is no address of a node")
		return ""
	case !slices.Contains(schemes, u.Scheme):
		d.report(n, "write it like "+schemes[0]+"://127.0.0.1:3030/", "want %s, not %s", strings.Join(schemes, " or "), clip(u.Scheme))
		return ""
	case u.Fragment != "":
		d.report(n, "", "an address of a node has no part after #")
		return ""
	}
	d.mayAim(n, u.Hostname(), a)
	return text
}

func (d *decoder) mayAim(n *node, host string, a *Authorised) {
	if op, known := operatorOf(host); known {
		if a == nil || !op.namedIn(a.By) {
			d.report(n, "with their consent write authorised: {by: "+op.names[0]+", max_rate: 500 entries/s}",
				"%s is a public endpoint run by %s: a load test of it needs its operator's consent", host, op.names[0])
		}
		return
	}
	ip, err := netip.ParseAddr(host)
	if err != nil || a != nil {
		return
	}
	if ip = ip.Unmap(); !ip.IsLoopback() && !ip.IsPrivate() {
		d.report(n, "say who allowed the test and up to which rate: authorised: {by: NAME, max_rate: 500 entries/s}",
			"%s is neither a loopback nor a private address", host)
	}
}
