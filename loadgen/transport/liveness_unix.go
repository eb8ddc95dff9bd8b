//go:build unix

package transport

import (
	"syscall"
)

// liveness tells of an idle connection whether the peer still keeps it. It costs
// one system call and no memory.
type liveness struct {
	raw   syscall.RawConn
	probe func(fd uintptr)
	idle  bool
}

// of makes l watch conn.
func (l *liveness) of(conn syscall.Conn) error {
	raw, err := conn.SyscallConn()
	if err != nil {
		return err
	}
	l.raw = raw
	if l.probe == nil {
		var one [1]byte
		l.probe = func(fd uintptr) {
			err := error(syscall.EINTR)
			for err == syscall.EINTR {
				_, err = syscall.Read(int(fd), one[:]) // the descriptor never blocks
			}
			l.idle = err == syscall.EAGAIN || err == syscall.EWOULDBLOCK
		}
	}
	return nil
}

// check is true while there is nothing to read, not even an end. Bytes that
// nobody asked for spoil a connection just as well. Call it only between
// exchanges: it takes a byte.
func (l *liveness) check() bool {
	l.idle = false
	// Control, not Read: the deadline of an earlier exchange is no matter here.
	return l.raw.Control(l.probe) == nil && l.idle
}
