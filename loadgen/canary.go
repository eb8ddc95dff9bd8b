package loadgen

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"volley/internal/jsonrpc"
	"volley/loadgen/transport"
	"volley/results"
	"volley/scenario"
)

// CanaryError says that the node did not answer the calls that go before the
// load as one that can be tested would: nothing was measured.
type CanaryError struct {
	Words string // the node's own, or the system's, escaped for a terminal and cut
	Err   error  // what was asked and what came of it
	Cause error  // of an exchange without an answer: the transport's; else nil
}

func (e *CanaryError) Error() string {
	if e.Words == "" {
		return e.Err.Error()
	}
	return e.Err.Error() + ": " + e.Words
}

// Unwrap gives Err and Cause.
func (e *CanaryError) Unwrap() []error {
	if e.Cause == nil {
		return []error{e.Err}
	}
	return []error{e.Err, e.Cause}
}

// scout makes the calls before the load, over one connection.
type scout struct {
	ctx       context.Context
	plan      *scenario.Plan
	printable func(string) string // of what others say
	seq       *sequence
	conn      transport.Conn
	judge     *correlator
	outcome   results.Outcome
	learn     func(secret string) // is told what must not be shown or stored
	field     string              // bears the session's token; "" without one
	warnings  []string
}

// ready prepares the node and finds out what the plan needs of it: RCP is
// initialised, blocks are pinned. It gives the work, and has tried one call of it.
func (s *scout) ready() (*work, map[string]string, error) {
	if s.plan.Target.Dialect == "rcp" {
		if err := s.initialize(); err != nil {
			return nil, nil, err
		}
	}
	pinned, err := s.pin()
	if err != nil {
		return nil, nil, err
	}
	w, err := compile(s.plan, pinned)
	if err != nil {
		return nil, nil, err
	}
	if err := s.canary(w); err != nil {
		return nil, nil, err
	}
	return w, pinned, s.largest(w)
}

// initialize opens an RCP session (RCP/1 section 13), for the run: nothing but info, ping
// and shutdown may come before. A node that is initialised already answers -32600.
func (s *scout) initialize() error {
	m := s.single("initialize", `{"protocolVersion":1,"client":{"name":"volley","version":"1"},"capabilities":{}}`)
	reply, err := s.do(m)
	if err != nil {
		return &CanaryError{Words: s.printable(err.Error()), Err: errors.New("the node does not answer initialize"), Cause: err}
	}
	o := &s.outcome
	if o.Class == results.OK {
		return s.join(&reply)
	}
	if o.Class == results.RPCError && o.Codes[0].Code == int64(jsonrpc.InvalidRequest) {
		return nil
	}
	return s.refused("initialize was not accepted")
}

// canary tries one call of the plan. Any result will do, and any error that an
// account, a contract or a text may cause; what says that the method, the form or
// the encoding is wrong would fail in every call of the load.
func (s *scout) canary(w *work) error {
	var m message
	newEncoder(w).canary(&m, s.seq.skip(1))
	if _, err := s.do(&m); err != nil {
		return &CanaryError{Words: s.printable(err.Error()), Err: errors.New("the node does not answer"), Cause: err}
	}
	switch s.outcome.Class {
	case results.OK, results.ResultError:
		return nil
	case results.RPCError:
		switch s.outcome.Codes[0].Code {
		case int64(jsonrpc.MethodNotFound), -32004:
			return s.refused("the node does not know the method of the first call")
		case int64(jsonrpc.ParseError), int64(jsonrpc.InvalidRequest):
			return s.refused("the node could not read the first call")
		case -32005:
			if w.form == scenario.Batch {
				return s.refused("the node does not take the first batch")
			}
		}
		return nil
	case results.RateLimited:
		if s.outcome.Answered() {
			return nil // it may be that of a load before this one
		}
		return s.refused("the node turns away the first call as over a rate")
	case results.BatchError:
		return s.refused("the node does not take batches as the plan sends them")
	default:
		return s.refused(fmt.Sprintf("the first call did not get its answer (%s)", s.outcome.Class))
	}
}

func (s *scout) refused(what string) error {
	return &CanaryError{Words: s.printable(s.outcome.Detail), Err: errors.New(what)}
}

// do makes a call; its outcome is in s.outcome. An error says that there was no
// answer at all.
func (s *scout) do(m *message) (transport.Reply, error) {
	reply, err := s.conn.Do(s.ctx, m.request(s.field), time.Now().Add(s.plan.Timeout))
	s.judge.judge(m, reply, err, &s.outcome)
	return reply, err
}

// single gives a bare request of our own.
func (s *scout) single(method, params string) *message {
	m := &message{first: s.seq.skip(1), members: []member{request}}
	m.body = append(m.body, `{"jsonrpc":"2.0","id":`...)
	m.body = strconv.AppendUint(m.body, m.first, 10)
	m.body = append(m.body, `,"method":`...)
	m.body = jsonrpc.AppendString(m.body, method)
	m.body = append(append(append(m.body, `,"params":`...), params...), '}')
	if s.plan.Target.Dialect == "rcp" {
		m.path = "/" + method
	}
	return m
}

// pin resolves the blocks that the plan pins its reads to, before the run, as
// NEAR's page on query batching has it: one final block, whose hash goes
// into every query.
func (s *scout) pin() (map[string]string, error) {
	if !pins(s.plan) {
		return nil, nil
	}
	reply, err := s.do(s.single("block", `{"finality":"final"}`))
	if err != nil {
		return nil, &CanaryError{Words: s.printable(err.Error()), Err: errors.New("the node does not answer"), Cause: err}
	}
	if s.outcome.Class != results.OK {
		return nil, s.refused("the final block, which the plan pins its reads to, could not be read")
	}
	var block struct {
		Result struct {
			Header struct {
				Hash string `json:"hash"`
			} `json:"header"`
		} `json:"result"`
	}
	if err := json.Unmarshal(reply.Body, &block); err != nil || block.Result.Header.Hash == "" {
		return nil, &CanaryError{
			Words: s.printable(string(cut(reply.Body))),
			Err:   errors.New("the answer to block has no result.header.hash to pin reads to"),
		}
	}
	return map[string]string{"final": block.Result.Header.Hash}, nil
}

// pins tells whether a value of the plan is pinned to a block.
func pins(p *scenario.Plan) bool {
	for i := range p.Mix {
		if pinnedIn(p.Mix[i].Params) {
			return true
		}
	}
	return false
}

func pinnedIn(v *scenario.Value) bool {
	if v == nil {
		return false
	}
	for _, e := range v.Values {
		if pinnedIn(e) {
			return true
		}
	}
	return v.Pinned != "" || pinnedIn(v.Items) || pinnedIn(v.Base64)
}
