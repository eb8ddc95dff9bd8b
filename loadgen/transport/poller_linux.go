package transport

import (
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// pollers shares out the connections of an endpoint among a few pollers, each of
// which runs while it has connections.
type pollers struct {
	mu  sync.Mutex
	all []*poller
}

// join gives a poller with the fewest connections, for one more of them.
func (s *pollers) join() (*poller, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all == nil {
		s.all = make([]*poller, min(runtime.NumCPU(), 8))
	}
	best := 0
	for i, p := range s.all {
		if p == nil {
			best = i
			break
		}
		if p.members < s.all[best].members {
			best = i
		}
	}
	if s.all[best] == nil {
		p, err := newPoller()
		if err != nil {
			return nil, err
		}
		s.all[best] = p
	}
	s.all[best].members++
	return s.all[best], nil
}

// leave takes a connection away from p; the last one ends it and waits for that.
func (s *pollers) leave(p *poller) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.members--; p.members > 0 {
		return
	}
	for i := range s.all {
		if s.all[i] == p {
			s.all[i] = nil
		}
	}
	p.stop()
}

// poller waits for the sockets of its connections in one goroutine, which reads
// what comes, ends exchanges and sees to their deadlines. It has an epoll set of its
// own, since the runtime's costs a goroutine for each connection that waits, and a
// switch to it for each answer.
type poller struct {
	members int // guarded by pollers.mu

	epoll, wake int // descriptors
	base        time.Time
	over        chan struct{}

	// next is when deadlines are looked at again, in nanoseconds since base. It is
	// at or before the earliest of them, and not moved when an exchange ends in time:
	// so a deadline costs a comparison, and a look at all every so often.
	next   atomic.Int64
	kicked atomic.Bool // wake is readable, or about to be
	ending atomic.Bool

	mu    sync.Mutex
	conns []*polledConn // by descriptor; nil: not one of ours
}

const (
	never = math.MaxInt64
	// turn is how long a poller runs before it lets the runtime's scheduler have a
	// look. After ten milliseconds its monitor would interrupt the poller, and from then
	// on take its place away in every system call.
	turn = 4 * time.Millisecond
)

func newPoller() (*poller, error) {
	epoll, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, err
	}
	wake, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err == nil {
		err = unix.EpollCtl(epoll, unix.EPOLL_CTL_ADD, wake, &unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(wake)})
		if err != nil {
			unix.Close(wake)
		}
	}
	if err != nil {
		unix.Close(epoll)
		return nil, err
	}
	p := &poller{epoll: epoll, wake: wake, base: time.Now(), over: make(chan struct{})}
	p.next.Store(never)
	go p.run()
	return p, nil
}

func (p *poller) stop() {
	p.ending.Store(true)
	p.kick()
	<-p.over
	unix.Close(p.epoll)
	unix.Close(p.wake)
}

// add makes p watch c's socket from now on.
func (p *poller) add(c *polledConn) error {
	p.mu.Lock()
	for len(p.conns) <= c.fd {
		p.conns = append(p.conns, nil)
	}
	p.conns[c.fd] = c
	p.mu.Unlock()
	err := unix.EpollCtl(p.epoll, unix.EPOLL_CTL_ADD, c.fd, &unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(c.fd)})
	if err != nil {
		p.forget(c.fd)
	}
	return err
}

// alsoWritable asks for word of c's socket taking bytes, too, or no more.
func (p *poller) alsoWritable(c *polledConn, yes bool) error {
	events := uint32(unix.EPOLLIN)
	if yes {
		events |= unix.EPOLLOUT
	}
	return unix.EpollCtl(p.epoll, unix.EPOLL_CTL_MOD, c.fd, &unix.EpollEvent{Events: events, Fd: int32(c.fd)})
}

func (p *poller) forget(fd int) {
	p.mu.Lock()
	p.conns[fd] = nil
	p.mu.Unlock()
}

// kick makes p look at all its connections soon.
func (p *poller) kick() {
	if p.kicked.CompareAndSwap(false, true) {
		one := [8]byte{1} // of either byte order: any number but zero will do
		unix.Write(p.wake, one[:])
	}
}

// remind makes p look at its connections at the given time at the latest.
func (p *poller) remind(at int64) {
	for {
		next := p.next.Load()
		if at >= next {
			return
		}
		if p.next.CompareAndSwap(next, at) {
			p.kick()
			return
		}
	}
}

// askShortSlices asks for a short slice of the CPU at a time, for the thread that this
// runs on: who asks for little at a time is served sooner after a wake-up (Linux 6.12
// and later), and takes nothing from others' share.
func askShortSlices() {
	_ = unix.SchedSetAttr(0, &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_NORMAL, Runtime: 100_000}, 0)
}

func (p *poller) now() int64 { return int64(time.Since(p.base)) }

// news is what epoll says of one connection's socket.
type news struct {
	conn   *polledConn
	events uint32
}

func (p *poller) run() {
	defer close(p.over)
	events := make([]unix.EpollEvent, 128)
	all := make([]news, 0, len(events))
	now := p.now()
	askShortSlices()
	for began := now; !p.ending.Load(); {
		if now-began > int64(turn) {
			runtime.Gosched()
			askShortSlices()
			began = now
		}
		n, err := unix.EpollWait(p.epoll, events, p.patience(now))
		if err != nil && err != unix.EINTR {
			panic("transport: epoll_wait: " + err.Error()) // the set is ours and whole
		}
		all = p.resolve(all[:0], events[:max(n, 0)])
		held := false
		for _, n := range all {
			held = !n.conn.news(n.events) || held
		}
		if held {
			// Whoever is about to send on it may be waiting for this CPU.
			unix.Syscall(unix.SYS_SCHED_YIELD, 0, 0, 0)
		}
		if now = p.now(); p.next.Load() <= now {
			p.look(now)
		}
	}
}

// patience is how long to wait for a socket, in milliseconds.
func (p *poller) patience(now int64) int {
	next := p.next.Load()
	if next == never {
		return -1
	}
	left := time.Duration(next - now)
	return int(min(max(left+time.Millisecond-1, 0)/time.Millisecond, time.Hour/time.Millisecond))
}

// resolve tells whose sockets the events are about. It is done for all before any
// is served: a descriptor that is closed meanwhile may come to be another's.
func (p *poller) resolve(all []news, events []unix.EpollEvent) []news {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range events {
		fd := int(events[i].Fd)
		if fd == p.wake {
			var count [8]byte
			unix.Read(p.wake, count[:])
			p.kicked.Store(false)
			p.next.Store(0) // look now
			continue
		}
		if c := p.conns[fd]; c != nil {
			all = append(all, news{c, events[i].Events})
		}
	}
	return all
}

// look ends the exchanges whose time is up, or whose context has ended.
func (p *poller) look(now int64) {
	// First, so that an exchange that begins meanwhile reminds us of itself.
	p.next.Store(never)
	p.mu.Lock()
	conns := append([]*polledConn(nil), p.conns...)
	p.mu.Unlock()
	earliest := int64(never)
	for _, c := range conns {
		if c != nil {
			earliest = min(earliest, c.look(now))
		}
	}
	for {
		next := p.next.Load()
		if earliest >= next || p.next.CompareAndSwap(next, earliest) {
			return
		}
	}
}
