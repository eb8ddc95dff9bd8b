package transport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
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
	// another's. Where ok is false the line goes to the call that can have no
	// other (Idless), else to the one that has waited longest: the error that
	// answers a whole batch has no id. It is called from one goroutine and must
	// not keep the line.
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
	*routing
	config  StdioConfig
	process *process

	// turn is held by who writes to the command. A lock that can be waited for
	// with a deadline.
	turn chan struct{}
	// unfinished is the rest of a line whose writer gave up halfway; it goes
	// out before the next line. Protected by turn.
	unfinished []byte

	reading sync.WaitGroup
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
	s := &Stdio{routing: newRouting(c.Route), config: c, process: p, turn: make(chan struct{}, 1)}
	s.reading.Go(s.readAnswers)
	return s, nil
}

// Open gives a connection that shares the command's streams.
func (s *Stdio) Open() (Conn, error) {
	return &stdioConn{endpoint: s, waiter: newWaiter()}, nil
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
	s.end(s.process.epitaph())
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
	waiter
	endpoint *Stdio
	line     []byte
	closed   bool
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
	defer c.disarm()
	if req.Idless && !req.NoReply {
		if err := take(ctx, s.idless, expired, untold); err != nil {
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
	if err := s.wait(ctx, &c.waiter, expired); err != nil {
		return Reply{}, err
	}
	if c.err != nil {
		return Reply{}, s.failed(ctx, true, c.err)
	}
	return Reply{Status: 200, Body: c.answer}, nil
}

// send writes the line, having put c among the waiting first.
func (c *stdioConn) send(ctx context.Context, req Request, deadline time.Time) (n int, err error) {
	s := c.endpoint
	if req.NoReply {
		if err := s.over(); err != nil {
			return 0, err
		}
		return s.write(ctx, c.line, deadline)
	}
	if err := s.await(&c.waiter, &req); err != nil {
		return 0, err
	}
	n, err = s.write(ctx, c.line, deadline)
	if err != nil && !s.giveUp(&c.waiter) {
		<-c.answered // the end of the command, or an answer to half a line
		if c.err != nil {
			err = c.err
		}
	}
	return n, err
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
