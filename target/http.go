package target

import (
	"cmp"
	"context"
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
	"strconv"
	"strings"
)

// Handler is what Serve answers with: the endpoint, the dialect's pages and
// /metrics. Under an http.Server a connection's state lasts for one request, and
// the time that clients have is that server's to bound.
func (n *Node) Handler() http.Handler { return http.HandlerFunc(n.serveHTTP) }

func (n *Node) serveHTTP(w http.ResponseWriter, r *http.Request) {
	if page, ok := n.pages[r.URL.Path]; ok {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "this page is read with GET", http.StatusMethodNotAllowed)
			return
		}
		page(w, r)
		return
	}
	method, ok := n.policy.route(r.URL.Path)
	switch {
	case !ok:
		n.plain(w, http.StatusNotFound, "no such page; JSON-RPC is spoken at "+n.policy.Base)
	case r.Method == http.MethodGet:
		n.turnAway(w, &n.policy.Get, 0)
	case r.Method != http.MethodPost:
		n.turnAway(w, &n.policy.NotPost, 0)
	default:
		n.serveRPC(w, r, method)
	}
}

// route finds the method that a URL's path names; "" is the endpoint itself.
func (p *Policy) route(path string) (method string, ok bool) {
	rest, ok := strings.CutPrefix(path, strings.TrimSuffix(p.Base, "/"))
	switch {
	case !ok:
		return "", false
	case rest == "" || rest == "/":
		return "", true
	}
	method, ok = strings.CutPrefix(rest, "/")
	return method, ok && p.PathMethods
}

// serveRPC keeps the order in which the batching documentation refuses: content
// type, body size, then what the body says.
func (n *Node) serveRPC(w http.ResponseWriter, r *http.Request, method string) {
	if !n.policy.takes(r.Header.Get("Content-Type")) {
		n.turnAway(w, &n.policy.NotJSON, 0)
		return
	}
	conn := n.connectionOf(w, r)
	x := newExchange(conn)
	defer x.free()
	x.method = method
	if session := r.Header["Rcp-Session"]; len(session) > 0 { // the canonical spelling of RCP-Session
		x.session = session[0]
	}

	if !n.readBody(w, x, r) {
		return
	}
	ctx, done := n.context(w, r, conn)
	defer done()
	n.take(ctx, x)
	n.finish(ctx, x)
	n.metrics.exchange(x.shape, x.status)

	if x.fault != noFault && n.answerWrongly(w, x) {
		return
	}
	if x.retryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(x.retryAfter))
	}
	if len(x.out) == 0 && x.status == http.StatusOK && n.policy.EmptyIsJSON {
		w.Header().Set("Content-Type", "application/json")
	}
	if len(x.out) > 0 {
		h := w.Header()
		h.Set("Content-Type", x.mediaType())
		h.Set("Content-Length", strconv.Itoa(len(x.out)))
	}
	w.WriteHeader(x.status)
	w.Write(x.out) // a client that is gone is no fault of the node's
}

// connectionOf finds the connection that a request came on. Under another
// server than Serve's every request has one of its own.
func (n *Node) connectionOf(w http.ResponseWriter, r *http.Request) *connection {
	if own, ok := w.(*response); ok {
		return &own.conn.connection
	}
	return &connection{state: n.dialect.Connect(HTTP), life: context.WithoutCancel(r.Context()), client: clientOf(r.RemoteAddr)}
}

// context is the one that a request's calls run with; done must be called when
// they have run.
func (n *Node) context(w http.ResponseWriter, r *http.Request, c *connection) (ctx context.Context, done func()) {
	if !n.policy.CancelOnDisconnect {
		return c.life, func() {}
	}
	if own, ok := w.(*response); ok {
		return own.conn.watched()
	}
	return r.Context(), func() {}
}

// clientOf is a remote address without its port.
func clientOf(remote string) string {
	host, _, err := net.SplitHostPort(remote)
	if err != nil {
		return remote
	}
	return host
}

// turnAway refuses an exchange, as the policy has it, before its body has told
// what it is; size is the body's as far as it is known.
func (n *Node) turnAway(w http.ResponseWriter, r *Refusal, size int) {
	n.metrics.exchange(unparsed, r.Status)
	h := w.Header()
	if r.Status == http.StatusMethodNotAllowed {
		h.Set("Allow", http.MethodPost)
	}
	if body := r.append(nil, int(n.policy.BodyLimit), size, nil); len(body) > 0 {
		h.Set("Content-Type", cmp.Or(r.media(), "application/json"))
		h.Set("Content-Length", strconv.Itoa(len(body)))
		w.WriteHeader(r.Status)
		w.Write(body)
		return
	}
	w.WriteHeader(r.Status)
}

// plain refuses an exchange before its body has told what it is.
func (n *Node) plain(w http.ResponseWriter, status int, why string) {
	n.metrics.exchange(unparsed, status)
	http.Error(w, why, status)
}

func declaredJSON(contentType string) bool {
	if contentType == "application/json" {
		return true
	}
	media, _, err := mime.ParseMediaType(contentType)
	return err == nil && (media == "application/json" ||
		strings.HasPrefix(media, "application/") && strings.HasSuffix(media, "+json"))
}

// takes tells whether a body of a declared content type is looked at.
func (p *Policy) takes(contentType string) bool {
	if p.MediaTypes == nil {
		return declaredJSON(contentType)
	}
	media, _, err := mime.ParseMediaType(contentType)
	for _, m := range p.MediaTypes {
		if m == "*" || err == nil && m == media {
			return true
		}
	}
	return false
}

// readBody reads the body into x, or refuses it. Of one that is declared too
// large it reads nothing, of any other at most a byte too many.
func (n *Node) readBody(w http.ResponseWriter, x *exchange, r *http.Request) bool {
	limit := n.policy.BodyLimit
	body := io.Reader(r.Body)
	if limit > 0 {
		if r.ContentLength > limit {
			n.turnAway(w, &n.policy.TooLong, int(r.ContentLength))
			return false
		}
		body = io.LimitReader(body, limit+1)
	}
	var err error
	if x.body, err = readAll(body, x.body[:0], r.ContentLength); err != nil {
		var timeout interface{ Timeout() bool }
		if errors.As(err, &timeout) && timeout.Timeout() {
			n.plain(w, http.StatusRequestTimeout, "the body did not come in time")
			return false
		}
		n.plain(w, http.StatusBadRequest, "the body ended too early")
		return false
	}
	if limit > 0 && int64(len(x.body)) > limit {
		n.turnAway(w, &n.policy.TooLong, len(x.body))
		return false
	}
	return true
}
