package transport

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/netip"
	"sync/atomic"
	"syscall"
)

// dialer opens connections to one node, over TCP or a Unix socket, with TLS or
// without. It is safe for concurrent use.
type dialer struct {
	socket   string // the path of a Unix socket; "" for TCP
	host     string // a name or an address, without brackets
	port     uint16
	tls      *tls.Config // nil: plain
	guard    func(netip.Addr) error
	resolver resolver
	once     bool // the host's addresses are looked up once and kept

	kept atomic.Pointer[[]netip.Addr]
}

// socket is a connection of the system's.
type socket interface {
	net.Conn
	syscall.Conn
}

// Addresses gives the addresses that the host has, each passed by the guard; none
// for a Unix socket. Where they are looked up once, it is these that every later
// connection goes to.
func (d *dialer) Addresses(ctx context.Context) ([]netip.Addr, error) {
	if d.socket != "" {
		return nil, nil
	}
	if kept := d.kept.Load(); kept != nil {
		return passed(*kept, d.host, d.guard)
	}
	addrs, err := allowed(ctx, d.resolver, d.host, d.guard)
	if err == nil && d.once {
		d.kept.CompareAndSwap(nil, &addrs) // whichever came first serves them all
		addrs = *d.kept.Load()
	}
	return addrs, err
}

// connect resolves, checks and dials: the address that was checked is the one
// that is dialled. Of TLS, conn is the inner side; else both are the same.
func (d *dialer) connect(ctx context.Context) (outer socket, conn net.Conn, err error) {
	if outer, err = d.reach(ctx); err != nil {
		return nil, nil, err
	}
	if d.tls == nil {
		return outer, outer, nil
	}
	secure := tls.Client(outer, d.tls)
	if err := secure.HandshakeContext(ctx); err != nil {
		outer.Close()
		return nil, nil, fmt.Errorf("the TLS handshake with %s failed: %w", d.peer(outer), plain(err))
	}
	return outer, secure, nil
}

// reach opens the connection that TLS, if any, is spoken over.
func (d *dialer) reach(ctx context.Context) (socket, error) {
	if d.socket != "" {
		conn, err := new(net.Dialer).DialContext(ctx, "unix", d.socket)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", d.socket, plain(err))
		}
		return conn.(*net.UnixConn), nil
	}
	addrs, err := d.Addresses(ctx)
	if err != nil {
		return nil, err
	}
	conn, err := dial(ctx, addrs, d.port)
	if err != nil {
		return nil, err
	}
	return conn, nil
}

// peer names the other side: a Unix socket's own name for it may be empty.
func (d *dialer) peer(conn net.Conn) string {
	if d.socket != "" {
		return d.socket
	}
	return conn.RemoteAddr().String()
}
