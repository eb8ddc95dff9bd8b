package transport

import "strconv"

const (
	// onePiece is up to which size a body is copied behind its head instead of
	// being written beside it.
	onePiece = 16 << 10
	// maxHeads bounds the heads kept for their paths.
	maxHeads = 256
)

// requestWriter lays out the requests of one connection. Its memory is used again
// for the next request.
type requestWriter struct {
	heads map[string][]byte // by path, up to the value of Content-Length
	out   []byte
}

// assemble gives req as one piece, or as its head and its body.
func (w *requestWriter) assemble(h *HTTP, req *Request) (first, second []byte) {
	w.lay(h, req)
	if len(req.Body) > onePiece {
		return w.out, req.Body
	}
	w.out = append(w.out, req.Body...)
	return w.out, nil
}

// lay lays out the head of req, and gives it.
func (w *requestWriter) lay(h *HTTP, req *Request) []byte {
	w.out = append(w.out[:0], w.head(h, req.Path)...)
	w.out = strconv.AppendInt(w.out, int64(len(req.Body)), 10)
	if h.asks(req) {
		w.out = append(w.out, "\r\nExpect: 100-continue"...)
	}
	if req.Field != "" {
		w.out = append(append(w.out, "\r\n"...), req.Field...)
	}
	w.out = append(w.out, "\r\n\r\n"...)
	return w.out
}

func (w *requestWriter) head(h *HTTP, path string) []byte {
	head, ok := w.heads[path]
	if !ok {
		if w.heads == nil || len(w.heads) == maxHeads {
			w.heads = make(map[string][]byte)
		}
		head = h.head(path)
		w.heads[path] = head
	}
	return head
}
