package loadgen

import (
	"errors"
	"strconv"

	"volley/internal/jsonrpc"
	"volley/loadgen/transport"
	"volley/results"
)

// entry gives the index of the entry whose id, as it was sent, the answer carries.
func (c *correlator) entry(a *jsonrpc.Answer) (i int, ours bool) {
	id, rewritten := a.Int, false
	switch {
	case a.IsInt:
	case a.IDKind == jsonrpc.Bool:
		if c.m.malformed == 0 || a.ID[0] != 't' {
			return 0, false
		}
		for i, k := range c.m.members {
			if k == mangledTrue && c.state[i] == pending {
				return i, true
			}
		}
		return 0, false
	case a.IDKind == jsonrpc.Number:
		f, err := strconv.ParseFloat(string(a.ID), 64)
		if err != nil || f < 0 || f >= 1<<63 {
			return 0, false
		}
		id = uint64(f)
		c.buffer = strconv.AppendUint(c.buffer[:0], id, 10)
		if !jsonrpc.SameID(a.ID, c.buffer) {
			return 0, false
		}
		rewritten = true
	default:
		return 0, false
	}
	if id < c.m.first || id-c.m.first >= uint64(len(c.m.members)) {
		return 0, false
	}
	i = int(id - c.m.first)
	k := c.m.members[i]
	if ours = k == request || k == mangledID; ours && rewritten {
		c.strange.Add(results.OtherNumber)
	}
	return i, ours
}

// match scores an answer to entry i.
func (c *correlator) match(i int, a *jsonrpc.Answer, b bare) {
	if c.state[i] != pending {
		c.state[i] = results.Duplicate
		c.surplus++
		return
	}
	c.code[i] = a.Code
	malformed := c.m.members[i].malformed()
	switch {
	case a.Kind == jsonrpc.ErrorObject && malformed && rejection(a.Code):
		c.state[i] = results.Rejected
	case a.Kind == jsonrpc.ErrorObject:
		c.state[i] = b.class()
	case malformed:
		c.state[i] = results.MalformedResponse
	case a.Kind == jsonrpc.ResultError:
		c.state[i] = results.ResultError
	default:
		c.state[i] = results.OK
	}
}

// rejection tells whether a code says that a member was no request, or (as NEAR
// says of a singleton, jrpc2 of a batch's member) could not be read as one.
func rejection(code int64) bool {
	return code == int64(jsonrpc.InvalidRequest) || code == int64(jsonrpc.ParseError)
}

// failureClass maps a transport's failure.
func failureClass(err error) results.Class {
	var e *transport.Error
	if !errors.As(err, &e) {
		return results.Reset
	}
	switch e.Failure {
	case transport.Timeout:
		return results.Timeout
	case transport.Refused, transport.Forbidden, transport.Exhausted:
		return results.Refused
	case transport.Malformed:
		return results.MalformedResponse
	case transport.Cancelled:
		return results.CutOff
	default:
		return results.Reset
	}
}
