package transport

import "sync/atomic"

// budget bounds what has arrived of the replies under way from one endpoint, all of them
// together. Their memory, which grows by doubling, may be twice that. It is safe for
// concurrent use.
type budget struct {
	limit int64 // in bytes
	used  atomic.Int64
}

// newBudget gives a budget of that many bytes, of DefaultMaxReplies for 0.
func newBudget(limit int64) budget {
	if limit <= 0 {
		limit = DefaultMaxReplies
	}
	return budget{limit: limit}
}

// share is one reply's part of a budget.
type share struct {
	of   *budget // nil: nothing is bounded
	held int64
}

// shareStep is in what steps a reply's share grows, in bytes.
const shareStep = 256 << 10

// grow says that n bytes of the reply have arrived. An error is a *protocolError.
func (s *share) grow(n int) error {
	if n <= inPlace || int64(n) <= s.held || s.of == nil {
		return nil
	}
	want := (int64(n)+shareStep-1)/shareStep*shareStep - s.held
	if used := s.of.used.Add(want); used > s.of.limit {
		s.of.used.Add(-want)
		return protocolErrorf("the replies under way are over the bound of %d bytes for all of them together", s.of.limit)
	}
	s.held += want
	return nil
}

// end gives back what the reply held: it is no longer under way.
func (s *share) end() {
	if s.held > 0 {
		s.of.used.Add(-s.held)
		s.held = 0
	}
}
