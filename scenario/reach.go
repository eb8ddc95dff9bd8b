package scenario

import (
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// tls reads how the node of an encrypted address is trusted. Its files are beside
// the scenario, like those of feeds.
func (d *decoder) tls(n *node, t *Target) *TLS {
	f, ok := d.mapping(n, tlsTable())
	if !ok {
		return nil
	}
	if u, _, _ := strings.Cut(t.URL, "://"); u != "https" && u != "wss" {
		d.report(n, "leave it out, or write the url with https://", "tls has no meaning for an address that is not encrypted")
	}
	v := &TLS{CA: d.pemFile(f.given("ca")), Cert: d.pemFile(f.given("cert"))}
	key := f.given("key")
	switch {
	case key == nil:
	case key.kind == mapping:
		if k, ok := d.mapping(key, headerTable()); ok {
			v.KeyEnv = d.envName(k.given("env"))
		}
	default:
		v.Key = d.pemFile(key)
	}
	switch cert := f.given("cert"); {
	case cert != nil && key == nil:
		d.report(cert, "add key: the file that holds it, or {env: VARIABLE}", "a client certificate needs its key")
	case cert == nil && key != nil:
		d.report(key, "add cert: the file that holds it", "a key needs its client certificate")
	}
	if s := f.given("server_name"); s != nil {
		v.ServerName = d.text(s)
	}
	if v.Insecure = d.boolean(f.or("insecure")); v.Insecure {
		d.warn("target.tls.insecure: whatever certificate the node shows is taken for its own")
	}
	return v
}

// pemFile reads the name of a file that the run will read.
func (d *decoder) pemFile(n *node) string {
	name := d.text(n)
	if name == "" {
		return ""
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(d.dir, name)
	}
	if abs, err := filepath.Abs(name); err == nil {
		name = abs
	}
	info, err := os.Stat(name)
	switch {
	case err != nil:
		// Without the name: a key may have been written in its place.
		if e := new(fs.PathError); errors.As(err, &e) {
			err = e.Err
		}
		d.report(n, "name a PEM file, beside the scenario or by its whole path", "there is no such file to read: %v", err)
	case info.IsDir():
		d.report(n, "name the file in it", "%s is a directory", name)
	}
	return name
}

func (d *decoder) auth(n *node, t *Target, headers *node) *Auth {
	f, ok := d.mapping(n, authTable())
	if !ok {
		return nil
	}
	a := &Auth{}
	basic, bearer := f.given("basic"), f.given("bearer")
	switch {
	case basic != nil && bearer != nil:
		d.report(bearer, "keep one of them", "a request has one authorization, not both basic and bearer")
	case basic != nil:
		if b, ok := d.mapping(basic, basicTable()); ok {
			user := b.given("user")
			if a.User = d.text(user); strings.Contains(a.User, ":") {
				d.report(user, "", "a user's name may hold no colon")
			}
			a.Secret = d.secret(b.given("password"), "target.auth.basic.password", nil)
		}
	case bearer != nil:
		a.Secret = d.secret(bearer, "target.auth.bearer", notInHeader)
	case !f.unknown:
		d.report(n, "write basic: {user: NAME, password: {env: VARIABLE}}, or bearer: {env: VARIABLE}", "auth says neither basic nor bearer")
	}
	if h := headers.get("Authorization"); h != nil {
		d.report(n, "keep one of them", "headers has an Authorization too")
	}
	if u, err := url.Parse(t.URL); err == nil && u.User != nil {
		d.report(n, "keep one of them", "the url has a name and password too")
	}
	return a
}

// secret reads a text, or the name of an environment variable that holds it. bars
// tells characters that it may not hold.
func (d *decoder) secret(n *node, what string, bars func(rune) bool) Header {
	switch {
	case n == nil:
	case n.kind == mapping:
		if f, ok := d.mapping(n, headerTable()); ok {
			return Header{Env: d.envName(f.given("env"))}
		}
	case n.kind != scalar:
		d.report(n, "write {env: VARIABLE} to keep the value out of the file", "want a text, not %s", n.kind)
	case bars != nil && strings.ContainsFunc(n.text, bars):
		d.report(n, "", "the value holds characters that a header may not")
	default:
		if n.text == redacted {
			d.warn("%s was redacted when this plan was stored: give it again, best as {env: VARIABLE}", what)
		}
		return Header{Value: n.text}
	}
	return Header{}
}

// connections reads what a connection is used for. Which of its settings mean
// something depends on the transport.
func (d *decoder) connections(n *node, transport string) Connections {
	f, ok := d.mapping(n, connectionsTable())
	if !ok {
		return Connections{}
	}
	for key, of := range map[string]string{"max_age": "http", "max_requests": "http", "keep_alive": "http", "expect_continue": "http", "sockets": "websocket"} {
		if v := f.given(key); v != nil && of != transport && transport != "stdio" && transport != "h2" {
			d.report(v, "leave it out, or set transport: "+of, "%s has no meaning with transport %s", key, transport)
		}
	}
	c := Connections{Sockets: d.whole(f.given("sockets"), 1, 1<<16), MaxRequests: d.whole(f.given("max_requests"), 1, 1<<30)}
	if age := f.given("max_age"); age != nil {
		c.MaxAge = d.duration(age, time.Millisecond)
	}
	if wait := f.given("expect_continue"); wait != nil {
		c.ExpectContinue = d.duration(wait, time.Millisecond)
	}
	if c.CloseEach = !d.boolean(f.or("keep_alive")); c.CloseEach && c.MaxRequests+int(c.MaxAge) > 0 {
		d.report(f.given("keep_alive"), "leave out one or the other", "without keep_alive a connection carries one call: it has no age and no further requests")
	}
	return c
}

// schemes are those of a target's address, by transport.
func schemes(transport string) []string {
	if transport == "websocket" {
		return []string{"ws", "wss", "http", "https"}
	}
	return []string{"http", "https"}
}

// unixSocket takes the address of a Unix socket apart: unix:PATH, or
// http+unix://PATH with the path percent-encoded and what is asked for behind it.
func unixSocket(address string) (path, rest string, ok bool) {
	if path, ok = strings.CutPrefix(address, "unix:"); ok {
		return strings.TrimPrefix(path, "//"), "", true
	}
	host, ok := strings.CutPrefix(address, "http+unix://")
	if !ok {
		return "", "", false
	}
	if i := strings.IndexAny(host, "/?"); i >= 0 {
		host, rest = host[:i], host[i:]
	}
	path, err := url.PathUnescape(host)
	return path, rest, err == nil
}

// socketURL reads the address of a Unix socket.
func (d *decoder) socketURL(n *node, text string) string {
	path, rest, ok := unixSocket(text)
	u, err := url.Parse("http://localhost" + rest)
	if !ok || !strings.HasPrefix(path, "/") || err != nil || u.Fragment != "" {
		d.report(n, "write it like unix:/run/node.sock or http+unix://%2Frun%2Fnode.sock/path", "this is no address of a Unix socket")
		return ""
	}
	return text
}

func isSocket(address string) bool {
	return strings.HasPrefix(address, "unix:") || strings.HasPrefix(address, "http+unix:")
}

// transportFits refuses settings that the transport has no use for.
func (d *decoder) transportFits(f fields, t Target) {
	useless := map[string][]string{
		"http":      {"command"},
		"h2":        {"command", "connections"},
		"websocket": {"command"},
		"stdio":     {"url", "headers", "tls", "auth", "resolve", "connections"},
	}
	for _, key := range useless[t.Transport] {
		if n := f.given(key); n != nil {
			other := "http"
			if slices.Contains(useless["http"], key) {
				other = "stdio"
			}
			d.report(n, "leave it out, or set transport: "+other, "%s has no meaning with transport %s", key, t.Transport)
		}
	}
	if n := f.given("transport"); n != nil && f.given("url") == nil && (t.Transport == "h2" || t.Transport == "websocket") {
		d.report(n, "give the url of a node that does", "the bundled node does not speak %s", t.Transport)
	}
}
