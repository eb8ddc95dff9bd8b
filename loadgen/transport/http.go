package transport

import (
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
)

// DefaultMaxReply bounds a reply's body where the configuration does not.
const DefaultMaxReply = 256 << 20

// HTTPConfig is how an HTTP endpoint is reached.
type HTTPConfig struct {
	// URL is where bodies are posted: http, or https with the system's root
	// certificates. User information becomes basic authentication.
	URL string
	// Header is sent with every request, over the transport's own
	// Content-Type, Accept, User-Agent, Host and Authorization. "Connection:
	// close" opens a connection for every exchange. Fields that frame the
	// body are the transport's own.
	Header http.Header
	// Guard refuses addresses: it is asked about every address of the host
	// before each connect. nil is LocalOnly.
	Guard func(netip.Addr) error
	// MaxReply bounds the body of a reply in bytes; 0 is DefaultMaxReply.
	MaxReply int64
}

// HTTP is an endpoint that speaks HTTP/1.1 with keep-alive. Redirects and
// authentication challenges are answers like any other, never followed.
type HTTP struct {
	host     string // a name or an address, without brackets
	port     uint16
	tls      *tls.Config // nil: plain
	path     string      // escaped, "" or beginning with a slash
	query    string      // with its question mark
	fields   string      // every header line but the request line and Content-Length
	close    bool        // each connection carries one exchange
	guard    func(netip.Addr) error
	resolver resolver
	maxReply int64
	closed   atomic.Bool
}

// NewHTTP checks c; it connects to nothing. Its errors show neither user
// information nor header values.
func NewHTTP(c HTTPConfig) (*HTTP, error) {
	u, err := parseURL(c.URL)
	if err != nil {
		return nil, err
	}
	h := &HTTP{
		host:     u.Hostname(),
		path:     u.EscapedPath(),
		guard:    c.Guard,
		resolver: net.DefaultResolver,
		maxReply: c.MaxReply,
		port:     80,
	}
	if h.guard == nil {
		h.guard = LocalOnly
	}
	if h.maxReply <= 0 {
		h.maxReply = DefaultMaxReply
	}
	if u.RawQuery != "" {
		h.query = "?" + u.RawQuery
	}
	if u.Scheme == "https" {
		h.port = 443
		h.tls = &tls.Config{ServerName: withoutZone(h.host), NextProtos: []string{"http/1.1"}}
	}
	if p := u.Port(); p != "" {
		n, err := strconv.ParseUint(p, 10, 16)
		if err != nil || n == 0 {
			return nil, fmt.Errorf("port %s of the URL is not in 1 to 65535", p)
		}
		h.port = uint16(n)
	}
	if h.fields, err = headerFields(u, c.Header); err != nil {
		return nil, err
	}
	h.close = slices.ContainsFunc(c.Header.Values("Connection"), func(v string) bool { return strings.EqualFold(v, "close") })
	return h, nil
}

func parseURL(raw string) (*url.URL, error) {
	u, err := url.Parse(raw)
	switch {
	case err != nil && strings.Contains(raw, "@"):
		// The parser's words quote what they stumble over.
		return nil, errors.New("the URL is not valid (not shown, as it holds user information): percent-encode what is special in the name and password")
	case err != nil:
		if e := new(url.Error); errors.As(err, &e) {
			err = e.Err
		}
		return nil, fmt.Errorf("the URL is not valid: %w", err)
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("the URL begins with %q: it has to begin with http:// or https://", schemeOf(u))
	case u.Hostname() == "":
		return nil, errors.New("the URL names no host: write it as http://127.0.0.1:3030/")
	case strings.ContainsFunc(u.Hostname(), func(r rune) bool { return r <= ' ' || r >= 0x7f }):
		return nil, fmt.Errorf("the host %q is not plain ASCII: write an international name in its xn-- form", u.Hostname())
	case strings.ContainsFunc(u.RawQuery, func(r rune) bool { return r <= ' ' || r >= 0x7f }):
		return nil, errors.New("the URL's query holds a space or a control character: percent-encode it")
	}
	return u, nil
}

func schemeOf(u *url.URL) string {
	if u.Scheme == "" {
		return u.Path
	}
	return u.Scheme + ":"
}

