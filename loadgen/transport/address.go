package transport

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"time"
)

// LocalOnly is the guard of a target that nobody outside has authorised: nil for
// loopback and private (RFC 1918, RFC 4193) addresses, an error that says what to do
// for any other. Link-local ones are refused too: what answers there (a cloud's
// metadata, for one) is rarely a node. An IPv4 address within an IPv6 one counts as
// itself. Shared address space (100.64.0.0/10, RFC 6598) is a carrier's, not
// private, and is refused.
func LocalOnly(a netip.Addr) error {
	a = a.Unmap()
	switch {
	case a.IsUnspecified():
		return fmt.Errorf("%s names every interface, not a node: use 127.0.0.1 or [::1] for a node on this machine", a)
	case a.IsLoopback(), a.IsPrivate():
		return nil
	}
	return fmt.Errorf("%s is neither a loopback nor a private address: aim at a node of your own, or name who authorised the test and up to which rate under target.authorised", a)
}

// resolver gives the addresses of a host; *net.Resolver is one.
type resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// allowed resolves host and puts every address that it has before guard. One
// forbidden address forbids the host: which of them would be reached is not
// ours to choose.
func allowed(ctx context.Context, r resolver, host string, guard func(netip.Addr) error) ([]netip.Addr, error) {
	addrs := []netip.Addr{}
	if literal, err := netip.ParseAddr(host); err == nil {
		addrs = append(addrs, literal)
	} else if addrs, err = r.LookupNetIP(ctx, "ip", host); err != nil {
		return nil, fmt.Errorf("cannot find the host %q: %w", host, err)
	}
	if len(addrs) == 0 {
		return nil, fmt.Errorf("the host %q has no address", host)
	}
	for i, a := range addrs {
		addrs[i] = a.Unmap()
	}
	return passed(addrs, host, guard)
}

// passed gives addrs when guard lets every one of them pass.
func passed(addrs []netip.Addr, host string, guard func(netip.Addr) error) ([]netip.Addr, error) {
	for _, a := range addrs {
		if err := guard(a); err != nil {
			return nil, &Error{Failure: Forbidden, Err: fmt.Errorf("may not connect to %q: %w", host, err)}
		}
	}
	return addrs, nil
}

// dial connects to the first of addrs that answers. Each gets an equal part of
// the time that is left, so that one that swallows packets leaves some for the
// next.
func dial(ctx context.Context, addrs []netip.Addr, port uint16) (*net.TCPConn, error) {
	var last error
	for i, a := range addrs {
		attempt, cancel := ctx, context.CancelFunc(func() {})
		if deadline, ok := ctx.Deadline(); ok && i < len(addrs)-1 {
			attempt, cancel = context.WithTimeout(ctx, time.Until(deadline)/time.Duration(len(addrs)-i))
		}
		to := netip.AddrPortFrom(a, port)
		conn, err := new(net.Dialer).DialTCP(attempt, "tcp", netip.AddrPort{}, to)
		cancel()
		if err == nil {
			return conn, nil
		}
		last = fmt.Errorf("%s: %w", to, plain(err))
		if ctx.Err() != nil {
			break
		}
	}
	if len(addrs) > 1 {
		last = fmt.Errorf("none of the host's %d addresses answers, the last: %w", len(addrs), last)
	}
	return nil, last
}
