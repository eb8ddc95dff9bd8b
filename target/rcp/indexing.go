package rcp

import (
	"bytes"
	"context"
	"strconv"

	"volley/internal/jsonrpc"
)

// addition is one checked call of index/add (section 7.10).
type addition struct {
	dialect *Dialect
	docs    []*document
}

func (d *Dialect) addParams(params []byte) (p addition, fault *jsonrpc.Error) {
	p.dialect = d
	array := present(params, "documents")
	if !isArray(array) {
		return p, invalid("documents", "is missing, or is not an array of documents")
	}
	for _, option := range []string{"chunk", "contextual"} {
		on, fault := flag(params, option, false)
		if fault != nil {
			return p, fault
		}
		if on {
			return p, unsupported(option, "is not advertised")
		}
	}
	n := 0
	for range jsonrpc.Elements(array) {
		n++
	}
	if limit := d.config.EmbedBatchLimit; n > limit {
		return p, overLimit(jsonrpc.InvalidParams, "too many documents", limit, n)
	}
	for e := range jsonrpc.Elements(array) {
		doc, fault := parseDocument(e, "documents["+strconv.Itoa(len(p.docs))+"]")
		if fault != nil {
			return p, fault
		}
		p.docs = append(p.docs, doc)
	}
	return p, nil
}

func parseDocument(token []byte, path string) (*document, *jsonrpc.Error) {
	if !isObject(token) {
		return nil, invalid(path, "is not an object")
	}
	var d document
	if id := present(token, "id"); id != nil {
		var ok bool
		if d.id, ok = jsonrpc.Unquote(id); !ok || !isString(id) || d.id == "" {
			return nil, invalid(path+".id", "is not a string of at least one character")
		}
	}
	body := present(token, "text")
	if !isString(body) {
		return nil, invalid(path+".text", "is missing, or is not a string")
	}
	d.text, _ = jsonrpc.Unquote(body)
	if meta := present(token, "meta"); meta != nil {
		if !isObject(meta) {
			return nil, invalid(path+".meta", "is not an object")
		}
		d.meta = bytes.Clone(meta) // params are the engine's to use again
	}
	return &d, nil
}

// add answers with the ids in the order of the documents.
func (p addition) add(ctx context.Context, dst []byte) ([]byte, *jsonrpc.Error) {
	d := p.dialect
	if encode(ctx, d.model, d.lexicon, p.docs) != nil {
		return dst, stopped(ctx)
	}
	ids, fault := d.index.put(p.docs)
	if fault != nil {
		return dst, fault
	}
	dst = append(dst, `{"ids":[`...)
	for i, id := range ids {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = jsonrpc.AppendString(dst, id)
	}
	return append(dst, `]}`...), nil
}

// deletion is one checked call of index/delete (section 7.11).
type deletion struct {
	index *index
	ids   []string
}

func (d *Dialect) deleteParams(params []byte) (p deletion, fault *jsonrpc.Error) {
	p.index = d.index
	array := present(params, "ids")
	if !isArray(array) {
		return p, invalid("ids", "is missing, or is not an array of strings")
	}
	for e := range jsonrpc.Elements(array) {
		id, ok := jsonrpc.Unquote(e)
		if !ok || !isString(e) {
			return p, invalid("ids["+strconv.Itoa(len(p.ids))+"]", "is not a string")
		}
		p.ids = append(p.ids, id)
	}
	return p, nil
}

func (p deletion) drop(_ context.Context, dst []byte) ([]byte, *jsonrpc.Error) {
	dst = append(dst, `{"deleted":`...)
	dst = strconv.AppendInt(dst, int64(p.index.drop(p.ids)), 10)
	return append(dst, '}'), nil
}
