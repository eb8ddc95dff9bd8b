package loadgen

import (
	"encoding/base64"
	"slices"
	"strconv"

	"volley/scenario"
)

// work is the plan's calls, ready to be encoded. It is immutable and shared by
// all callers.
type work struct {
	seed        uint64
	form        scenario.Form
	sizes       sizes
	malformed   float64 // an entry whose draw is below is sent malformed
	notified    float64 // else, below this, as a notification
	methods     []method
	upTo        []float64 // cumulative shares of methods
	pathMethods bool      // singletons are posted to /METHOD
	plain       bool      // every entry is the same but for its id: nothing hangs on chance
	slotted     bool      // members are not all of one slot
}

// compile readies a plan; pinned maps the name of each pinned block to its hash.
func compile(p *scenario.Plan, pinned map[string]string) (*work, error) {
	w := &work{
		seed:      p.Seed,
		form:      p.Form,
		sizes:     newSizes(p),
		malformed: p.Malformed,
		notified:  p.Malformed + p.Notifications,
		// The path of a singleton names its method (RCP/1 section 5.2); a batch is
		// posted to the base.
		pathMethods: p.Target.Dialect == "rcp",
	}
	c := compiler{feeds: make(map[string]*feed, len(p.Feeds)), pinned: pinned}
	for name, f := range p.Feeds {
		c.feeds[name] = newFeed(f)
	}
	weights := make([]float64, 0, len(p.Mix))
	for _, m := range p.Mix {
		t, err := c.method(m)
		if err != nil {
			return nil, err
		}
		w.methods = append(w.methods, t)
		weights = append(weights, m.Weight)
	}
	w.upTo = cumulative(weights)
	w.slotted = len(w.methods) > 1 || w.malformed > 0
	w.plain = w.notified == 0 && len(w.methods) == 1 && !slices.ContainsFunc(w.methods[0].params, segment.drawn)
	return w, nil
}

// member is what one entry of a call was sent as.
type member uint8

const (
	request      member = iota
	notification        // its id is used up but not sent
	mangled             // sent malformed, without an id of ours
	mangledID           // sent malformed, with its id
	mangledTrue         // sent malformed, with the id true
)

func (k member) malformed() bool { return k >= mangled }

// echoed tells whether an answer is sure to carry the member's id: a malformed
// one's may be null.
func (k member) echoed() bool { return k == request }

// message is one call as it goes on the wire, and what the correlator has to
// know of it. It is reused from call to call.
type message struct {
	batch         bool // on the wire an array
	path          string
	body          []byte
	first         uint64 // the id of members[i] is first+i, sent or not
	members       []member
	slots         []uint8 // of the members; none: all are of the mix's first row
	items         int
	notifications int
	malformed     int
}

// due is how many answers the call asks for.
func (m *message) due() int { return len(m.members) - m.notifications }

func (m *message) last() uint64 { return m.first + uint64(len(m.members)) - 1 }

// encoder writes calls. It is not safe for concurrent use; each caller has one.
type encoder struct {
	work    *work
	stream  *stream
	scratch []byte // what is about to become base64
	items   int    // of the entry being written
}

func newEncoder(w *work) *encoder { return &encoder{work: w, stream: newStream()} }

// encode writes call n, which has the given shape, into m. The same seed, n,
// first and shape give the same bytes.
func (e *encoder) encode(m *message, n, first uint64, h shape) {
	e.begin(m, n, first, h)
	for i := range h.entries {
		if m.batch && i > 0 {
			m.body = append(m.body, ',')
		}
		if e.work.plain {
			e.write(m, 0, request, first+uint64(i))
			continue
		}
		u := e.stream.rand.Float64()
		switch {
		case u < e.work.malformed:
			e.mangle(m, n+uint64(i), first+uint64(i))
		case u < e.work.notified:
			m.notifications++
			e.entry(m, notification, first+uint64(i))
		default:
			e.entry(m, request, first+uint64(i))
		}
	}
	if m.batch {
		m.body = append(m.body, ']')
	}
}

