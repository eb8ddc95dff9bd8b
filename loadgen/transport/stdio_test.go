package transport

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// roleVariable makes the test binary a node on its standard streams.
const roleVariable = "VOLLEY_TRANSPORT_TEST_ROLE"

// play is that node; it gives its exit status.
func play(role string) int {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	switch role {
	case "mute": // reads nothing
		waitForever()
	case "stubborn": // stays when its input ends
		fmt.Fprintln(os.Stdout, `{"id":0}`)
		waitForever()
	case "refuser": // ends before anything is asked
		fmt.Fprintln(os.Stderr, "no configuration\x1b[31m")
		return 7
	}
	var held [][]byte
	for {
		line, err := in.ReadBytes('\n')
		if err == io.EOF {
			return 0
		} else if err != nil {
			return 9
		}
		var o order
		if err := json.Unmarshal(line, &o); err != nil {
			fmt.Fprintf(os.Stdout, `{"id":null,"error":%q}`+"\n", err)
			continue
		}
		switch o.Do {
		case "hang":
		case "die":
			fmt.Fprintln(os.Stderr, "out of memory")
			return 3
		case "die within an answer":
			fmt.Fprintf(os.Stdout, `{"id":%d,"resu`, o.ID)
			return 3
		case "close the output":
			os.Stdout.Close()
		case "long line":
			fmt.Fprintf(os.Stdout, `{"id":%d,"pad":"%s"}`+"\n", o.ID, strings.Repeat("y", 1<<20))
		case "null id":
			fmt.Fprintln(os.Stdout, `{"id":null}`)
		case "hold":
			held = append(held, line)
		case "release": // the held ones backwards, then this
			for i := len(held) - 1; i >= 0; i-- {
				os.Stdout.Write(held[i])
			}
			held = nil
			os.Stdout.Write(line)
		case "release first": // the held ones of calls that gave up, white space, then this
			for _, h := range held {
				os.Stdout.Write(h)
			}
			fmt.Fprint(os.Stdout, "\n  \r\n")
			os.Stdout.Write(line)
		default:
			os.Stdout.Write(line)
		}
	}
}

func waitForever() {
	never := make(chan os.Signal, 1)
	signal.Notify(never, os.Interrupt) // the runtime would call a bare wait a deadlock
	for range never {
	}
}

func routeByID(line []byte) (uint64, bool) {
	var o struct{ ID *uint64 }
	if json.Unmarshal(line, &o) != nil || o.ID == nil {
		return 0, false
	}
	return *o.ID, true
}

