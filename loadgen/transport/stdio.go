package transport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"time"
)

// DefaultGrace is how long a command may take to end once its input is closed.
const DefaultGrace = 5 * time.Second

// StdioConfig is a command that speaks the protocol on its standard streams.
type StdioConfig struct {
	Command []string  // the program and its arguments
	Stderr  io.Writer // gets the command's standard error; nil: it is thrown away
	// Route tells which call a line from the command answers: any id between
	// FirstID and LastID of its Request. A line with an id that no call waits
	// for is thrown away, so that an answer after its deadline is not taken for
	// another's. Where ok is false the line goes to the call that has waited
	// longest: the error that answers a whole batch has no id. It is called
	// from one goroutine and must not keep the line.
	Route    func(line []byte) (id uint64, ok bool)
	MaxReply int64         // bounds a line from the command in bytes; 0 is DefaultMaxReply
	Grace    time.Duration // 0 is DefaultGrace
}

// Stdio is an endpoint on the standard streams of one command: each body is a
// line, each answer is a line, and answers may come in any order. All its
// connections share the one stream.
//
// The command runs in a process group of its own, so that an interrupt typed
// at a terminal reaches us alone and its calls can be drained; when this
// process ends, however it ends, the command sees the end of its input.
type Stdio struct {
	config  StdioConfig
	process *process

	// turn is held by who writes to the command. A lock that can be waited for
	// with a deadline.
	turn chan struct{}
	// idless is held by the one call under way whose answer carries no id.
	idless chan struct{}
	// unfinished is the rest of a line whose writer gave up halfway; it goes
	// out before the next line. Protected by turn.
	unfinished []byte

	reading sync.WaitGroup

	mu      sync.Mutex
	waiting []*stdioConn // in the order of their lines; protected by mu
	ended   error        // why no answer will come any more; protected by mu
}

// NewStdio starts the command. Whoever calls it has to call Close.
func NewStdio(c StdioConfig) (*Stdio, error) {
	if len(c.Command) == 0 || c.Command[0] == "" {
		return nil, errors.New("no command to start: give a program and its arguments")
	}
	if c.Route == nil {
		return nil, errors.New("no Route: answers on a shared stream have to be told apart")
	}
	if c.MaxReply <= 0 {
		c.MaxReply = DefaultMaxReply
	}
	if c.Grace <= 0 {
		c.Grace = DefaultGrace
	}
	p, err := start(c.Command, c.Stderr)
	if err != nil {
		return nil, err
	}
	s := &Stdio{config: c, process: p, turn: make(chan struct{}, 1), idless: make(chan struct{}, 1)}
	s.reading.Go(s.readAnswers)
	return s, nil
}

// Open gives a connection that shares the command's streams.
func (s *Stdio) Open() (Conn, error) {
	return &stdioConn{endpoint: s, answered: make(chan struct{}, 1)}, nil
}

// Close closes the command's standard input and waits for it to end; after the
// grace period it is killed. The error says how the command ended if that was
// not of its own will with status 0. Calls under way are Reset.
func (s *Stdio) Close() error {
	err := s.process.end(s.config.Grace)
	s.reading.Wait()
	return err
}

// readAnswers hands every line of the command to the call that it answers,
// until the command's output ends.
func (s *Stdio) readAnswers() {
	defer s.process.out.Close()
	lines := lineReader{src: s.process.out, limit: s.config.MaxReply}
	for {
		line, err := lines.next()
		if err != nil && !errors.As(err, new(*protocolError)) {
			break
		}
		if err != nil || len(line) > 0 {
			s.deliver(line, err)
		}
	}
	why := s.process.epitaph()
	s.mu.Lock()
	s.ended = why
	waiting := s.waiting
	s.waiting = nil
	s.mu.Unlock()
	for _, c := range waiting {
		c.settle(nil, why)
	}
}

// deliver gives line, or an error in place of one, to the call that waits for it.
func (s *Stdio) deliver(line []byte, err error) {
	id, ok := uint64(0), false
	if err == nil {
		id, ok = s.config.Route(line)
	}
	s.mu.Lock()
	var to *stdioConn
	if i := s.addressee(id, ok); i >= 0 {
		to = s.waiting[i]
		s.waiting = append(s.waiting[:i], s.waiting[i+1:]...)
	}
	s.mu.Unlock()
	if to != nil {
		to.settle(line, err)
	}
}

// addressee gives the index of the call that is waiting for an answer with this
// id; -1 for none. An answer without an id belongs to the call that can have no
// other, else to the oldest. The caller holds mu.
func (s *Stdio) addressee(id uint64, ok bool) int {
	if ok {
		return slices.IndexFunc(s.waiting, func(c *stdioConn) bool { return c.first <= id && id <= c.last })
	}
	if i := slices.IndexFunc(s.waiting, func(c *stdioConn) bool { return c.idless }); i >= 0 {
		return i
	}
	return min(len(s.waiting), 1) - 1
}

// await puts c among those that wait for an answer.
func (s *Stdio) await(c *stdioConn) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended == nil {
		s.waiting = append(s.waiting, c)
	}
	return s.ended
}

// giveUp takes c out again; false: an answer is on its way to c.
func (s *Stdio) giveUp(c *stdioConn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.waiting {
		if s.waiting[i] == c {
			s.waiting = append(s.waiting[:i], s.waiting[i+1:]...)
			return true
		}
	}
	return false
}