// canary writes a call of one entry, a valid request of the mix's heaviest method:
// a rare row may be there to fail.
func (e *encoder) canary(m *message, first uint64) {
	e.begin(m, ^uint64(0), first, shape{entries: 1, items: 1})
	e.write(m, e.work.heaviest(), request, first)
	if m.batch {
		m.body = append(m.body, ']')
	}
}

// largest writes a batch as large as any of the plan's, of nothing but valid requests.
func (e *encoder) largest(m *message, first uint64) {
	h := shape{entries: e.work.sizes.size.max, items: e.work.sizes.items.max}
	e.begin(m, ^uint64(0), first, h)
	for i := range h.entries {
		if i > 0 {
			m.body = append(m.body, ',')
		}
		e.entry(m, request, first+uint64(i))
	}
	m.body = append(m.body, ']')
}

func (e *encoder) begin(m *message, n, first uint64, h shape) {
	e.stream.set(e.work.seed, n, forBody)
	e.items = h.items
	*m = message{
		batch:   e.work.form == scenario.Batch,
		body:    m.body[:0],
		first:   first,
		members: m.members[:0],
		slots:   m.slots[:0],
		items:   h.entries * h.items,
	}
	if m.batch {
		m.body = append(m.body, '[')
	}
}

// entry writes a request or a notification of a method drawn from the mix.
func (e *encoder) entry(m *message, k member, id uint64) {
	e.write(m, choose(e.work.upTo, e.stream.rand.Float64()), k, id)
}

// heaviest gives the method with the greatest share, the first of equals.
func (w *work) heaviest() int {
	best, share, before := 0, 0.0, 0.0
	for i, upTo := range w.upTo {
		// Cumulative shares carry rounding errors, which must not decide between equals.
		if s := upTo - before; s > share+1e-9 {
			best, share = i, s
		}
		before = upTo
	}
	return best
}

func (e *encoder) write(m *message, row int, k member, id uint64) {
	t := &e.work.methods[row]
	m.members = append(m.members, k)
	if e.work.slotted {
		m.slots = append(m.slots, slotOf(row))
	}
	m.body = append(m.body, `{"jsonrpc":"2.0"`...)
	if k == request {
		m.body = append(m.body, `,"id":`...)
		m.body = strconv.AppendUint(m.body, id, 10)
	}
	m.body = append(m.body, t.head...)
	m.body = e.fill(m.body, t.params)
	m.body = append(m.body, '}')
	if e.work.pathMethods && !m.batch {
		m.path = "/" + t.name
	}
}

// fill appends segments, each hole filled anew.
func (e *encoder) fill(dst []byte, segments []segment) []byte {
	for i := range segments {
		s := &segments[i]
		switch s.kind {
		case literal:
			dst = append(dst, s.lit...)
		case pick:
			dst = s.feed.append(dst, e.stream.rand.IntN(s.feed.len))
		case pickPlain:
			dst = append(dst, s.feed.values.At(e.stream.rand.IntN(s.feed.len))...)
		case items:
			dst = append(dst, '[')
			for k := range e.items {
				if k > 0 {
					dst = append(dst, ',')
				}
				dst = e.fill(dst, s.sub)
			}
			dst = append(dst, ']')
		case encoded:
			dst = append(dst, '"')
			dst = e.base64(dst, s.sub)
			dst = append(dst, '"')
		case encodedIn:
			dst = e.base64(dst, s.sub)
		}
	}
	return dst
}

// base64 writes the plain text at dst's end first, so that base64 may hold
// base64, then puts its encoding in its place.
func (e *encoder) base64(dst []byte, sub []segment) []byte {
	start := len(dst)
	dst = e.fill(dst, sub)
	e.scratch = append(e.scratch[:0], dst[start:]...)
	return base64.StdEncoding.AppendEncode(dst[:start], e.scratch)
}
