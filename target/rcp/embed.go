package rcp

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"math"
	"strconv"

	"volley/internal/jsonrpc"
)

// embedding is one checked call of the embed family.
type embedding struct {
	model    *model
	lexicon  *lexicon
	texts    []string
	base64   bool   // vectors as f32-base64, not as JSON arrays
	encoding string // as asked for; "" when not
	limit    int    // bytes of an embed/multi result
}

// embedParams checks the parameters of the embed family. kind is checked and
// then passed over: the encoder treats queries and documents alike.
func (d *Dialect) embedParams(params []byte, name, synonym string) (p embedding, fault *jsonrpc.Error) {
	p = embedding{model: d.model, lexicon: d.lexicon, limit: d.config.BatchResponseSizeLimit}
	field, array := either(params, name, synonym)
	if array == nil {
		return p, invalid(field, "is missing")
	}
	kind, asked, fault := optional(params, "kind")
	if fault != nil {
		return p, fault
	}
	if asked && kind != "query" && kind != "document" {
		return p, invalid("kind", `is neither "query" nor "document"`)
	}
	if p.encoding, asked, fault = optional(params, "encoding"); fault != nil {
		return p, fault
	}
	if asked && p.encoding != "json" && p.encoding != "f32-base64" {
		return p, unsupported("encoding", "is not one that this server advertises: json, f32-base64")
	}
	p.base64 = p.encoding == "f32-base64"
	p.texts, fault = texts(field, array, d.config.EmbedBatchLimit)
	return p, fault
}

// dense is embed (section 7.3): all texts in one product.
func (p embedding) dense(ctx context.Context, dst []byte) ([]byte, *jsonrpc.Error) {
	w := vectorWriter{base64: p.base64}
	out := append(dst, `{"vectors":`...)
	err := p.model.embed(ctx, p.texts, func(i int, vector []float32) {
		out = w.append(append(out, opening(i)), vector)
	})
	if err != nil {
		return dst, stopped(ctx)
	}
	return p.finish(out), nil
}

// multi is embed/multi (section 7.5): one vector a word, of the first maxTokens.
// They are the words' features; the layers are for whole texts.
func (p embedding) multi(ctx context.Context, dst []byte) ([]byte, *jsonrpc.Error) {
	e, w := newEncoder(p.model.dimension), vectorWriter{base64: p.base64}
	out := append(dst, `{"matrices":[`...)
	for i, s := range p.texts {
		if ctx.Err() != nil {
			return dst, stopped(ctx)
		}
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, '[')
		n := 0
		e.words(s, func(word []byte) bool {
			if n > 0 {
				out = append(out, ',')
			}
			out = w.append(out, e.token(word))
			n++
			return n < maxTokens && len(out)-len(dst) <= p.limit
		})
		out = append(out, ']')
		if size := len(out) - len(dst); size > p.limit {
			return dst, overLimit(payloadTooLarge, "the result is too large: send fewer or shorter inputs", p.limit, size)
		}
	}
	return p.finish(out), nil
}

// maxTokens is where a text is cut, as a model's window does it (BERT's).
const maxTokens = 512

// finish closes the array; the encoding is echoed when it was asked for.
func (p embedding) finish(dst []byte) []byte {
	dst = append(dst, `],"dimension":`...)
	dst = strconv.AppendInt(dst, int64(p.model.dimension), 10)
	if p.encoding != "" {
		dst = append(dst, `,"encoding":"`...)
		dst = append(dst, p.encoding...)
		dst = append(dst, '"')
	}
	return append(dst, '}')
}

// sparse is embed/sparse (section 7.4); encoding does not bear on it.
func (p embedding) sparse(ctx context.Context, dst []byte) ([]byte, *jsonrpc.Error) {
	var e encoder
	var terms []term
	out := append(dst, `{"sparse":[`...)
	for i, s := range p.texts {
		if ctx.Err() != nil {
			return dst, stopped(ctx)
		}
		if i > 0 {
			out = append(out, ',')
		}
		terms = p.lexicon.terms(&e, s, terms)
		out = append(out, `{"indices":`...)
		for j, t := range terms {
			out = strconv.AppendUint(append(out, opening(j)), uint64(t.id), 10)
		}
		out = append(out, `],"values":`...)
		for j, t := range terms {
			out = appendFloat(append(out, opening(j)), t.weight)
		}
		out = append(out, `]}`...)
	}
	return append(out, `]}`...), nil
}

// vectorWriter writes vectors in one encoding (section 7.3.1). Both carry the
// same values: a float32's shortest decimal reads back to the same float32.
type vectorWriter struct {
	base64 bool
	bytes  []byte
}

func (w *vectorWriter) append(dst []byte, vector []float32) []byte {
	if !w.base64 {
		for i, v := range vector {
			dst = appendFloat(append(dst, opening(i)), v)
		}
		return append(dst, ']')
	}
	w.bytes = w.bytes[:0]
	for _, v := range vector {
		w.bytes = binary.LittleEndian.AppendUint32(w.bytes, math.Float32bits(v))
	}
	dst = append(dst, '"')
	dst = base64.StdEncoding.AppendEncode(dst, w.bytes)
	return append(dst, '"')
}

// opening is what stands before an array's i-th element.
func opening(i int) byte {
	if i == 0 {
		return '['
	}
	return ','
}

// appendFloat writes a finite number.
func appendFloat(dst []byte, v float32) []byte {
	if v == 0 {
		return append(dst, '0')
	}
	return strconv.AppendFloat(dst, float64(v), 'g', -1, 32)
}
