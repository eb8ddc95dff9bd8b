package transport

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// DefaultMaxReply bounds a reply's body where the configuration does not.
const DefaultMaxReply = 256 << 20

// DefaultMaxReplies bounds what all replies under way take together where the
// configuration does not.
const DefaultMaxReplies = 1 << 30

// HTTPConfig is how an HTTP endpoint is reached.
type HTTPConfig struct {
	// URL is where bodies are posted: http, https, or a Unix socket as
	// unix:/path/to/socket or http+unix://%2Fpath%2Fto%2Fsocket/path?query, over
	// which http is spoken. User information becomes basic authentication.
	URL string
	// Header is sent with every request, over the transport's own
	// Content-Type, Accept, User-Agent, Host and Authorization. "Connection:
	// close" opens a connection for every exchange. Fields that frame the
	// body are the transport's own.
	Header http.Header
	// TLS is for an https URL; nil trusts the system's root certificates.
	TLS *TLS
	// Guard refuses addresses: it is asked about every address of the host
	// before each connect. nil is LocalOnly. A Unix socket has no address.
	Guard func(netip.Addr) error
	// ResolveOnce keeps the addresses that the host had at the first connect (or
	// when Addresses was called). Else every connect looks them up.
	ResolveOnce bool
	// A connection is given up for a new one when it is MaxAge old, before the
	// request that comes next, and when it has carried MaxRequests; 0: never.
	MaxAge      time.Duration
	MaxRequests int
	// MaxReply bounds the body of a reply in bytes; 0 is DefaultMaxReply.
	MaxReply int64
	// MaxReplies bounds what has arrived of the replies under way, together, in bytes; 0
	// is DefaultMaxReplies. Those up to 64 KiB do not count.
	MaxReplies int64
	// Expect, where it is not 0, sends each head by itself, with "Expect: 100-continue"
	// (RFC 9110 section 10.1.1), and the body when the node says so, or when it
	// has said nothing for that long. A final answer in place of the 100 is the answer:
	// the body is not sent then, and the connection given up, as the node may wait for it.
	Expect time.Duration
}

// DefaultExpect is how long a node that was asked for its 100 is waited for, where
// the header field alone says that it is.
const DefaultExpect = time.Second

// HTTP is an endpoint that speaks HTTP/1.1 with keep-alive. Redirects and
// authentication challenges are answers like any other, never followed.
type HTTP struct {
	dialer
	to       aim
	fields   string // every header line but the request line and Content-Length
	close    bool   // each connection carries one exchange
	life     lifetime
	maxReply int64
	expect   time.Duration // 0: no head asks whether its body may follow
	budget   budget
	pollers  pollers
	closed   atomic.Bool
}

// NewHTTP checks c; it connects to nothing. Its errors show neither user
// information nor header values.
func NewHTTP(c HTTPConfig) (*HTTP, error) {
	to, err := parseURL(c.URL, "http", "https")
	if err != nil {
		return nil, err
	}
	h := &HTTP{
		to:       to,
		life:     lifetime{c.MaxAge, c.MaxRequests},
		maxReply: c.MaxReply,
		budget:   newBudget(c.MaxReplies),
		expect:   c.Expect,
	}
	if err := h.aim(to, &c, "http/1.1"); err != nil {
		return nil, err
	}
	if h.maxReply <= 0 {
		h.maxReply = DefaultMaxReply
	}
	header, asked, err := withoutExpect(c.Header)
	if err != nil {
		return nil, err
	}
	if asked && h.expect <= 0 {
		h.expect = DefaultExpect
	}
	fields, err := headerFields(to.url, header)
	if err != nil {
		return nil, err
	}
	h.fields = fieldLines(fields)
	h.close = slices.ContainsFunc(c.Header.Values("Connection"), func(v string) bool { return strings.EqualFold(v, "close") })
	return h, nil
}