// ours are the fields that frame a request or the connection.
var ours = map[string]bool{
	"Content-Length": true, "Transfer-Encoding": true, "Te": true, "Trailer": true,
	"Expect": true, "Upgrade": true, "Keep-Alive": true, "Proxy-Connection": true,
}

// headerFields gives the header lines of every request, save Content-Length.
func headerFields(u *url.URL, configured http.Header) (string, error) {
	fields := http.Header{
		"Host":         {hostField(u)},
		"User-Agent":   {"volley"},
		"Content-Type": {"application/json"},
		"Accept":       {"application/json"},
	}
	if u.User != nil {
		password, _ := u.User.Password()
		token := base64.StdEncoding.EncodeToString([]byte(u.User.Username() + ":" + password))
		fields["Authorization"] = []string{"Basic " + token}
	}
	replaced := map[string]bool{}
	for _, name := range sortedKeys(configured) {
		if !isToken(name) {
			return "", fmt.Errorf("header name %q is not a token", name)
		}
		canonical := http.CanonicalHeaderKey(name)
		if ours[canonical] {
			return "", fmt.Errorf("header %s belongs to the transport: leave it out", canonical)
		}
		for _, value := range configured[name] {
			if strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
				return "", fmt.Errorf("the value of header %s holds a control character (perhaps a line end from the file it was read from)", canonical)
			}
			if canonical == "Connection" && !strings.EqualFold(value, "close") && !strings.EqualFold(value, "keep-alive") {
				return "", errors.New("header Connection can only be close or keep-alive")
			}
			if !replaced[canonical] {
				replaced[canonical], fields[canonical] = true, nil
			}
			fields[canonical] = append(fields[canonical], value)
		}
	}
	var b strings.Builder
	writeField := func(name string) {
		for _, value := range fields[name] {
			b.WriteString(name + ": " + strings.Trim(value, " \t") + "\r\n")
		}
	}
	writeField("Host") // first, RFC 9110 section 7.2
	delete(fields, "Host")
	for _, name := range sortedKeys(fields) {
		writeField(name)
	}
	return b.String(), nil
}

func sortedKeys(h http.Header) []string {
	keys := make([]string, 0, len(h))
	for k := range h {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// hostField is the Host header: the URL's host without an address's zone, which
// means something on this machine only.
func hostField(u *url.URL) string {
	host := withoutZone(u.Hostname())
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if p := u.Port(); p != "" {
		host += ":" + p
	}
	return host
}

func withoutZone(host string) string {
	if i := strings.IndexByte(host, '%'); i >= 0 {
		return host[:i]
	}
	return host
}

// head gives the request's head for path, up to the value of Content-Length.
// path is plain text: what is special in a URL is escaped here.
func (h *HTTP) head(path string) []byte {
	target := h.path
	if path != "" {
		escaped := (&url.URL{Path: "/" + strings.TrimPrefix(path, "/")}).EscapedPath()
		target = strings.TrimSuffix(target, "/") + escaped
	}
	if target == "" {
		target = "/"
	}
	return []byte("POST " + target + h.query + " HTTP/1.1\r\n" + h.fields + "Content-Length: ")
}

// connect resolves, checks and dials: the address that was checked is the one
// that is dialled.
func (h *HTTP) connect(ctx context.Context) (*net.TCPConn, net.Conn, error) {
	addrs, err := allowed(ctx, h.resolver, h.host, h.guard)
	if err != nil {
		return nil, nil, err
	}
	tcp, err := dial(ctx, addrs, h.port)
	if err != nil {
		return nil, nil, err
	}
	if h.tls == nil {
		return tcp, tcp, nil
	}
	secure := tls.Client(tcp, h.tls)
	if err := secure.HandshakeContext(ctx); err != nil {
		tcp.Close()
		return nil, nil, fmt.Errorf("the TLS handshake with %s failed: %w", tcp.RemoteAddr(), err)
	}
	return tcp, secure, nil
}

// Open gives a connection that connects in its first Do.
func (h *HTTP) Open() (Conn, error) {
	if h.closed.Load() {
		return nil, errors.New("the endpoint is closed")
	}
	c := &httpConn{endpoint: h}
	c.reader.maxBody = h.maxReply
	return c, nil
}

// Close ends the giving of connections; those that are open belong to their users.
func (h *HTTP) Close() error {
	h.closed.Store(true)
	return nil
}
