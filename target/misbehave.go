package target

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"volley/internal/jsonrpc"
)

// MisbehaveConfig is what a node does wrong on purpose, for testing clients. In
// a config file it is an object of a fault's name (see [Fault]) to its share of
// all answers, from 0 to 1 or as "5%", and of the settings below. An answer has
// one fault at most, so the shares add up to 1 at most; an answer that its fault
// cannot be done to goes out as it is and is not counted.
//
// Faults are drawn in the order in which answers are finished: of one client
// that waits for each answer a seed gives the same every time. Faults of the
// wire (see Fault) are done over HTTP alone. What is done is counted in
// volley_misbehaved_total by mode.
type MisbehaveConfig struct {
	Shares    map[Fault]float64
	DelayFor  time.Duration // of Delay
	HugeBytes int64         // of Huge
	Seed      uint64
}

const (
	defaultDelay = time.Second
	defaultHuge  = 200 << 20
)

// settings are each fault's share, and what is set beside them.
func (MisbehaveConfig) settings() []Setting {
	var all []Setting
	for f := firstFault; f < faults; f++ {
		all = append(all, Setting{f.String(), "0", faultTable[f].doc})
	}
	return append(all,
		Setting{"delay_for", strconv.Quote(defaultDelay.String()), "how late the fault delay makes an answer"},
		Setting{"huge_bytes", strconv.Itoa(defaultHuge), "how long the fault huge makes one"},
		Setting{"seed", "0", "of the draws"})
}

// UnmarshalJSON reads the config and refuses what cannot be: an unknown fault, a
// share that is none, shares that come to more than 1.
func (c *MisbehaveConfig) UnmarshalJSON(text []byte) error {
	f := ConfigFile{Data: text}
	if text[0] != '{' {
		return f.errorAt(0, "want an object, got %s", shown(text))
	}
	read := MisbehaveConfig{Shares: map[Fault]float64{}, DelayFor: defaultDelay, HugeBytes: defaultHuge}
	known := map[string]reflect.Type{"delay_for": nil, "huge_bytes": nil, "seed": nil}
	for m := firstFault; m < faults; m++ {
		known[m.String()] = nil
	}
	seen, sum := map[string]bool{}, 0.0
	for w := jsonrpc.Over(text); w.Next(); {
		key := string(w.Name)
		if _, ok := known[key]; !ok {
			return f.errorAt(w.NameAt, "no fault is called %s%s", join("", key), suggestion(key, known))
		}
		if seen[key] {
			return f.errorAt(w.NameAt, "%s stands twice", key)
		}
		seen[key] = true
		share, err := read.set(key, w.Value)
		if err != nil {
			return f.errorAt(w.ValueAt, "%s: %s", key, err)
		}
		if sum += share; sum > 1+1e-9 {
			return f.errorAt(w.ValueAt, "%s: the shares come to more than 1: an answer has one fault at most", key)
		}
	}
	*c = read
	return nil
}

func (c *MisbehaveConfig) set(key string, value []byte) (share float64, err error) {
	switch key {
	case "delay_for":
		var s Span
		if json.Unmarshal(value, &s) != nil {
			return 0, fmt.Errorf(`want a duration such as "300ms", got %s`, shown(value))
		}
		c.DelayFor = time.Duration(s)
		return 0, nil
	case "huge_bytes":
		if json.Unmarshal(value, &c.HugeBytes) != nil || c.HugeBytes < 1 {
			return 0, fmt.Errorf("want a whole number over zero, got %s", shown(value))
		}
		return 0, nil
	case "seed":
		if json.Unmarshal(value, &c.Seed) != nil {
			return 0, fmt.Errorf("want a whole number that is not under zero, got %s", shown(value))
		}
		return 0, nil
	}
	share, ok := shareOf(value)
	if !ok {
		return 0, fmt.Errorf(`want a share from 0 to 1, or such as "5%%", got %s`, shown(value))
	}
	c.Shares[faultOf(key)] = share
	return share, nil
}

func shareOf(value []byte) (share float64, ok bool) {
	var text string
	scale := 1.0
	if json.Unmarshal(value, &text) == nil {
		number, percent := strings.CutSuffix(text, "%")
		if !percent {
			return 0, false
		}
		value, scale = []byte(strings.TrimSpace(number)), 100
	}
	if json.Unmarshal(value, &share) != nil || string(value) == "null" {
		return 0, false
	}
	share /= scale
	return share, share >= 0 && share <= 1
}

// misbehaviour is a MisbehaveConfig at work. Safe for concurrent use.
type misbehaviour struct {
	config   MisbehaveConfig
	counters [faults]prometheus.Counter // of those with a share
	wait     func(context.Context, time.Duration) error

	mu     sync.Mutex // guards random
	random *rand.Rand
}

// newMisbehaviour gives nil when there is nothing to do. A nil wait is the
// function Wait.
func newMisbehaviour(c *MisbehaveConfig, m *metrics, wait func(context.Context, time.Duration) error) *misbehaviour {
	if c == nil {
		return nil
	}
	if wait == nil {
		wait = Wait
	}
	b := &misbehaviour{config: *c, wait: wait, random: rand.New(rand.NewPCG(c.Seed, misbehaviourStream))}
	total := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "volley_misbehaved_total", Help: "Answers that were spoilt on purpose, by how.",
	}, []string{"mode"})
	for f, share := range c.Shares {
		if share > 0 {
			b.counters[f] = total.WithLabelValues(f.String())
		}
	}
	m.registry.MustRegister(total)
	return b
}

