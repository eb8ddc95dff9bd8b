package target

import (
	"bytes"

	"volley/internal/jsonrpc"
)

// verdict is what a request's envelope says of it.
type verdict uint8

const (
	valid     verdict = iota
	malformed         // no request at all: a notification it cannot be either
	refused           // a request that is answered without a look at its method
	ignored           // a notification that is not executed
)

// judge applies the envelope's rules to one request, of a batch or alone. A
// refused one comes with its answer.
func (p *Policy) judge(r *jsonrpc.Request, batch bool) (verdict, *jsonrpc.Error) {
	if !p.wellFormed(r, batch) {
		return malformed, nil
	}
	notification := p.notifies(r)
	if err := p.badParams(r.ParamsKind); err != nil && !p.anyParams(batch) {
		return refusedUnless(notification), err
	}
	if batch && p.BatchMethods != nil && !p.runsInBatch(r.Method) {
		return refusedUnless(notification), &p.NotInBatch
	}
	return valid, nil
}

// runsInBatch looks a method up in BatchMethods, of which there is mostly one.
func (p *Policy) runsInBatch(method []byte) bool {
	if p.batchMethod != "" {
		return string(method) == p.batchMethod
	}
	return p.BatchMethods[string(method)]
}

func refusedUnless(notification bool) verdict {
	if notification {
		return ignored
	}
	return refused
}

// anyParams tells whether params are left to the dialect.
func (p *Policy) anyParams(batch bool) bool { return p.AnyParams || p.SingleUnjudged && !batch }

func (p *Policy) wellFormed(r *jsonrpc.Request, batch bool) bool {
	if r.NotAnObject || r.HasResult || r.Duplicate && !p.RepeatedNamesValid || r.MethodKind != jsonrpc.String {
		return false
	}
	if r.Unknown && !p.UnknownMembersValid || !p.versionTaken(r.Version) {
		return false
	}
	switch r.IDKind {
	case jsonrpc.Absent:
	case jsonrpc.Null:
		if p.NullIDInvalid && !p.NullIDNotifies {
			return false
		}
	default:
		if !p.echoable(r) && (batch || !p.SingleUnjudged) {
			return false
		}
	}
	if p.ReservedPrefix != "" && r.IDKind != jsonrpc.Absent &&
		len(r.Method) >= len(p.ReservedPrefix) && string(r.Method[:len(p.ReservedPrefix)]) == p.ReservedPrefix {
		return false
	}
	return p.PrimitiveParams != nil || !primitive(r.ParamsKind) || p.anyParams(batch)
}

// notifies tells a notification from a call, both well formed.
func (p *Policy) notifies(r *jsonrpc.Request) bool {
	return r.IDKind == jsonrpc.Absent || r.IDKind == jsonrpc.Null && p.NullIDNotifies
}

// echoable tells whether a request has an id, other than null, that can be
// answered.
func (p *Policy) echoable(r *jsonrpc.Request) bool {
	switch r.IDKind {
	case jsonrpc.Number:
		return !p.FractionIDInvalid || !bytes.ContainsAny(r.ID, ".eE")
	case jsonrpc.Bool:
		return p.BoolIDValid
	}
	return r.IDKind == jsonrpc.String
}

func (p *Policy) versionTaken(token []byte) bool {
	if token == nil {
		return p.VersionOptional
	}
	if string(token) == `"2.0"` {
		return true
	}
	text, ok := jsonrpc.Unquote(token) // an escaped spelling is the same string
	return ok && text == "2.0"
}

func (p *Policy) badParams(k jsonrpc.Kind) *jsonrpc.Error {
	switch {
	case primitive(k):
		return p.PrimitiveParams
	case k == jsonrpc.Array:
		return p.ArrayParams
	}
	return nil
}

func primitive(k jsonrpc.Kind) bool {
	return k == jsonrpc.Bool || k == jsonrpc.Number || k == jsonrpc.String
}
