package rcp

import (
	"context"
	"time"

	"volley/internal/jsonrpc"
	"volley/target"
)

// draw gives the service time of one call.
func (d *Dialect) draw(s target.Service) time.Duration {
	if s.IsZero() {
		return 0
	}
	d.drawing.Lock()
	defer d.drawing.Unlock()
	return s.Draw(d.draws)
}

// Admit gates the request, and does at once what later members of the batch
// must see: initialize, shutdown and cancel take effect here.
func (d *Dialect) Admit(_ context.Context, c *target.Call) *jsonrpc.Error {
	k := c.Conn.(*conn)
	m := methodOf(c.Method)
	c.Label = m.label()
	if c.ParamsKind == jsonrpc.Null {
		return invalid("params", "is not an object")
	}
	switch m {
	case initialize:
		return k.session.initialize(c.Params)
	case shutdown:
		k.session.end()
		return nil
	case cancel:
		d.cancelRequest(k, c.Params, c.Session)
		return nil
	case info, pinging, ignored:
		return nil
	}
	switch {
	case !k.session.initialized():
		return &jsonrpc.Error{Code: notInitialized, Message: "call initialize first"}
	case m == undefined:
		return &jsonrpc.Error{Code: unknownMethod, Message: "no such method"}
	case m == unadvertised:
		return &jsonrpc.Error{Code: capabilityMissing, Message: "this server does not advertise the method's capability"}
	}
	if !c.Notification {
		c.State = d.board(k, c.ID, c.Session)
	}
	return nil
}

// Run executes an admitted call.
func (d *Dialect) Run(ctx context.Context, c *target.Call, dst []byte) ([]byte, *jsonrpc.Error) {
	switch m := methodOf(c.Method); m {
	case initialize, info:
		return append(dst, d.hello...), nil
	case pinging:
		return ping(c.Params, dst)
	case shutdown:
		c.Close = c.Conn.(*conn).stream
		return append(dst, `{}`...), nil
	case embed, embedSparse, embedMulti, rerank:
		return d.compute(ctx, c, m, dst)
	}
	return dst, nil // a notification that is ignored, or has had its effect
}

// compute runs one of the methods that take a slot.
func (d *Dialect) compute(ctx context.Context, c *target.Call, m method, dst []byte) ([]byte, *jsonrpc.Error) {
	if f, ok := c.State.(*flight); ok {
		var stop context.CancelCauseFunc
		ctx, stop = f.start(ctx)
		defer stop(nil)
		defer d.land(c.Conn.(*conn), f)
	}
	work, service, fault := d.plan(m, c.Params)
	if fault != nil {
		return dst, fault
	}
	if d.pool.Acquire(ctx) != nil {
		return dst, stopped(ctx)
	}
	defer d.pool.Release()
	if target.Wait(ctx, d.draw(service)) != nil {
		return dst, stopped(ctx)
	}
	answer, fault := work(ctx, dst)
	if fault != nil {
		return dst, fault
	}
	return answer, nil
}

// work computes a result and appends it.
type work func(ctx context.Context, dst []byte) ([]byte, *jsonrpc.Error)

// plan checks the parameters, before anything is waited for, and gives the work
// that they ask for and the time that the config adds to it.
func (d *Dialect) plan(m method, params []byte) (work, target.Service, *jsonrpc.Error) {
	switch m {
	case embed:
		p, fault := d.embedParams(params, "inputs", "texts")
		return p.dense, d.config.Service.Embed, fault
	case embedSparse:
		p, fault := d.embedParams(params, "texts", "inputs")
		return p.sparse, d.config.Service.Sparse, fault
	case embedMulti:
		p, fault := d.embedParams(params, "inputs", "texts")
		return p.multi, d.config.Service.Multi, fault
	default:
		p, fault := d.rerankParams(params)
		return p.rank, d.config.Service.Rerank, fault
	}
}
