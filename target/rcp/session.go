package rcp

import (
	"context"
	"crypto/rand"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"volley/internal/jsonrpc"
)

// session is whether a peer has been initialised (section 13). A nil session
// always is, and may be initialised again.
type session struct {
	ready atomic.Bool
}

// negotiate gives the version's answer: the lower of both sides' highest. It
// refuses only a client that speaks none at all.
func negotiate(params []byte) *jsonrpc.Error {
	version := jsonrpc.Member(params, "protocolVersion")
	highest, ok := integer(version)
	switch {
	case version == nil:
		return invalid("protocolVersion", "is missing: the highest version that the client speaks, an integer")
	case !ok:
		return invalid("protocolVersion", "is not an integer")
	case min(highest, protocolVersion) < 1:
		return &jsonrpc.Error{
			Code:    versionMismatch,
			Message: "no version in common: this server speaks 1, the client at most " + strconv.FormatInt(highest, 10),
		}
	}
	return nil
}

// initialize changes nothing when it fails.
func (s *session) initialize(params []byte) *jsonrpc.Error {
	if s != nil && s.ready.Load() {
		return alreadyInitialized()
	}
	if fault := negotiate(params); fault != nil {
		return fault
	}
	if s != nil && !s.ready.CompareAndSwap(false, true) {
		return alreadyInitialized()
	}
	return nil
}

func alreadyInitialized() *jsonrpc.Error {
	return &jsonrpc.Error{Code: jsonrpc.InvalidRequest, Message: "already initialized: call shutdown before another initialize"}
}

func (s *session) initialized() bool { return s == nil || s.ready.Load() }

func (s *session) end() {
	if s != nil {
		s.ready.Store(false)
	}
}

// tokens are the sessions of HTTP clients that were given a token (section 5.2).
// A token that has not been used for idle is worth nothing; at most limit are
// out at once, and over it none is given: whoever has one keeps it. Safe for
// concurrent use.
type tokens struct {
	limit int
	idle  time.Duration

	mu   sync.Mutex
	used map[string]time.Time // when last, by token
}

// open gives a new token, or refuses with when to come again.
func (t *tokens) open() (token string, fault *jsonrpc.Error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	if len(t.used) >= t.limit {
		soonest := t.idle
		for token, used := range t.used {
			left := t.idle - now.Sub(used)
			if left <= 0 {
				delete(t.used, token)
				continue
			}
			soonest = min(soonest, left)
		}
		if len(t.used) >= t.limit {
			return "", &jsonrpc.Error{
				Code:    rateLimited,
				Message: "too many sessions: " + strconv.Itoa(len(t.used)) + " are open",
				Data:    []byte(`{"retryable":true,"retryAfterMs":` + strconv.FormatInt((soonest+time.Millisecond-1).Milliseconds(), 10) + `}`),
			}
		}
	}
	if t.used == nil {
		t.used = make(map[string]time.Time)
	}
	token = rand.Text()
	t.used[token] = now
	return token, nil
}

// use says whether a token is worth something, which it then is for longer.
func (t *tokens) use(token string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	used, out := t.used[token]
	now := time.Now()
	if !out || now.Sub(used) >= t.idle {
		delete(t.used, token)
		return false
	}
	t.used[token] = now
	return true
}

func (t *tokens) end(token string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.used, token)
}

// opened is the session that a batch has opened: its later members, which can
// have no header with the token, are in it (section 11 is silent on it).
// One connection's batches come one after another; each has a context of its own.
type opened struct {
	mu    sync.Mutex
	batch context.Context
	token string
}

func (o *opened) set(batch context.Context, token string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.batch, o.token = batch, token
}

func (o *opened) in(batch context.Context) string {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.batch != batch {
		return ""
	}
	return o.token
}
