package target

import (
	"context"
	"errors"
	"io"
	"mime"
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
	case r.Method != http.MethodPost:
		w.Header().Set("Allow", http.MethodPost)
		n.plain(w, http.StatusMethodNotAllowed, "JSON-RPC is spoken with POST")
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
	if !declaredJSON(r.Header.Get("Content-Type")) {
		n.plain(w, http.StatusUnsupportedMediaType, "the content type must be application/json")
		return
	}
	conn := n.connectionOf(w, r)
	x := newExchange(conn)
	defer x.free()
	x.method = method
	if session := r.Header["Rcp-Session"]; len(session) > 0 { // the canonical spelling of RCP-Session
		x.session = session[0]
	}

	if status, why := n.readBody(x, r); status != 0 {
		n.plain(w, status, why)
		return
	}
	ctx, done := n.context(w, r, conn)
	defer done()
	n.take(ctx, x)
	n.finish(ctx, x)
	n.metrics.exchange(x.shape, x.status)

	if len(x.out) > 0 {
		h := w.Header()
		h.Set("Content-Type", "application/json")
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
	return &connection{state: n.dialect.Connect(HTTP), life: context.WithoutCancel(r.Context())}
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

// readBody reads the body into x, or tells how it is refused. Of one that is
// declared too large it reads nothing, of any other at most a byte too many.
func (n *Node) readBody(x *exchange, r *http.Request) (status int, why string) {
	limit := n.policy.BodyLimit
	tooLarge := func() (int, string) {
		return http.StatusRequestEntityTooLarge, "the body is over " + strconv.FormatInt(limit, 10) + " bytes"
	}
	body := io.Reader(r.Body)
	if limit > 0 {
		if r.ContentLength > limit {
			return tooLarge()
		}
		body = io.LimitReader(body, limit+1)
	}
	var err error
	if x.body, err = readAll(body, x.body[:0]); err != nil {
		var timeout interface{ Timeout() bool }
		if errors.As(err, &timeout) && timeout.Timeout() {
			return http.StatusRequestTimeout, "the body did not come in time"
		}
		return http.StatusBadRequest, "the body ended too early"
	}
	if limit > 0 && int64(len(x.body)) > limit {
		return tooLarge()
	}
	return 0, ""
}

// readAll is io.ReadAll into space that is there. It grows with what has come,
// not with what was declared.
func readAll(r io.Reader, b []byte) ([]byte, error) {
	for {
		if len(b) == cap(b) {
			b = append(b, 0)[:len(b)]
		}
		n, err := r.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		if err == io.EOF {
			return b, nil
		}
		if err != nil {
			return b, err
		}
	}
}
