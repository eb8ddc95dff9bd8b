package target

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"time"
)

// streamCalls bounds the lines of one stream that are under way at once. Over
// it no line is read until one is answered, so a cancellation waits too.
const streamCalls = 64

// ServeStream speaks the protocol on a byte stream: one JSON text a line. Lines
// of white space alone are passed over; a line over Policy.BodyLimit is refused
// with one object and the stream goes on. Lines are admitted in their order and
// then run at once, up to 64 of them; each answer is one line, written when it
// is there. A call that sets Call.Close when it is admitted is of the last line
// that is answered.
//
// It returns nil when the input has ended, a call has set Call.Close or ctx has
// ended, in each case after the calls under way are answered (after ctx's end
// their contexts end 10 seconds later); else the error of the stream. A Read
// that is pending when it returns early cannot be interrupted: it is left to
// the caller, who ends it by closing in.
func (n *Node) ServeStream(ctx context.Context, in io.Reader, out io.Writer) error {
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	s := &stream{
		node: n, conn: &connection{state: n.dialect.Connect(Stdio), life: life},
		out: out, over: make(chan struct{}), cut: end,
	}
	lines, readErr := make(chan *exchange), make(chan error, 1)
	go func() { // ends with the input, or with the first line after s.over
		readErr <- s.read(in, lines)
		close(lines)
	}()
	var calls sync.WaitGroup
	slots := make(chan struct{}, streamCalls)
	ended := s.each(ctx, lines, slots, func(x *exchange) {
		n.takeLine(life, x)
		if x.closes() {
			s.stop()
		}
		calls.Go(func() {
			n.finish(life, x)
			s.answer(x)
			<-slots
		})
	})
	if !ended {
		defer time.AfterFunc(drainTimeout, end).Stop()
	}
	s.stop()
	calls.Wait()
	if ended {
		return errors.Join(<-readErr, s.err)
	}
	return s.err
}

// stream is one byte stream's state.
type stream struct {
	node *Node
	conn *connection
	cut  context.CancelFunc // ends what runs, once nobody can be answered

	once sync.Once
	over chan struct{} // closed: take no more lines

	mu  sync.Mutex // guards what follows
	out io.Writer
	err error // the first of writing
}

func (s *stream) stop() { s.once.Do(func() { close(s.over) }) }

// each takes a slot and gives it and the next line to do, until there are no
// more lines; ended is false when it stopped before the input did.
func (s *stream) each(ctx context.Context, lines <-chan *exchange, slots chan<- struct{}, do func(*exchange)) (ended bool) {
	for {
		select {
		case slots <- struct{}{}:
		case <-ctx.Done():
			return false
		case <-s.over:
			return false
		}
		select { // a stream that is over takes no line, also if one is there
		case <-s.over:
			return false
		default:
		}
		select {
		case x, ok := <-lines:
			if !ok {
				return true
			}
			do(x)
		case <-ctx.Done():
			return false
		case <-s.over:
			return false
		}
	}
}

// answer writes what an exchange came to, then gives it back.
func (s *stream) answer(x *exchange) {
	defer x.free()
	if x.close {
		defer s.stop()
	}
	if len(x.out) == 0 {
		return
	}
	if bytes.IndexByte(x.out, '\n') >= 0 { // white space in what a method gave
		var line bytes.Buffer
		if json.Compact(&line, x.out) == nil {
			x.out = append(x.out[:0], line.Bytes()...)
		}
	}
	x.out = append(x.out, '\n')
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return
	}
	if _, s.err = s.out.Write(x.out); s.err != nil {
		s.stop()
		s.cut()
	}
}

// takeLine is take, but for a line that was too long to be held.
func (n *Node) takeLine(ctx context.Context, x *exchange) {
	if !x.tooLong {
		n.take(ctx, x)
		return
	}
	e := n.policy.Invalid
	e.Data = limitText(int(n.policy.BodyLimit))
	x.reply(0, &e, nil)
}

// closes tells whether a call that was admitted ends the stream.
func (x *exchange) closes() bool {
	for i := range x.entries {
		if e := &x.entries[i]; e.call.Close && e.verdict == valid {
			return true
		}
	}
	return false
}

// read sends each line that is not blank until the input ends or the stream is
// over. The error is the input's, nil at its end.
func (s *stream) read(in io.Reader, lines chan<- *exchange) error {
	r := bufio.NewReaderSize(in, 64<<10)
	for {
		x := newExchange(s.conn)
		err := x.readLine(r, s.node.policy.BodyLimit)
		if !x.tooLong && len(bytes.TrimLeft(x.body, " \t\r\n")) == 0 {
			x.free()
		} else {
			select {
			case lines <- x:
			case <-s.over:
				x.free()
				return nil
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// readLine reads one line, the last one perhaps without an end, without its
// \n. Of one over the limit it keeps nothing.
func (x *exchange) readLine(r *bufio.Reader, limit int64) error {
	x.body = x.body[:0]
	for {
		part, err := r.ReadSlice('\n')
		whole := err == nil
		if whole {
			part = part[:len(part)-1]
		}
		if x.tooLong = x.tooLong || limit > 0 && int64(len(x.body)+len(part)) > limit; x.tooLong {
			x.body = x.body[:0]
		} else {
			x.body = append(x.body, part...)
		}
		if whole || err != bufio.ErrBufferFull {
			return err
		}
	}
}
