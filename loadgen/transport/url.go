package transport

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// maxSocketPath is how long the path of a Unix socket may be, unix(7).
const maxSocketPath = 107

// aim is where a URL points.
type aim struct {
	url    *url.URL // of a Unix socket: what is asked for, at the host localhost
	socket string   // the path of a Unix socket; "" for TCP
	port   uint16
	secure bool
}

// target gives what a request for path, below the URL, asks for (RFC 9112 section
// 3.2.1). path is plain text: what is special in a URL is escaped here.
func (a *aim) target(path string) string {
	target := a.url.EscapedPath()
	if path != "" {
		escaped := (&url.URL{Path: "/" + strings.TrimPrefix(path, "/")}).EscapedPath()
		target = strings.TrimSuffix(target, "/") + escaped
	}
	if target == "" {
		target = "/"
	}
	if a.url.RawQuery != "" {
		target += "?" + a.url.RawQuery
	}
	return target
}

// aim makes d dial what a URL points at.
func (d *dialer) aim(to aim, c *HTTPConfig, protocols ...string) (err error) {
	d.socket, d.host, d.port = to.socket, to.url.Hostname(), to.port
	d.guard, d.resolver, d.once = c.Guard, net.DefaultResolver, c.ResolveOnce
	if d.guard == nil {
		d.guard = LocalOnly
	}
	switch {
	case to.secure:
		d.tls, err = c.TLS.Config(d.host, protocols...)
	case c.TLS != nil && to.socket != "":
		err = errors.New("TLS settings are of no use with a Unix socket, over which nothing is encrypted")
	case c.TLS != nil:
		err = fmt.Errorf("TLS settings are of no use with a URL that is not encrypted, %s://: write it as %[1]ss://", to.url.Scheme)
	}
	return err
}

// parseURL reads a URL of one of the schemes, the second of which is encrypted, or
// of a Unix socket.
func parseURL(raw string, plain, secure string) (aim, error) {
	if to, ok, err := parseSocket(raw); ok || err != nil {
		return to, err
	}
	u, err := url.Parse(raw)
	switch {
	case err != nil && strings.Contains(raw, "@"):
		// The parser's words quote what they stumble over.
		return aim{}, errors.New("the URL is not valid (not shown, as it holds user information): percent-encode what is special in the name and password")
	case err != nil:
		if e := new(url.Error); errors.As(err, &e) {
			err = e.Err
		}
		return aim{}, fmt.Errorf("the URL is not valid: %w", err)
	case !slices.Contains([]string{plain, secure}, u.Scheme):
		return aim{}, fmt.Errorf("the URL begins with %q: it has to begin with %s://, %s:// or unix: instead", schemeOf(u), plain, secure)
	case u.Hostname() == "":
		return aim{}, fmt.Errorf("the URL names no host: write it as %s://127.0.0.1:3030/", plain)
	case strings.ContainsFunc(u.Hostname(), notPlain):
		return aim{}, fmt.Errorf("the host %q is not plain ASCII: write an international name in its xn-- form", u.Hostname())
	}
	to := aim{url: u, port: 80, secure: u.Scheme == secure}
	if to.secure {
		to.port = 443
	}
	if p := u.Port(); p != "" {
		n, err := strconv.ParseUint(p, 10, 16)
		if err != nil || n == 0 {
			return aim{}, fmt.Errorf("port %s of the URL is not in 1 to 65535", p)
		}
		to.port = uint16(n)
	}
	return to, checkQuery(u)
}

// parseSocket reads a URL of a Unix socket: unix:PATH, or http+unix:// with the
// path percent-encoded in the place of the host, which leaves room for what is
// asked for behind it. ok tells whether raw is one.
func parseSocket(raw string) (to aim, ok bool, err error) {
	rest := "/"
	if path, ok := strings.CutPrefix(raw, "unix:"); ok {
		to.socket = strings.TrimPrefix(path, "//")
	} else if host, ok := strings.CutPrefix(raw, "http+unix://"); ok {
		if i := strings.IndexAny(host, "/?"); i >= 0 {
			host, rest = host[:i], host[i:]
		}
		if to.socket, err = url.PathUnescape(host); err != nil {
			return aim{}, false, fmt.Errorf("the socket's path in the URL is not valid: %w", err)
		}
	} else {
		return aim{}, false, nil
	}
	switch {
	case !strings.HasPrefix(to.socket, "/"):
		return aim{}, false, errors.New("the URL of a Unix socket needs an absolute path: write it as unix:/run/node.sock or http+unix://%2Frun%2Fnode.sock/path")
	case len(to.socket) > maxSocketPath:
		return aim{}, false, fmt.Errorf("the path of the Unix socket is longer than %d bytes, which the system does not take", maxSocketPath)
	case strings.Contains(to.socket, "\x00"):
		return aim{}, false, errors.New("the path of the Unix socket holds a zero byte")
	}
	if to.url, err = url.Parse("http://localhost" + rest); err != nil {
		return aim{}, false, fmt.Errorf("what follows the socket in the URL is not valid: %w", errors.Unwrap(err))
	}
	return to, true, checkQuery(to.url)
}

func checkQuery(u *url.URL) error {
	if strings.ContainsFunc(u.RawQuery, notPlain) {
		return errors.New("the URL's query holds a space or a control character: percent-encode it")
	}
	return nil
}

func notPlain(r rune) bool { return r <= ' ' || r >= 0x7f }

func schemeOf(u *url.URL) string {
	if u.Scheme == "" {
		return u.Path
	}
	return u.Scheme + ":"
}

func withoutZone(host string) string {
	if i := strings.IndexByte(host, '%'); i >= 0 {
		return host[:i]
	}
	return host
}