// write sends one line; who calls it has the turn. n counts the line's bytes.
func (s *Stdio) write(ctx context.Context, line []byte, deadline time.Time) (n int, err error) {
	in := s.process.in
	if err := in.SetWriteDeadline(deadline); err != nil && !errors.Is(err, os.ErrNoDeadline) {
		return 0, err
	}
	// The turn must not be passed on while the end of ctx may still touch the
	// deadline.
	cut := make(chan struct{})
	unhook := context.AfterFunc(ctx, func() {
		in.SetWriteDeadline(longAgo)
		close(cut)
	})
	defer func() {
		if !unhook() {
			<-cut
		}
	}()
	if len(s.unfinished) > 0 {
		n, err := in.Write(s.unfinished)
		s.unfinished = s.unfinished[:copy(s.unfinished, s.unfinished[n:])]
		if err != nil {
			return 0, err
		}
	}
	n, err = in.Write(line)
	if n > 0 && n < len(line) {
		s.unfinished = append(s.unfinished[:0], line[n:]...)
	}
	return n, err
}

// stdioConn is one user of the shared stream.
type stdioConn struct {
	endpoint *Stdio
	line     []byte
	timer    *time.Timer
	closed   bool

	first, last uint64 // read by the endpoint while this waits; idless too
	idless      bool

	// Written by the endpoint once it has taken this out of the waiting ones,
	// before it sends to answered.
	answer   []byte
	err      error
	answered chan struct{}
}

func (c *stdioConn) settle(line []byte, err error) {
	c.answer = append(c.answer[:0], line...)
	c.err = err
	c.answered <- struct{}{}
}

// Do sends req as one line. With NoReply it is done when the line is written,
// with status 204.
func (c *stdioConn) Do(ctx context.Context, req Request, deadline time.Time) (Reply, error) {
	s := c.endpoint
	if c.closed {
		return Reply{}, &Error{Failure: Refused, Err: os.ErrClosed}
	}
	if err := ctx.Err(); err != nil {
		return Reply{}, &Error{Failure: Cancelled, Err: err}
	}
	var err error
	if c.line, err = appendLine(c.line[:0], req.Body); err != nil {
		return Reply{}, &Error{Failure: Refused, Err: err}
	}
	expired := c.arm(deadline)
	if c.timer != nil {
		defer c.timer.Stop()
	}
	if req.Idless && !req.NoReply {
		if err := take(ctx, s.idless, expired, "another body whose answer has no id was not answered in time"); err != nil {
			return Reply{}, err
		}
		defer func() { <-s.idless }()
	}
	if err := take(ctx, s.turn, expired, "the command took no line in time"); err != nil {
		return Reply{}, err
	}
	n, err := c.send(ctx, req, deadline)
	<-s.turn
	if err != nil {
		return Reply{}, s.failed(ctx, n > 0, err)
	}
	if req.NoReply {
		return Reply{Status: 204}, nil
	}
	return c.wait(ctx, expired)
}

// take takes what a channel of one stands for, or says why it could not in time.
func take(ctx context.Context, one chan struct{}, expired <-chan time.Time, late string) error {
	select {
	case one <- struct{}{}:
		return nil
	case <-expired:
		return &Error{Failure: Timeout, Err: errors.New(late)}
	case <-ctx.Done():
		return &Error{Failure: Cancelled, Err: ctx.Err()}
	}
}

// arm gives a channel that tells of the deadline; nil for no deadline.
func (c *stdioConn) arm(deadline time.Time) <-chan time.Time {
	if deadline.IsZero() {
		return nil
	}
	if c.timer == nil {
		c.timer = time.NewTimer(time.Until(deadline))
	} else {
		c.timer.Reset(time.Until(deadline))
	}
	return c.timer.C
}

// send writes the line, having put c among the waiting first: the answer may
// come before the write returns.
func (c *stdioConn) send(ctx context.Context, req Request, deadline time.Time) (n int, err error) {
	s := c.endpoint
	if req.NoReply {
		s.mu.Lock()
		ended := s.ended
		s.mu.Unlock()
		if ended != nil {
			return 0, ended
		}
		return s.write(ctx, c.line, deadline)
	}
	c.first, c.last, c.idless = req.FirstID, req.LastID, req.Idless
	if err := s.await(c); err != nil {
		return 0, err
	}
	n, err = s.write(ctx, c.line, deadline)
	if err != nil && !s.giveUp(c) {
		<-c.answered // the end of the command, or an answer to half a line
		if c.err != nil {
			err = c.err
		}
	}
	return n, err
}

// wait waits for the answer to a line that was written.
func (c *stdioConn) wait(ctx context.Context, expired <-chan time.Time) (Reply, error) {
	var gone error
	select {
	case <-c.answered:
	case <-expired:
		gone = &Error{Failure: Timeout, Sent: true, Err: errors.New("no answer in time")}
	case <-ctx.Done():
		gone = &Error{Failure: Cancelled, Sent: true, Err: ctx.Err()}
	}
	if gone != nil {
		if c.endpoint.giveUp(c) {
			return Reply{}, gone
		}
		<-c.answered
	}
	if c.err != nil {
		return Reply{}, c.endpoint.failed(ctx, true, c.err)
	}
	return Reply{Status: 200, Body: c.answer}, nil
}

// failed makes an *Error of what went wrong on the stream.
func (s *Stdio) failed(ctx context.Context, sent bool, err error) error {
	var over *epitaph
	switch {
	case errors.As(err, &over) && sent:
		return &Error{Failure: Reset, Sent: true, Err: err}
	case errors.As(err, &over):
		return &Error{Failure: Refused, Err: err}
	}
	failure := classify(ctx, err, Reset)
	if failure == Reset {
		if !sent {
			failure = Refused
		}
		err = fmt.Errorf("the command no longer reads its input: %w", err)
	}
	return &Error{Failure: failure, Sent: sent, Err: err}
}

// Close ends this use of the stream; the command goes on.
func (c *stdioConn) Close() error {
	c.closed = true
	return nil
}