// withoutExpect takes the one expectation that there is out of a header.
func withoutExpect(header http.Header) (_ http.Header, asked bool, err error) {
	for name, values := range header {
		if http.CanonicalHeaderKey(name) != "Expect" {
			continue
		}
		for _, v := range values {
			if !strings.EqualFold(strings.TrimSpace(v), "100-continue") {
				return nil, false, errors.New("header Expect can only be 100-continue")
			}
		}
		if !asked {
			header = maps.Clone(header)
		}
		delete(header, name)
		asked = true
	}
	return header, asked, nil
}

// asks tells whether the node is asked before the body of req is sent.
func (h *HTTP) asks(req *Request) bool { return h.expect > 0 && len(req.Body) > 0 }

// FieldOf gives a header field of a request's own; see [Request]. The error does not
// show the value.
func FieldOf(name, value string) (string, error) {
	switch canonical := http.CanonicalHeaderKey(name); {
	case !isToken(name):
		return "", fmt.Errorf("header name %q is not a token", name)
	case ours[canonical] || canonical == "Connection" || canonical == "Host":
		return "", fmt.Errorf("header %s belongs to the transport: leave it out", canonical)
	case hasControl([]byte(value)):
		return "", fmt.Errorf("the value of header %s holds a control character", canonical)
	}
	return name + ": " + strings.Trim(value, " \t"), nil
}

// ours are the fields that frame a request or the connection.
var ours = map[string]bool{
	"Content-Length": true, "Transfer-Encoding": true, "Te": true, "Trailer": true,
	"Expect": true, "Upgrade": true, "Keep-Alive": true, "Proxy-Connection": true,
}

// headerFields gives the header fields of every request, save Content-Length.
func headerFields(u *url.URL, configured http.Header) (http.Header, error) {
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
			return nil, fmt.Errorf("header name %q is not a token", name)
		}
		canonical := http.CanonicalHeaderKey(name)
		if ours[canonical] {
			return nil, fmt.Errorf("header %s belongs to the transport: leave it out", canonical)
		}
		for _, value := range configured[name] {
			if strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
				return nil, fmt.Errorf("the value of header %s holds a control character (perhaps a line end from the file it was read from)", canonical)
			}
			if canonical == "Connection" && !strings.EqualFold(value, "close") && !strings.EqualFold(value, "keep-alive") {
				return nil, errors.New("header Connection can only be close or keep-alive")
			}
			if !replaced[canonical] {
				replaced[canonical], fields[canonical] = true, nil
			}
			fields[canonical] = append(fields[canonical], value)
		}
	}
	return fields, nil
}

// fieldLines writes fields as they stand in a request, Host first (RFC 9110
// section 7.2).
func fieldLines(fields http.Header) string {
	var b strings.Builder
	writeField := func(name string) {
		for _, value := range fields[name] {
			b.WriteString(name + ": " + strings.Trim(value, " \t") + "\r\n")
		}
	}
	writeField("Host")
	for _, name := range sortedKeys(fields) {
		if name != "Host" {
			writeField(name)
		}
	}
	return b.String()
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

// head gives the request's head for path, up to the value of Content-Length.
func (h *HTTP) head(path string) []byte {
	return []byte("POST " + h.to.target(path) + " HTTP/1.1\r\n" + h.fields + "Content-Length: ")
}

// connectBy is connect up to a deadline, zero for none; its error is an *Error.
func (h *HTTP) connectBy(ctx context.Context, deadline time.Time) (socket, net.Conn, error) {
	limited := ctx
	if !deadline.IsZero() {
		var cancel context.CancelFunc
		limited, cancel = context.WithDeadline(ctx, deadline)
		defer cancel()
	}
	outer, conn, err := h.connect(limited)
	if e := new(Error); err == nil || errors.As(err, &e) {
		return outer, conn, err
	}
	return nil, nil, &Error{Failure: classify(ctx, err, Refused), Err: err}
}

// Open gives a connection that connects in its first exchange, or, if it is a
// [Starter], in Connect.
func (h *HTTP) Open() (Conn, error) {
	if h.closed.Load() {
		return nil, errors.New("the endpoint is closed")
	}
	return h.open(), nil
}

// Close ends the giving of connections; those that are open belong to their users.
func (h *HTTP) Close() error {
	h.closed.Store(true)
	return nil
}