func stdioEndpoint(t *testing.T, role string, c StdioConfig) *Stdio {
	t.Helper()
	t.Setenv(roleVariable, role)
	t.Setenv("GORACE", "atexit_sleep_ms=0") // the race detector would hold every ending child for a second
	c.Command = []string{os.Args[0]}
	if c.Route == nil {
		c.Route = routeByID
	}
	s, err := NewStdio(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

type result struct {
	reply Reply
	err   error
}

// doing starts a call and gives its result later; the body is a copy.
func doing(t *testing.T, c Conn, req Request) <-chan result {
	out := make(chan result, 1)
	go func() {
		reply, err := c.Do(t.Context(), req, soon())
		reply.Body = bytes.Clone(reply.Body)
		out <- result{reply, err}
	}()
	return out
}

// waitingCalls waits until n calls of s wait for an answer.
func waitingCalls(s *Stdio, n int) {
	for {
		s.mu.Lock()
		waiting := len(s.waiting)
		s.mu.Unlock()
		s.turn <- struct{}{} // who is among them has also written
		<-s.turn
		if waiting == n {
			return
		}
		runtime.Gosched()
	}
}

func TestStdioRoutesAnswersInAnyOrder(t *testing.T) {
	s := stdioEndpoint(t, "orders", StdioConfig{})
	var calls []<-chan result
	var sent []Request
	for id := uint64(10); id <= 50; id += 10 {
		req := orderOf(id+3, "hold", int(id))
		req.FirstID, req.LastID = id, id+9 // a batch's answer may begin with any of its ids
		sent = append(sent, req)
		calls = append(calls, doing(t, opened(t, s), req))
		waitingCalls(s, len(calls))
	}
	mustEcho(t, opened(t, s), orderOf(1, "release", 0))
	for i, call := range calls {
		if got := <-call; got.err != nil || !bytes.Equal(got.reply.Body, sent[i].Body) {
			t.Errorf("call %d: %v, %s", i, got.err, got.reply.Body)
		}
	}
}

func TestStdioLineWithoutIDGoesToTheOldestCall(t *testing.T) {
	s := stdioEndpoint(t, "orders", StdioConfig{})
	first := doing(t, opened(t, s), orderOf(1, "hang", 0))
	waitingCalls(s, 1)
	second := doing(t, opened(t, s), orderOf(2, "null id", 0))
	if got := <-first; got.err != nil || string(got.reply.Body) != `{"id":null}` {
		t.Errorf("the oldest got %v, %s", got.err, got.reply.Body)
	}
	third := doing(t, opened(t, s), orderOf(3, "null id", 0))
	if got := <-second; got.err != nil || string(got.reply.Body) != `{"id":null}` {
		t.Errorf("the next got %v, %s", got.err, got.reply.Body)
	}
	mustEcho(t, opened(t, s), orderOf(4, "echo", 0))
	s.Close()
	if got := <-third; failureOf(t, got.err).Failure != Reset {
		t.Errorf("a call cut off by Close got %v", got.err)
	}
}

func TestStdioLineWithoutIDGoesToTheCallThatCanHaveNoOther(t *testing.T) {
	s := stdioEndpoint(t, "orders", StdioConfig{})
	oldest := doing(t, opened(t, s), orderOf(1, "hold", 0))
	waitingCalls(s, 1)
	idless := orderOf(2, "null id", 0)
	idless.Idless = true
	// Two of them at a time could not be told apart: the second waits for the first.
	both := []<-chan result{doing(t, opened(t, s), idless), doing(t, opened(t, s), idless)}
	for _, one := range both {
		if got := <-one; got.err != nil || string(got.reply.Body) != `{"id":null}` {
			t.Errorf("a call without ids got %v, %s", got.err, got.reply.Body)
		}
	}
	mustEcho(t, opened(t, s), orderOf(3, "release", 0))
	if got := <-oldest; got.err != nil || !strings.Contains(string(got.reply.Body), `"hold"`) {
		t.Errorf("the oldest got %v, %s", got.err, got.reply.Body)
	}
}

func TestStdioLateAnswerIsThrownAway(t *testing.T) {
	s := stdioEndpoint(t, "orders", StdioConfig{})
	c := opened(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	gone := make(chan error, 1)
	go func() {
		_, err := c.Do(ctx, orderOf(1, "hold", 0), soon())
		gone <- err
	}()
	waitingCalls(s, 1)
	cancel()
	if e := failureOf(t, <-gone); e.Failure != Cancelled || !e.Sent {
		t.Errorf("%v (sent %v), want cancelled and sent", e.Failure, e.Sent)
	}
	mustEcho(t, c, orderOf(2, "release first", 0))
}

func TestStdioNoReply(t *testing.T) {
	c := opened(t, stdioEndpoint(t, "orders", StdioConfig{}))
	req := orderOf(0, "hang", 0)
	req.NoReply = true
	reply, err := c.Do(t.Context(), req, soon())
	if err != nil || reply.Status != 204 || len(reply.Body) != 0 {
		t.Errorf("%v, status %d, body %q, want 204", err, reply.Status, reply.Body)
	}
	mustEcho(t, c, orderOf(1, "echo", 0))
}

func TestStdioLineEnds(t *testing.T) {
	c := opened(t, stdioEndpoint(t, "orders", StdioConfig{}))
	reply, err := c.Do(t.Context(), Request{Body: []byte("{\n\"id\":1,\r\n\"do\":\"a\\\"b\\\\\"\n}"), FirstID: 1, LastID: 1}, soon())
	if want := "{ \"id\":1,\r \"do\":\"a\\\"b\\\\\" }"; err != nil || string(reply.Body) != want {
		t.Errorf("%v, %q, want %q", err, reply.Body, want)
	}
	_, err = c.Do(t.Context(), Request{Body: []byte("{\"id\":2,\"do\":\"a\nb\"}"), FirstID: 2, LastID: 2}, soon())
	if e := failureOf(t, err); e.Failure != Refused || e.Sent {
		t.Errorf("%v (sent %v), want refused and unsent", e.Failure, e.Sent)
	}
}

func TestStdioBoundsALine(t *testing.T) {
	c := opened(t, stdioEndpoint(t, "orders", StdioConfig{MaxReply: 1000}))
	_, err := c.Do(t.Context(), orderOf(1, "long line", 0), soon())
	if e := failureOf(t, err); e.Failure != Malformed || !e.Sent || !strings.Contains(e.Error(), "1000 bytes") {
		t.Errorf("%v (sent %v): %v, want malformed, naming the bound", e.Failure, e.Sent, e)
	}
	mustEcho(t, c, orderOf(2, "echo", 0))
}

func TestStdioTellsHowTheCommandEnded(t *testing.T) {
	t.Run("with calls under way", func(t *testing.T) {
		var log bytes.Buffer
		s := stdioEndpoint(t, "orders", StdioConfig{Stderr: &log})
		other := doing(t, opened(t, s), orderOf(1, "hang", 0))
		waitingCalls(s, 1)
		c := opened(t, s)
		_, err := c.Do(t.Context(), orderOf(2, "die", 0), soon())
		for _, err := range []error{err, (<-other).err} {
			e := failureOf(t, err)
			if e.Failure != Reset || !e.Sent || !strings.Contains(e.Error(), "exit status 3") || !strings.Contains(e.Error(), "out of memory") {
				t.Errorf("%v (sent %v): %v, want a reset with the status and the last words", e.Failure, e.Sent, e)
			}
		}
		_, err = c.Do(t.Context(), orderOf(3, "echo", 0), soon())
		if e := failureOf(t, err); e.Failure != Refused || e.Sent || !strings.Contains(e.Error(), "exit status 3") {
			t.Errorf("%v (sent %v): %v, want refused with the status", e.Failure, e.Sent, e)
		}
		if err := s.Close(); err == nil || !strings.Contains(err.Error(), "exit status 3") {
			t.Errorf("Close says %v, want the status", err)
		}
		if log.String() != "out of memory\n" {
			t.Errorf("standard error passed on is %q", log.String())
		}
	})
	t.Run("before the first call", func(t *testing.T) {
		s := stdioEndpoint(t, "refuser", StdioConfig{})
		s.reading.Wait()
		_, err := opened(t, s).Do(t.Context(), orderOf(1, "echo", 0), soon())
		e := failureOf(t, err)
		if e.Failure != Refused || e.Sent || !strings.Contains(e.Error(), `"no configuration\x1b[31m"`) {
			t.Errorf("%v (sent %v): %v, want refused, the words escaped", e.Failure, e.Sent, e)
		}
	})
	t.Run("within an answer", func(t *testing.T) {
		_, err := opened(t, stdioEndpoint(t, "orders", StdioConfig{})).Do(t.Context(), orderOf(1, "die within an answer", 0), soon())
		if e := failureOf(t, err); e.Failure != Reset {
			t.Errorf("%v: %v, want a reset", e.Failure, e)
		}
	})
	t.Run("its output only", func(t *testing.T) {
		_, err := opened(t, stdioEndpoint(t, "orders", StdioConfig{})).Do(t.Context(), orderOf(1, "close the output", 0), soon())
		if e := failureOf(t, err); e.Failure != Reset || !strings.Contains(e.Error(), "closed its standard output") {
			t.Errorf("%v: %v, want a reset that says so", e.Failure, e)
		}
	})
}

func TestStdioCloseIsOrderlyAndTheSameTwice(t *testing.T) {
	s := stdioEndpoint(t, "orders", StdioConfig{})
	mustEcho(t, opened(t, s), orderOf(1, "echo", 0))
	for range 2 {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestStdioKillsWhatDoesNotEnd(t *testing.T) {
	s := stdioEndpoint(t, "stubborn", StdioConfig{Grace: time.Millisecond})
	err := s.Close()
	if err == nil || !strings.Contains(err.Error(), "killed") {
		t.Errorf("Close says %v, want that it was killed", err)
	}
	if s.process.cmd.ProcessState == nil {
		t.Error("the command was not waited for")
	}
}

func TestStdioCommandThatReadsNothing(t *testing.T) {
	s := stdioEndpoint(t, "mute", StdioConfig{Grace: time.Millisecond})
	// More than a pipe holds: the first call blocks in its write, the second
	// for its turn.
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var group sync.WaitGroup
	errs := make([]error, 2)
	for i := range errs {
		c := opened(t, s)
		group.Go(func() {
			_, errs[i] = c.Do(ctx, orderOf(uint64(i+1), "echo", 4<<20), time.Now().Add(200*time.Millisecond))
		})
	}
	group.Wait()
	for _, err := range errs {
		if e := failureOf(t, err); e.Failure != Timeout {
			t.Errorf("%v: %v, want a timeout", e.Failure, e)
		}
	}
	if len(s.unfinished) == 0 {
		t.Error("no call was cut off within its line: the pipe held it all")
	}
}

func TestStdioFinishesALineBeforeTheNext(t *testing.T) {
	s := stdioEndpoint(t, "orders", StdioConfig{})
	s.unfinished = []byte(`{"id":1,"do":"hang"}` + "\n") // as a call leaves it that gave up halfway
	mustEcho(t, opened(t, s), orderOf(2, "echo", 0))
	if len(s.unfinished) != 0 {
		t.Errorf("still unfinished: %q", s.unfinished)
	}
}

func TestNewStdioSaysWhatIsWrong(t *testing.T) {
	tests := []struct {
		name string
		c    StdioConfig
		want string
	}{
		{"no command", StdioConfig{Route: routeByID}, "no command"},
		{"no such program", StdioConfig{Command: []string{"/nowhere/node"}, Route: routeByID}, `cannot start the command "/nowhere/node"`},
		{"no route", StdioConfig{Command: []string{os.Args[0]}}, "no Route"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, err := NewStdio(tt.c)
			if err == nil {
				s.Close()
				t.Fatal("no error")
			}
			if !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %q in it", err, tt.want)
			}
		})
	}
}
