package target

import (
	"context"
	"errors"
	"net"
	"sync/atomic"
	"time"
)

// watchAfter is how long a request runs before anybody looks whether its client
// is still there.
const watchAfter = 5 * time.Millisecond

// watched gives a context that ends with the node's patience, or when the client
// has gone; done must be called before the connection is read from again. A
// client that has more to send is taken to be there. One that sends no more has
// gone: a connection that was closed looks the same as one that was half closed, and
// of the two the first is what clients do. net/http takes it so too.
func (c *conn) watched() (ctx context.Context, done func()) {
	ctx, end := context.WithCancel(c.life)
	var over atomic.Bool
	looked := make(chan struct{})
	timer := time.AfterFunc(watchAfter, func() {
		defer close(looked)
		c.nc.SetReadDeadline(time.Time{})
		if over.Load() || len(c.ahead) > 0 {
			return
		}
		next := make([]byte, 1)
		n, err := c.nc.Read(next)
		c.ahead = next[:n]
		var late net.Error
		if err != nil && !(errors.As(err, &late) && late.Timeout()) {
			end()
		}
	})
	return ctx, func() {
		if !timer.Stop() {
			over.Store(true)
			c.nc.SetReadDeadline(time.Unix(1, 0)) // ends a read under way
			<-looked
		}
		end()
	}
}
