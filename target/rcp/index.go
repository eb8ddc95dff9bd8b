package rcp

import (
	"bytes"
	"context"
	"encoding/binary"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"volley/internal/jsonrpc"
)

// document is one text of the index. It never changes.
type document struct {
	id     string
	text   string
	meta   []byte // raw JSON object; nil: none
	values map[string][]scalar
	dense  []float32
	sparse []term
	own    bool // of the built-in corpus
}

// size is what a document counts against the index's bytes.
func (d *document) size() int { return len(d.id) + len(d.text) + len(d.meta) }

func (d *document) same(o *document) bool {
	return d.id == o.id && d.text == o.text && bytes.Equal(d.meta, o.meta)
}

// snapshot is the index at one time. It never changes, so a retrieval reads one
// without a lock while others write.
type snapshot struct {
	docs    []*document // by id
	bytes   int
	version uint64 // of what was written so far, so equal histories have equal versions
}

// name is the snapshot's indexVersion (section 7.7.1).
func (s *snapshot) name() string { return strconv.FormatUint(s.version, 16) }

// with gives the snapshot in which docs, sorted by id without duplicates, stand
// in the place of those with their ids, or beside the others.
func (s *snapshot) with(docs []*document) *snapshot {
	next := &snapshot{docs: make([]*document, 0, len(s.docs)+len(docs)), bytes: s.bytes, version: s.version}
	old := s.docs
	for _, d := range docs {
		at, found := find(old, d.id)
		next.docs, old = append(next.docs, old[:at]...), old[at:]
		if found {
			if old[0].same(d) {
				continue
			}
			next.bytes -= old[0].size()
			old = old[1:]
		}
		next.docs = append(next.docs, d)
		next.bytes += d.size()
		next.note(d.id, d.text, string(d.meta))
	}
	next.docs = append(next.docs, old...)
	return next
}

// without gives the snapshot that has none of ids, and how many it had.
func (s *snapshot) without(ids []string) (next *snapshot, deleted int) {
	gone := slices.Compact(slices.Sorted(slices.Values(ids)))
	next = &snapshot{docs: make([]*document, 0, len(s.docs)), bytes: s.bytes, version: s.version}
	old := s.docs
	for _, id := range gone {
		at, found := find(old, id)
		next.docs = append(next.docs, old[:at]...)
		if found {
			next.bytes -= old[at].size()
			next.note(id)
			at++
			deleted++
		}
		old = old[at:]
	}
	if deleted == 0 {
		return s, 0
	}
	next.docs = append(next.docs, old...)
	return next, deleted
}

func find(docs []*document, id string) (at int, found bool) {
	return slices.BinarySearchFunc(docs, id, func(d *document, id string) int { return strings.Compare(d.id, id) })
}

// note moves the version on by one change.
func (s *snapshot) note(parts ...string) {
	b := binary.LittleEndian.AppendUint64(nil, s.version)
	for _, part := range parts {
		b = binary.LittleEndian.AppendUint64(b, hash(part))
	}
	s.version = mix(hash(b))
}

// index is the process's documents; every session sees the same. Safe for
// concurrent use.
type index struct {
	maxDocuments, maxBytes int

	current atomic.Pointer[snapshot]
	writing sync.Mutex // of whoever replaces current
	minted  int        // ids given to documents without one
}

// put upserts documents (section 7.10), all of them or, when the index would be
// over a limit, none. Those without an id get one. Of several with one id the
// last stays.
func (x *index) put(docs []*document) (ids []string, fault *jsonrpc.Error) {
	x.writing.Lock()
	defer x.writing.Unlock()
	s := x.current.Load()
	for _, d := range docs {
		for taken := d.id == ""; taken; {
			x.minted++
			d.id = "volley-" + strconv.Itoa(x.minted)
			_, taken = find(s.docs, d.id)
			taken = taken || slices.ContainsFunc(docs, func(o *document) bool { return o != d && o.id == d.id })
		}
		ids = append(ids, d.id)
	}
	latest := slices.Clone(docs)
	slices.Reverse(latest)
	slices.SortStableFunc(latest, func(a, b *document) int { return strings.Compare(a.id, b.id) })
	latest = slices.CompactFunc(latest, func(a, b *document) bool { return a.id == b.id })
	next := s.with(latest)
	switch {
	case len(next.docs) > x.maxDocuments:
		return nil, overLimit(payloadTooLarge, "the index would have too many documents", x.maxDocuments, len(next.docs))
	case next.bytes > x.maxBytes:
		return nil, overLimit(payloadTooLarge, "the index would have too many bytes", x.maxBytes, next.bytes)
	}
	x.current.Store(next)
	return ids, nil
}

// drop deletes documents (section 7.11).
func (x *index) drop(ids []string) (deleted int) {
	x.writing.Lock()
	defer x.writing.Unlock()
	next, deleted := x.current.Load().without(ids)
	x.current.Store(next)
	return deleted
}

// newIndex gives an index that holds so many documents of the built-in corpus.
func newIndex(c Config, m *model, l *lexicon) *index {
	x := &index{maxDocuments: c.IndexLimit, maxBytes: c.IndexBytesLimit}
	docs := make([]*document, c.Documents)
	for i := range docs {
		id, text, meta := corpusDocument(i)
		docs[i] = &document{id: id, text: text, meta: []byte(meta), own: true}
	}
	if err := encode(context.Background(), m, l, docs); err != nil {
		panic(err) // it can only be the context's
	}
	slices.SortFunc(docs, func(a, b *document) int { return strings.Compare(a.id, b.id) })
	x.current.Store(new(snapshot).with(docs))
	return x
}

// encode fills in what is computed of documents, the dense vectors in one product.
func encode(ctx context.Context, m *model, l *lexicon, docs []*document) error {
	texts := make([]string, len(docs))
	var e encoder
	for i, d := range docs {
		if err := ctx.Err(); err != nil {
			return err
		}
		texts[i] = d.text
		d.sparse = l.terms(&e, d.text, nil)
		d.values = metaValues(d.meta)
	}
	return m.embed(ctx, texts, func(i int, vector []float32) { docs[i].dense = slices.Clone(vector) })
}
