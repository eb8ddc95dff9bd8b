// Command nullserver answers JSON-RPC over HTTP/1.1 as cheaply as a server can: a
// result of null for every entry that has an id, with the ids that were sent. What
// is measured with it is the client.
//
//	nullserver [-listen 127.0.0.1:8545]
//
// It prints "listening URL" when it is ready. One thread serves all connections. It
// reads just enough of a request to answer it: Content-Length from the head, and
// from the body the values of "id".
package main

import (
	"bytes"
	"flag"
	"fmt"
	"log"
	"net"
	"net/netip"

	"golang.org/x/sys/unix"
)

func main() {
	log.SetFlags(0)
	listen := flag.String("listen", "127.0.0.1:0", "address and port")
	flag.Parse()
	to, err := netip.ParseAddrPort(*listen)
	if err != nil {
		log.Fatalf("nullserver: -listen %s: %v", *listen, err)
	}
	if err := serve(to); err != nil {
		log.Fatalf("nullserver: %v", err)
	}
}

func serve(to netip.AddrPort) error {
	listener, err := net.Listen("tcp", to.String())
	if err != nil {
		return err
	}
	defer listener.Close()
	file, err := listener.(*net.TCPListener).File()
	if err != nil {
		return err
	}
	defer file.Close()
	fd := int(file.Fd())
	if err := unix.SetNonblock(fd, true); err != nil {
		return err
	}
	epoll, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return err
	}
	if err := watch(epoll, fd); err != nil {
		return err
	}
	fmt.Printf("listening http://%s\n", listener.Addr())
	conns := map[int32]*conn{}
	events := make([]unix.EpollEvent, 256)
	for {
		n, err := unix.EpollWait(epoll, events, -1)
		if err != nil && err != unix.EINTR {
			return err
		}
		for _, e := range events[:max(n, 0)] {
			if int(e.Fd) == fd {
				if err := accept(epoll, fd, conns); err != nil {
					return err
				}
			} else if c := conns[e.Fd]; !c.serve() {
				unix.Close(c.fd)
				delete(conns, e.Fd)
			}
		}
	}
}

func watch(epoll, fd int) error {
	return unix.EpollCtl(epoll, unix.EPOLL_CTL_ADD, fd, &unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(fd)})
}

func accept(epoll, listener int, conns map[int32]*conn) error {
	for {
		fd, _, err := unix.Accept4(listener, unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC)
		switch err {
		case unix.EAGAIN:
			return nil
		case unix.ECONNABORTED, unix.EINTR:
			continue
		case nil:
		default:
			return err
		}
		if err := unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1); err != nil {
			return err
		}
		conns[int32(fd)] = &conn{fd: fd, in: make([]byte, 64<<10)}
		if err := watch(epoll, fd); err != nil {
			return err
		}
	}
}

type conn struct {
	fd   int
	in   []byte
	have int
	body []byte // of the answer
	out  []byte // answers not yet written
}

// serve reads what there is and answers every request that is whole; false ends
// the connection.
func (c *conn) serve() bool {
	if c.have == len(c.in) {
		c.in = append(c.in, make([]byte, len(c.in))...)
	}
	n, err := unix.Read(c.fd, c.in[c.have:])
	if err == unix.EAGAIN || err == unix.EINTR {
		return true
	}
	if err != nil || n == 0 {
		return false
	}
	c.have += n
	for {
		used, ok := c.answer(c.in[:c.have])
		if !ok {
			return false
		}
		if used == 0 {
			return c.write()
		}
		c.have = copy(c.in, c.in[used:c.have])
	}
}

// write writes the answers. A client that does not read its answers while it sends
// is not one for this server.
func (c *conn) write() bool {
	for len(c.out) > 0 {
		n, err := unix.Write(c.fd, c.out)
		if err == unix.EAGAIN || err == unix.EINTR {
			fds := []unix.PollFd{{Fd: int32(c.fd), Events: unix.POLLOUT}}
			unix.Poll(fds, -1)
			continue
		}
		if err != nil {
			return false
		}
		c.out = append(c.out[:0], c.out[n:]...)
	}
	return true
}

// answer answers the first request in b and tells how long that was; 0: it is not
// all there yet.
func (c *conn) answer(b []byte) (used int, ok bool) {
	end := bytes.Index(b, []byte("\r\n\r\n"))
	if end < 0 {
		return 0, true
	}
	length, ok := contentLength(b[:end+2])
	if !ok {
		return 0, false
	}
	used = end + 4 + length
	if len(b) < used {
		return 0, true
	}
	body := b[end+4 : used]
	c.body = c.body[:0]
	batch := len(body) > 0 && body[0] == '['
	if batch {
		c.body = append(c.body, '[')
	}
	first := true
	for {
		const name = `"id":`
		i := bytes.Index(body, []byte(name))
		if i < 0 {
			break
		}
		body = body[i+len(name):]
		n := 0
		for n < len(body) && body[n] != ',' && body[n] != '}' {
			n++
		}
		if !first {
			c.body = append(c.body, ',')
		}
		first = false
		c.body = append(c.body, `{"jsonrpc":"2.0","result":null,"id":`...)
		c.body = append(c.body, body[:n]...)
		c.body = append(c.body, '}')
	}
	if batch {
		c.body = append(c.body, ']')
	}
	c.out = fmt.Appendf(c.out, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", len(c.body))
	c.out = append(c.out, c.body...)
	return used, true
}

func contentLength(head []byte) (n int, ok bool) {
	const name = "\r\ncontent-length:"
	for i := 0; i+len(name) <= len(head); i++ {
		if head[i] != '\r' || !bytes.EqualFold(head[i:i+len(name)], []byte(name)) {
			continue
		}
		for _, b := range bytes.TrimLeft(head[i+len(name):], " ") {
			if b < '0' || b > '9' {
				return n, true
			}
			n = n*10 + int(b-'0')
		}
	}
	return 0, true
}
