package scrape

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
)

// Address is where something is read over HTTP.
type Address struct {
	// URL is http, https, or a Unix socket: unix:PATH, or http+unix:// with the path
	// percent-encoded and what is asked for behind it.
	URL    string
	Header http.Header // sent with every request
	TLS    *tls.Config // nil trusts the system's root certificates
	// HTTP2 speaks HTTP/2 by prior knowledge where nothing is encrypted. Over TLS it is
	// agreed upon.
	HTTP2 bool
	// Guard is asked about every address that is connected to, after its name was
	// resolved; nil allows all. A Unix socket has no address.
	Guard func(netip.Addr) error
}

// client reads from one address, over one connection at a time. Redirects are not
// followed: only the address that was given is asked.
type client struct {
	http   *http.Client
	url    *url.URL
	header http.Header
}

func newClient(a Address) (*client, error) {
	dialer := &net.Dialer{Control: guarded(a.Guard)}
	dial := dialer.DialContext
	address := a.URL
	if socket, rest, ok := unixSocket(a.URL); ok {
		address = "http://localhost" + rest
		dial = func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", socket)
		}
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return nil, errors.New("this is no address that metrics can be read at") // without it: it may hold secrets
	}
	protocols := new(http.Protocols)
	protocols.SetHTTP1(!a.HTTP2)
	protocols.SetHTTP2(true)
	protocols.SetUnencryptedHTTP2(a.HTTP2)
	return &client{
		http: &http.Client{
			Transport:     &http.Transport{MaxIdleConnsPerHost: 1, TLSClientConfig: a.TLS, DialContext: dial, Protocols: protocols},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		url: u, header: a.Header,
	}, nil
}

// unixSocket takes the address of a Unix socket apart.
func unixSocket(address string) (path, rest string, ok bool) {
	if path, ok = strings.CutPrefix(address, "unix:"); ok {
		return strings.TrimPrefix(path, "//"), "/", true
	}
	host, ok := strings.CutPrefix(address, "http+unix://")
	if !ok {
		return "", "", false
	}
	rest = "/"
	if i := strings.IndexAny(host, "/?"); i >= 0 {
		host, rest = host[:i], host[i:]
	}
	path, err := url.PathUnescape(host)
	return path, rest, err == nil
}

// guarded refuses a connection to an address that the guard refuses. It sees the
// address after the name was resolved, at every connection anew.
func guarded(guard func(netip.Addr) error) func(network, address string, _ syscall.RawConn) error {
	return func(_, address string, _ syscall.RawConn) error {
		if guard == nil {
			return nil
		}
		to, err := netip.ParseAddrPort(address)
		if err != nil {
			return err
		}
		return guard(to.Addr())
	}
}

// get asks for u and gives the answer, whatever its status. Errors do not tell the
// URL, which may carry secrets.
func (c *client) get(ctx context.Context, u *url.URL, accept string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, withoutURL(err)
	}
	for name, values := range c.header {
		req.Header[name] = values
	}
	req.Header.Set("Accept", accept)
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, withoutURL(err)
	}
	return resp, nil
}

func (c *client) close() { c.http.CloseIdleConnections() }

// drain reads a little of a body, so that the connection can be used again.
func drain(resp *http.Response) { _, _ = io.CopyN(io.Discard, resp.Body, 64<<10) }

func status(resp *http.Response) string {
	text := fmt.Sprintf("HTTP status %d %s", resp.StatusCode, http.StatusText(resp.StatusCode))
	if resp.StatusCode/100 == 3 {
		text += ", a redirect, which is not followed"
	}
	return strings.TrimSpace(text)
}

func withoutURL(err error) error {
	var u *url.Error
	for errors.As(err, &u) {
		err = u.Err
	}
	return err
}
