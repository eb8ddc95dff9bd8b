//go:build unix

package target

import (
	"net"
	"syscall"
)

// untilReset waits for the reset of a connection whose other side sends no more,
// or for its read deadline; the error says which.
func untilReset(nc net.Conn) error {
	c, ok := nc.(syscall.Conn)
	if !ok {
		return nil
	}
	raw, err := c.SyscallConn()
	if err != nil {
		return err
	}
	var reset error
	err = raw.Read(func(fd uintptr) bool { // called again on whatever happens to the socket
		code, err := syscall.GetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_ERROR)
		if reset = err; err == nil && code != 0 {
			reset = syscall.Errno(code)
		}
		return reset != nil
	})
	if reset != nil {
		return reset
	}
	return err
}
