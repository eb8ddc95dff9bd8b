package loadgen

import (
	"context"
	"errors"
	"time"

	"volley/internal/jsonrpc"
	"volley/loadgen/transport"
	"volley/results"
)

// sessionHeader bears the token of a session over HTTP (RCP/1 section 5.2). The session is
// the run's: its connections share it.
const sessionHeader = "RCP-Session"

// longestToken bounds, in bytes, a session's token.
const longestToken = 4 << 10

// closing is how long a node may take to close a session.
const closing = 2 * time.Second

// join keeps the token that a node gives with its answer to initialize, if it does.
func (s *scout) join(reply *transport.Reply) error {
	raw := jsonrpc.Member(jsonrpc.Member(jsonrpc.Member(reply.Body, "result"), "_meta"), "session")
	token, ok := jsonrpc.Unquote(raw)
	if !ok || len(token) == 0 {
		return nil // it gives none
	}
	s.learn(string(token))
	if len(token) > longestToken {
		return &CanaryError{Err: errors.New("the node gives a session token of over 4 KiB, which no header bears")}
	}
	field, err := transport.FieldOf(sessionHeader, string(token))
	if err != nil {
		return &CanaryError{Words: s.printable(err.Error()), Err: errors.New("the node gives a session token that cannot be sent back")}
	}
	s.field = field
	return nil
}

// leave closes the session that join opened, which is the run's alone. A node without
// tokens is left as it is: what shutdown ends there may be more than ours.
func (s *scout) leave() error {
	if s.field == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(s.ctx, closing)
	defer cancel()
	s.ctx = ctx
	if _, err := s.do(s.single("shutdown", "{}")); err != nil {
		return err
	}
	if s.outcome.Class != results.OK {
		return errors.New(s.outcome.Detail)
	}
	return nil
}

// endSession closes the run's session, if it has one.
func (r *runner) endSession(ctx context.Context) {
	if r.line.field == "" {
		return
	}
	conn, err := r.Endpoint.Open()
	if err == nil {
		s := r.scout(ctx, conn)
		s.field = r.line.field
		err = errors.Join(s.leave(), conn.Close())
	}
	if err != nil {
		r.warn("the session could not be closed, and stays open until it expires: " + r.printable(err.Error()))
	}
}
