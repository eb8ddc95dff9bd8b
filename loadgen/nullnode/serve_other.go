//go:build !linux

package nullnode

import (
	"context"
	"net"
	"sync"
)

// Serve answers whoever connects to a listener until ctx ends, which is no error; it
// closes the listener then. Each connection has its goroutine.
func Serve(ctx context.Context, listener net.Listener, a *Answers) error {
	var all sync.WaitGroup
	defer all.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // before the wait
	defer context.AfterFunc(ctx, func() { listener.Close() })()
	for {
		c, err := listener.Accept()
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		all.Go(func() { serveConn(ctx, c, a) })
	}
}

func serveConn(ctx context.Context, c net.Conn, a *Answers) {
	defer c.Close()
	defer context.AfterFunc(ctx, func() { c.Close() })()
	x := exchange{answers: a}
	for !x.last {
		n, err := c.Read(x.room())
		if err != nil {
			return
		}
		x.received(n)
		if _, err := c.Write(x.out); err != nil {
			return
		}
		x.out = x.out[:0]
	}
}

// ServeAwake is Serve here: the runtime has no thread that never sleeps.
func ServeAwake(ctx context.Context, listener net.Listener, a *Answers) error {
	return Serve(ctx, listener, a)
}