// misbehaviourStream keeps the draws apart from others of the same seed.
const misbehaviourStream = 0x6d6973

func (b *misbehaviour) draw() Fault {
	b.mu.Lock()
	u := b.random.Float64()
	b.mu.Unlock()
	for f := firstFault; f < faults; f++ {
		share := b.config.Shares[f]
		if u < share {
			return f
		}
		u -= share
	}
	return noFault
}

// below is a random number from 0 to n-1.
func (b *misbehaviour) below(n int) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.random.IntN(n)
}

// spoil does to a finished answer what is drawn for it, but for what the wire
// itself is needed for: that is left in x.fault to the front.
func (b *misbehaviour) spoil(ctx context.Context, x *exchange) {
	f := b.draw()
	switch {
	case f == noFault:
		return
	case f.onWire():
		x.fault = f
		return
	case f == Delay:
		if b.wait(ctx, b.config.DelayFor) != nil {
			return
		}
	case !b.garble(f, x):
		return
	}
	b.counters[f].Inc()
}

// garble changes an answer's bytes, status or content type; false when it has
// nothing for this fault.
func (b *misbehaviour) garble(f Fault, x *exchange) bool {
	if len(x.out) == 0 {
		return false
	}
	switch f {
	case EmptyBody:
		x.status, x.out = 200, x.out[:0]
		return true
	case NewlineBody:
		x.status, x.out = 200, append(x.out[:0], '\n')
		return true
	case Truncate:
		if len(x.out) < 2 {
			return false
		}
		x.out = x.out[:1+b.below(len(x.out)-1)]
		return true
	case WrongContentType:
		x.media = "text/html; charset=utf-8"
		return true
	}
	entries, batch, err := jsonrpc.Split(x.out, nil)
	if err != nil || len(entries) == 0 {
		return false
	}
	entries, batch, ok := b.rearrange(f, entries, batch)
	if !ok {
		return false
	}
	var out []byte
	if batch {
		out = append(append(append(out, '['), bytes.Join(entries, []byte{','})...), ']')
	} else {
		out = append(out, entries[0]...)
	}
	x.out = append(x.out[:0], out...)
	return true
}

// rearrange is garble for an answer's entries; those of an array may come back
// as one that is none.
func (b *misbehaviour) rearrange(f Fault, entries [][]byte, batch bool) ([][]byte, bool, bool) {
	n := len(entries)
	switch f {
	case Reorder:
		if n < 2 {
			return nil, false, false
		}
		return b.shuffled(entries), batch, true
	case Drop:
		if !batch {
			return nil, false, false
		}
		i := b.below(n)
		return append(entries[:i:i], entries[i+1:]...), batch, true
	case Duplicate:
		if !batch {
			return nil, false, false
		}
		i := b.below(n)
		return append(append(entries[:i:i], entries[i]), entries[i:]...), batch, true
	case Unwrap:
		return entries, false, batch && n == 1
	case Collapse:
		e := jsonrpc.Error{Code: jsonrpc.InternalError, Message: "Internal error"}
		return [][]byte{jsonrpc.AppendError(nil, &e, idOf(entries[0]))}, false, batch
	case ForeignID:
		i := b.below(n)
		entries[i] = withID(entries[i], b.foreign(entries))
	case NoID:
		i := b.below(n)
		entries[i] = withID(entries[i], nil)
	case RoundedID:
		changed := false
		for i, e := range entries {
			if id := rounded(idOf(e)); id != nil {
				entries[i], changed = withID(e, id), true
			}
		}
		return entries, batch, changed
	}
	return entries, batch, true
}

// shuffled is entries, of which there are at least two, in another order: each
// with the same chance.
func (b *misbehaviour) shuffled(entries [][]byte) [][]byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	for {
		order := b.random.Perm(len(entries))
		if slices.IsSorted(order) {
			continue
		}
		out := make([][]byte, len(entries))
		for i, from := range order {
			out[i] = entries[from]
		}
		return out
	}
}

// idOf is the raw id of a response that this node has made.
func idOf(response []byte) []byte { return jsonrpc.ParseRequest(response).ID }

// withID is a response of this node's, where the id comes last, with another
// one, or without.
func withID(response, id []byte) []byte {
	const name = `,"id":`
	head := response[:len(response)-len(idOf(response))-len(`}`)-len(name)]
	out := append([]byte{}, head...)
	if id != nil {
		out = append(append(out, name...), id...)
	}
	return append(out, '}')
}

// foreign is an id that no response carries: a number among numbers, else a
// string.
func (b *misbehaviour) foreign(entries [][]byte) []byte {
	for {
		id := strconv.AppendInt(nil, int64(b.below(1<<53-1)+1), 10)
		if first := idOf(entries[0]); len(first) > 0 && first[0] == '"' {
			id = append(append([]byte(`"foreign-`), id...), '"')
		}
		taken := false
		for _, e := range entries {
			taken = taken || jsonrpc.SameID(idOf(e), id)
		}
		if !taken {
			return id
		}
	}
}

// rounded is an integer id as it comes out of a float64, written as JavaScript
// writes it; nil when that is the same number.
func rounded(id []byte) []byte {
	if len(id) == 0 || bytes.ContainsAny(id, ".eE\"ntf") {
		return nil
	}
	x, err := strconv.ParseFloat(string(id), 64)
	if err != nil {
		return nil
	}
	form := byte('f')
	if math.Abs(x) >= 1e21 {
		form = 'g'
	}
	out := strconv.AppendFloat(nil, x, form, -1, 64)
	if jsonrpc.SameID(out, id) {
		return nil
	}
	return out
}
