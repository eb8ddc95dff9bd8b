package nullnode

import (
	"context"
	"errors"
	"fmt"
	"net"

	"golang.org/x/sys/unix"
)

// Serve answers whoever connects to a TCP listener until ctx ends, which is no error.
// It closes neither. One thread, which waits for all connections at once, serves them:
// what it costs is little beside what any client does.
func Serve(ctx context.Context, listener net.Listener, a *Answers) error {
	return serve(ctx, listener, a, -1)
}

// ServeAwake is Serve by a thread that never sleeps: it takes a CPU to itself, and who
// sends to it need not wake it, which on a virtual machine is most of what a send costs.
func ServeAwake(ctx context.Context, listener net.Listener, a *Answers) error {
	return serve(ctx, listener, a, 0)
}

// serve waits for so many milliseconds at once; -1: for as long as it takes.
func serve(ctx context.Context, listener net.Listener, a *Answers, wait int) error {
	tcp, ok := listener.(*net.TCPListener)
	if !ok {
		return fmt.Errorf("serve on %T: only TCP is served", listener)
	}
	file, err := tcp.File()
	if err != nil {
		return err
	}
	defer file.Close()
	s := server{answers: a, wait: wait, listener: int(file.Fd()), conns: map[int32]*conn{}}
	if err := unix.SetNonblock(s.listener, true); err != nil {
		return fmt.Errorf("serve: %w", err)
	}
	if s.epoll, err = unix.EpollCreate1(unix.EPOLL_CLOEXEC); err != nil {
		return fmt.Errorf("epoll_create1: %w", err)
	}
	defer unix.Close(s.epoll)
	if s.bell, err = unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK); err != nil {
		return fmt.Errorf("eventfd: %w", err)
	}
	rung := make(chan struct{})
	quiet := context.AfterFunc(ctx, func() {
		_, _ = unix.Write(s.bell, []byte{0, 0, 0, 0, 0, 0, 0, 1})
		close(rung)
	})
	defer func() {
		if !quiet() {
			<-rung // who rings it still needs it
		}
		unix.Close(s.bell)
	}()
	return s.run()
}

// server is all connections of one listener.
type server struct {
	answers  *Answers
	wait     int // in epoll_wait, milliseconds
	epoll    int
	listener int
	bell     int // readable: it is over
	conns    map[int32]*conn
}

type conn struct {
	exchange
	fd int
}

func (s *server) run() error {
	defer func() {
		for _, c := range s.conns {
			unix.Close(c.fd)
		}
	}()
	for _, fd := range []int{s.listener, s.bell} {
		if err := s.watch(fd); err != nil {
			return err
		}
	}
	events := make([]unix.EpollEvent, 256)
	for {
		n, err := unix.EpollWait(s.epoll, events, s.wait)
		if err != nil && err != unix.EINTR {
			return fmt.Errorf("epoll_wait: %w", err)
		}
		for _, e := range events[:max(n, 0)] {
			switch int(e.Fd) {
			case s.bell:
				return nil
			case s.listener:
				if err := s.accept(); err != nil {
					return err
				}
			default:
				if c := s.conns[e.Fd]; !c.serve() {
					unix.Close(c.fd)
					delete(s.conns, e.Fd)
				}
			}
		}
	}
}

func (s *server) watch(fd int) error {
	err := unix.EpollCtl(s.epoll, unix.EPOLL_CTL_ADD, fd, &unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(fd)})
	if err != nil {
		return fmt.Errorf("epoll_ctl: %w", err)
	}
	return nil
}

func (s *server) accept() error {
	for {
		fd, _, err := unix.Accept4(s.listener, unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC)
		switch {
		case errors.Is(err, unix.EAGAIN):
			return nil
		case errors.Is(err, unix.ECONNABORTED), errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return fmt.Errorf("accept: %w", err)
		}
		if err := unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1); err != nil {
			unix.Close(fd)
			continue // the client is gone already
		}
		s.conns[int32(fd)] = &conn{fd: fd, exchange: exchange{answers: s.answers}}
		if err := s.watch(fd); err != nil {
			return err
		}
	}
}

// serve reads what there is and answers every request that is whole; false ends
// the connection.
func (c *conn) serve() bool {
	n, err := unix.Read(c.fd, c.room())
	if err == unix.EAGAIN || err == unix.EINTR {
		return true
	}
	if err != nil || n == 0 {
		return false
	}
	c.received(n)
	return c.write() && !c.last
}

// write writes the answers. A client that does not read its answers while it sends
// is not one for this node: all others wait with it.
func (c *conn) write() bool {
	out := c.out
	c.out = c.out[:0]
	for len(out) > 0 {
		n, err := unix.Write(c.fd, out)
		switch {
		case err == unix.EINTR:
		case err == unix.EAGAIN:
			const patience = 10_000 // ms
			if n, err := unix.Poll([]unix.PollFd{{Fd: int32(c.fd), Events: unix.POLLOUT}}, patience); err != unix.EINTR && n < 1 {
				return false
			}
		case err != nil:
			return false
		default:
			out = out[n:]
		}
	}
	return true
}
