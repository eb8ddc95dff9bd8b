package transport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
)

var failureNames = [...]string{"timeout", "refused", "reset", "malformed", "forbidden", "cancelled", "exhausted"}

func (f Failure) String() string {
	if int(f) < len(failureNames) {
		return failureNames[f]
	}
	return fmt.Sprintf("Failure(%d)", uint8(f))
}

// protocolError is an answer that breaks the protocol or one of our bounds.
type protocolError struct{ text string }

func (e *protocolError) Error() string { return e.text }

func protocolErrorf(format string, a ...any) error {
	return &protocolError{fmt.Sprintf(format, a...)}
}

// brief is plain, with a word for the end of the connection.
func brief(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("it was closed")
	}
	return plain(err)
}

// classify names the kind of err. otherwise is the kind of what says nothing
// more exact about itself: Refused before there is a connection, Reset after.
func classify(ctx context.Context, err error, otherwise Failure) Failure {
	var e *Error
	var protocol *protocolError
	var timeout interface{ Timeout() bool }
	switch {
	case ctx.Err() != nil:
		return Cancelled
	case errors.As(err, &e):
		return e.Failure
	case errors.As(err, &protocol):
		return Malformed
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE),
		errors.Is(err, syscall.EADDRNOTAVAIL), errors.Is(err, syscall.ENOBUFS), errors.Is(err, syscall.ENOMEM):
		return Exhausted
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, context.DeadlineExceeded):
		return Timeout
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF),
		errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return Reset
	case errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return Refused
	case errors.As(err, &timeout) && timeout.Timeout(): // ETIMEDOUT of a connect, a resolver's own limit
		return Timeout
	}
	return otherwise
}

func isTimeout(err error) bool {
	var n net.Error
	return errors.As(err, &n) && n.Timeout()
}

// explain gives the words for an exchange that failed after got bytes of its answer,
// with so many of the request still unsent.
func explain(ctx context.Context, failure Failure, err error, got int64, unsent int) error {
	switch {
	case failure == Reset && got == 0 && unsent > 0:
		return fmt.Errorf("the node broke the connection while the request was still being sent, %d bytes before its end (perhaps it is too large): %w", unsent, brief(err))
	case errors.Is(err, io.EOF):
		return errors.New("the node closed the connection without an answer")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("the node closed the connection after %d bytes of its answer", got)
	case failure == Cancelled:
		return fmt.Errorf("cut off: %w", ctx.Err())
	case failure == Timeout && got > 0:
		return fmt.Errorf("no whole answer in time, only %d bytes: %w", got, plain(err))
	case failure == Timeout:
		return fmt.Errorf("no answer in time: %w", plain(err))
	}
	return plain(err)
}
