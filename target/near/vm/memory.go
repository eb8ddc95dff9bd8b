package vm

import (
	"sync"

	"github.com/tetratelabs/wazero/experimental"
)

// memories keeps the linear memories of instances, each of its greatest size
// and all zero, for the next instance.
type memories struct {
	mu   sync.Mutex
	free [][]byte
}

// maxFree bounds how many memories are kept while none is in use. One takes
// address space, and next to no memory.
const maxFree = 64

func newMemories() *memories { return &memories{} }

func (m *memories) take() []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	if n := len(m.free); n > 0 {
		b := m.free[n-1]
		m.free = m.free[:n-1]
		return b
	}
	return nil
}

// put keeps a zeroed memory, and reports false where there are enough.
func (m *memories) put(b []byte) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.free) >= maxFree {
		return false
	}
	m.free = append(m.free, b)
	return true
}

func (m *memories) close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	var first error
	for _, b := range m.free {
		if err := unmap(b); err != nil && first == nil {
			first = err
		}
	}
	m.free = nil
	return first
}

// lease is one instance's memory: an experimental.MemoryAllocator that gives
// itself. Free may be called more than once.
type lease struct {
	from *memories
	b    []byte
}

func (m *memories) lease() (*lease, error) {
	b := m.take()
	if b == nil {
		var err error
		if b, err = reserve(); err != nil {
			return nil, err
		}
	}
	return &lease{m, b}, nil
}

func (l *lease) Allocate(_, _ uint64) experimental.LinearMemory { return l }

// Reallocate gives the first size bytes, which never move.
func (l *lease) Reallocate(size uint64) []byte {
	if size > uint64(len(l.b)) {
		return nil
	}
	return l.b[:size:size]
}

func (l *lease) Free() {
	b := l.b
	l.b = nil
	if b == nil {
		return
	}
	if !clean(b) || !l.from.put(b) {
		unmap(b)
	}
}
