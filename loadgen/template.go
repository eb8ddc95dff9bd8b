package loadgen

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"

	"volley/internal/jsonrpc"
	"volley/scenario"
)

// segmentKind is what a piece of a params template is.
type segmentKind uint8

const (
	literal   segmentKind = iota
	pick                  // a random value of a feed, quoted
	pickPlain             // the same without quotes and escapes: within base64
	items                 // an array of as many as the entry has items
	encoded               // base64 of what sub yields, quoted
	encodedIn             // the same without quotes: base64 within base64
)

// segment is a piece of a params template: literal bytes, or a hole that each
// entry fills anew.
type segment struct {
	kind segmentKind
	lit  []byte
	feed *feed
	sub  []segment
}

// drawn tells whether chance decides what stands in the segment.
func (s segment) drawn() bool {
	return s.kind == pick || s.kind == pickPlain || slices.ContainsFunc(s.sub, segment.drawn)
}

// method is one row of the mix, ready for the wire.
type method struct {
	name string
	// head follows the id (or, in a notification, the version):
	// ,"method":"NAME" and, where there are params, ,"params":
	head   []byte
	params []segment
}

// compiler turns templates into segments. A hash that was pinned is known by
// now, so it is literal.
type compiler struct {
	feeds  map[string]*feed
	pinned map[string]string
}

func (c *compiler) method(m scenario.Method) (method, error) {
	head := jsonrpc.AppendString([]byte(`,"method":`), m.Method)
	out := method{name: m.Method, head: head}
	if m.Params == nil {
		return out, nil
	}
	out.head = append(out.head, `,"params":`...)
	var err error
	if out.params, err = c.value(nil, m.Params); err != nil {
		return method{}, fmt.Errorf("method %q of the mix: %w", m.Method, err)
	}
	return out, nil
}

// value appends the segments of v's JSON.
func (c *compiler) value(dst []segment, v *scenario.Value) ([]segment, error) {
	var err error
	switch {
	case v.JSON != nil:
		return addLiteral(dst, v.JSON), nil
	case v.Pick != "":
		f, err := c.feed(v.Pick)
		return append(dst, segment{kind: pick, feed: f}), err
	case v.Pinned != "":
		hash, err := c.hash(v.Pinned)
		return addLiteral(dst, jsonrpc.AppendString(nil, hash)), err
	case v.Items != nil:
		sub, err := c.value(nil, v.Items)
		return append(dst, segment{kind: items, sub: sub}), err
	case v.Base64 != nil:
		return c.base64(dst, v.Base64, encoded)
	case v.Array:
		dst = addLiteral(dst, []byte{'['})
		for i, e := range v.Values {
			if i > 0 {
				dst = addLiteral(dst, []byte{','})
			}
			if dst, err = c.value(dst, e); err != nil {
				return nil, err
			}
		}
		return addLiteral(dst, []byte{']'}), nil
	default:
		dst = addLiteral(dst, []byte{'{'})
		for i, e := range v.Values {
			if i > 0 {
				dst = addLiteral(dst, []byte{','})
			}
			dst = addLiteral(dst, append(jsonrpc.AppendString(nil, v.Keys[i]), ':'))
			if dst, err = c.value(dst, e); err != nil {
				return nil, err
			}
		}
		return addLiteral(dst, []byte{'}'}), nil
	}
}

// base64 appends a segment that encodes v: a string's own bytes, else its JSON.
// What holds no hole is encoded here and now.
func (c *compiler) base64(dst []segment, v *scenario.Value, kind segmentKind) ([]segment, error) {
	sub, err := c.plain(v)
	if err != nil {
		return nil, err
	}
	switch {
	case len(sub) == 0:
		sub = []segment{{kind: literal}}
	case len(sub) > 1 || sub[0].kind != literal:
		return append(dst, segment{kind: kind, sub: sub}), nil
	}
	text := base64.StdEncoding.AppendEncode(nil, sub[0].lit)
	if kind == encoded {
		text = append(append([]byte{'"'}, text...), '"')
	}
	return addLiteral(dst, text), nil
}

// plain gives the segments of what stands within base64.
func (c *compiler) plain(v *scenario.Value) ([]segment, error) {
	switch {
	case v.JSON != nil:
		var s string
		if json.Unmarshal(v.JSON, &s) == nil && v.JSON[0] == '"' {
			return addLiteral(nil, []byte(s)), nil
		}
	case v.Pick != "":
		f, err := c.feed(v.Pick)
		return []segment{{kind: pickPlain, feed: f}}, err
	case v.Pinned != "":
		hash, err := c.hash(v.Pinned)
		return addLiteral(nil, []byte(hash)), err
	case v.Base64 != nil:
		return c.base64(nil, v.Base64, encodedIn)
	}
	return c.value(nil, v)
}

func (c *compiler) feed(name string) (*feed, error) {
	f, ok := c.feeds[name]
	if !ok {
		return nil, fmt.Errorf("no feed %q", name)
	}
	if f.len == 0 {
		return nil, fmt.Errorf("feed %q is empty", name)
	}
	return f, nil
}

func (c *compiler) hash(name string) (string, error) {
	hash, ok := c.pinned[name]
	if !ok {
		return "", fmt.Errorf("no block was resolved for {pinned: %s}: only final can be", name)
	}
	return hash, nil
}

func addLiteral(dst []segment, b []byte) []segment {
	if n := len(dst); n > 0 && dst[n-1].kind == literal {
		dst[n-1].lit = append(dst[n-1].lit, b...)
		return dst
	}
	if len(b) == 0 {
		return dst
	}
	return append(dst, segment{kind: literal, lit: append([]byte(nil), b...)})
}

// feed is a scenario.Feed whose values, when there are few enough, stand quoted
// in memory.
type feed struct {
	len    int
	values scenario.Feed
	quoted [][]byte // nil: quoted when picked
}

// quotedFeed is up to how many values of a feed are kept quoted; beyond it the
// memory costs more than the quoting.
const quotedFeed = 1 << 16

func newFeed(values scenario.Feed) *feed {
	f := &feed{len: values.Len(), values: values}
	if f.len > quotedFeed {
		return f
	}
	var all []byte
	ends := make([]int, f.len)
	for i := range f.len {
		all = jsonrpc.AppendString(all, values.At(i))
		ends[i] = len(all)
	}
	f.quoted = make([][]byte, f.len)
	start := 0
	for i, end := range ends {
		f.quoted[i] = all[start:end:end]
		start = end
	}
	return f
}

func (f *feed) append(dst []byte, i int) []byte {
	if f.quoted != nil {
		return append(dst, f.quoted[i]...)
	}
	return jsonrpc.AppendString(dst, f.values.At(i))
}
