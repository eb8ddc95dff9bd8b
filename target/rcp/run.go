package rcp

import (
	"context"
	"math"
	"time"

	"volley/internal/jsonrpc"
	"volley/target"
)

// Admit gates the request, then looks at what its params are, and does at once
// what later members of the batch must see: initialize, shutdown and cancel take
// effect here.
func (d *Dialect) Admit(ctx context.Context, c *target.Call) *jsonrpc.Error {
	k := c.Conn.(*conn)
	m := methodOf(c.Method)
	c.Label = m.label()
	if fault := d.pass(ctx, k, c, m); fault != nil {
		return fault
	}
	if c.ParamsKind != jsonrpc.Object && c.ParamsKind != jsonrpc.Absent {
		return invalid("params", "is not an object")
	}
	if !m.free() {
		if !c.Notification {
			c.State = d.board(k, c.ID, d.token(ctx, k, c))
		}
		return nil
	}
	c.Instant = true
	byToken := d.config.Session == Token && !k.stream
	switch m {
	case initialize:
		switch {
		case c.Notification: // nobody would learn of it
			return nil
		case byToken:
			return d.openSession(ctx, k, c)
		}
		return k.session.initialize(c.Params)
	case shutdown:
		if byToken {
			d.tokens.end(d.token(ctx, k, c))
		}
		k.session.end()
		c.Close = k.stream
	case cancel:
		d.cancelRequest(k, c.Params, d.token(ctx, k, c))
	}
	return nil
}

// pass is the gate: before initialize nothing but the methods that are free
// passes it (section 13), then what is defined and advertised.
func (d *Dialect) pass(ctx context.Context, k *conn, c *target.Call, m method) *jsonrpc.Error {
	if m.free() {
		return nil
	}
	byToken := d.config.Session == Token && !k.stream
	ready := k.session.initialized()
	if byToken {
		ready = d.tokens.use(d.token(ctx, k, c))
	}
	need, gated := m.gate()
	switch {
	case !ready && byToken:
		return &jsonrpc.Error{Code: notInitialized, Message: "call initialize first, and send the token of its result, _meta.session, as the RCP-Session header"}
	case !ready:
		return &jsonrpc.Error{Code: notInitialized, Message: "call initialize first"}
	case m == undefined:
		return &jsonrpc.Error{Code: unknownMethod, Message: "no such method"}
	case m == unadvertised, gated && !d.offers[need]:
		return &jsonrpc.Error{Code: capabilityMissing, Message: "this server does not advertise the method's capability"}
	}
	return nil
}

// token is what tells a call's session: its header, or what its batch opened.
func (d *Dialect) token(ctx context.Context, k *conn, c *target.Call) string {
	if c.Batch && d.config.Session == Token {
		if token := k.opened.in(ctx); token != "" {
			return token
		}
	}
	return c.Session
}

// openSession is initialize where each session has a token, which State then
// carries to the result.
func (d *Dialect) openSession(ctx context.Context, k *conn, c *target.Call) *jsonrpc.Error {
	if d.tokens.use(d.token(ctx, k, c)) {
		return alreadyInitialized()
	}
	if fault := negotiate(c.Params); fault != nil {
		return fault
	}
	token, fault := d.tokens.open()
	if fault != nil {
		return fault
	}
	c.State = token
	if c.Batch {
		k.opened.set(ctx, token)
	}
	return nil
}

// Run executes an admitted call.
func (d *Dialect) Run(ctx context.Context, c *target.Call, dst []byte) ([]byte, *jsonrpc.Error) {
	switch m := methodOf(c.Method); m {
	case initialize, info:
		dst = append(dst, d.hello...)
		if token, ok := c.State.(string); ok {
			dst = append(append(append(dst, `,"session":"`...), token...), '"')
		}
		return append(dst, `}}`...), nil
	case pinging:
		return ping(c.Params, dst)
	case shutdown:
		return append(dst, `{}`...), nil
	case embed, embedSparse, embedMulti, rerank, retrieve, indexAdd, indexDelete:
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
	job, fault := d.plan(m, c.Params)
	if fault != nil {
		return dst, fault
	}
	ctx, end := withDeadline(ctx, c.Params)
	defer end()
	if d.execution.Enter(ctx, job.service, job.items, c.Turn) != nil {
		return dst, stopped(ctx)
	}
	defer d.execution.Leave()
	answer, fault := job.work(ctx, dst)
	if fault != nil {
		return dst, fault
	}
	return answer, nil
}

// job is a checked call.
type job struct {
	work    func(ctx context.Context, dst []byte) ([]byte, *jsonrpc.Error) // computes the result and appends it
	service target.Service                                                 // what the config adds
	items   int                                                            // of the array parameter; 1 where there is none
}

// plan checks the parameters, before anything is waited for.
func (d *Dialect) plan(m method, params []byte) (job, *jsonrpc.Error) {
	service := &d.config.Service
	switch m {
	case embed:
		p, fault := d.embedParams(params, "inputs", "texts")
		return job{p.dense, service.Embed, len(p.texts)}, fault
	case embedSparse:
		p, fault := d.embedParams(params, "texts", "inputs")
		return job{p.sparse, service.Sparse, len(p.texts)}, fault
	case embedMulti:
		p, fault := d.embedParams(params, "inputs", "texts")
		return job{p.multi, service.Multi, len(p.texts)}, fault
	case rerank:
		p, fault := d.rerankParams(params)
		return job{p.rank, service.Rerank, len(p.passages)}, fault
	case retrieve:
		p, fault := d.retrieveParams(params)
		return job{p.retrieve, service.Retrieve, 1}, fault
	case indexAdd:
		p, fault := d.addParams(params)
		return job{p.add, service.Add, len(p.docs)}, fault
	default:
		p, fault := d.deleteParams(params)
		return job{p.drop, service.Delete, len(p.ids)}, fault
	}
}

// withDeadline ends what runs when the client's own time is up:
// _meta.deadlineMs, the milliseconds that it has left (section 16.2). What is
// not such a number is passed over, as _meta is (section 4.4).
func withDeadline(ctx context.Context, params []byte) (context.Context, context.CancelFunc) {
	left, ok := integer(jsonrpc.Member(jsonrpc.Member(params, "_meta"), "deadlineMs"))
	if !ok || left < 0 || left > int64(math.MaxInt64/time.Millisecond) {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, time.Duration(left)*time.Millisecond)
}
