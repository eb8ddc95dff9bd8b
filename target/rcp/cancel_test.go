package rcp

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"

	"volley/internal/jsonrpc"
	"volley/target"
)

// started are admitted calls that run in goroutines of their own.
type started struct {
	done  sync.WaitGroup
	mu    sync.Mutex
	codes map[string]jsonrpc.Code // by name, of those that have ended
}

// run admits at once, so that calls are in flight in the order of the test.
func (s *started) run(t *testing.T, d *Dialect, name string, call *target.Call) {
	t.Helper()
	if e := d.Admit(t.Context(), call); e != nil {
		t.Fatal(e)
	}
	s.done.Go(func() {
		_, e := d.Run(t.Context(), call, nil)
		s.mu.Lock()
		defer s.mu.Unlock()
		if _, twice := s.codes[name]; twice {
			t.Errorf("%s has ended twice", name)
		}
		if s.codes == nil {
			s.codes = make(map[string]jsonrpc.Code)
		}
		s.codes[name] = code(e)
	})
}

func (s *started) ended(name string) (jsonrpc.Code, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, ok := s.codes[name]
	return c, ok
}

// expect waits until nothing moves without time passing, then looks.
func (s *started) expect(t *testing.T, when string, want map[string]jsonrpc.Code, names ...string) {
	t.Helper()
	synctest.Wait()
	for _, name := range names {
		got, ended := s.ended(name)
		if code, must := want[name]; ended != must || got != code {
			t.Errorf("%s: %s has ended: %v, code %d; want %v, code %d", when, name, ended, got, must, code)
		}
	}
}

func embedding1(c any, id string) *target.Call {
	return request(c, `{"id":`+id+`,"method":"embed","params":{"inputs":["a"]}}`)
}

func cancelling(t *testing.T, d *Dialect, c any, session, id string) {
	t.Helper()
	call := request(c, `{"method":"notifications/cancel","params":{"id":`+id+`,"reason":"test"}}`)
	call.Session = session
	if e := d.Admit(t.Context(), call); e != nil {
		t.Fatal(e)
	}
	if _, e := d.Run(t.Context(), call, nil); e != nil {
		t.Fatal(e)
	}
}

// One slot, held for an hour: one call is served, the others wait for it.
const slow = `{"slots":1,"service":{"embed":"1h"}}`

func TestCancelStopsWhatIsServedAndWhatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDialect(t, slow)
		c, other := d.Connect(target.HTTP), d.Connect(target.HTTP)
		var s started
		for i := range 3 {
			s.run(t, d, fmt.Sprint(i), embedding1(c, fmt.Sprint(i)))
			synctest.Wait()
		}
		s.run(t, d, "other 1", embedding1(other, "1"))
		all := []string{"0", "1", "2", "other 1"}

		cancelling(t, d, c, "", "7")
		s.expect(t, "an id that nobody has", nil, all...)
		cancelling(t, d, c, "", `"1"`)
		s.expect(t, "a string for a number", nil, all...)
		cancelling(t, d, c, "", "1")
		want := map[string]jsonrpc.Code{"1": cancelled}
		s.expect(t, "one that waits", want, all...)
		cancelling(t, d, c, "", "1")
		s.expect(t, "one that has ended", want, all...)
		cancelling(t, d, c, "", "0")
		want["0"] = cancelled
		s.expect(t, "the one that is served", want, all...)

		s.done.Wait() // hours later
		want["2"], want["other 1"] = 0, 0
		s.expect(t, "at the end", want, all...)
		tables := []*flights{&c.(*conn).flights, &other.(*conn).flights, &d.bySession}
		for i, table := range tables {
			if len(table.byKey) > 0 {
				t.Errorf("table %d still holds %d keys", i, len(table.byKey))
			}
		}
	})
}

// A cancel that arrives between admission and run counts, one that came before
// the request does not: members take effect in request order.
func TestCancelWithinABatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDialect(t, slow)
		c := d.Connect(target.HTTP)
		cancelling(t, d, c, "", "1")
		first, second := embedding1(c, "1"), embedding1(c, "2")
		for _, call := range []*target.Call{first, second} {
			if e := d.Admit(t.Context(), call); e != nil {
				t.Fatal(e)
			}
		}
		cancelling(t, d, c, "", "2")
		if _, e := d.Run(t.Context(), first, nil); e != nil {
			t.Errorf("cancelled before it was sent: %d", e.Code)
		}
		if _, e := d.Run(t.Context(), second, nil); code(e) != cancelled {
			t.Errorf("cancelled before it ran: code %d", code(e))
		}
	})
}

func TestCancelReach(t *testing.T) {
	for _, row := range []struct {
		name             string
		sameConn         bool
		session, cancels string
		want             bool
	}{
		{"the same connection", true, "", "", true},
		{"the same connection, other sessions", true, "s", "t", true},
		{"another connection", false, "", "", false},
		{"another connection, the same session", false, "s", "s", true},
		{"another connection, another session", false, "s", "t", false},
		{"another connection, only the request has a session", false, "s", "", false},
		{"another connection, only the cancel has a session", false, "", "s", false},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := newDialect(t, slow)
				c := d.Connect(target.HTTP)
				from := c
				if !row.sameConn {
					from = d.Connect(target.HTTP)
				}
				call := embedding1(c, "1")
				call.Session = row.session
				var s started
				s.run(t, d, "it", call)
				synctest.Wait()
				cancelling(t, d, from, row.cancels, "1")
				s.done.Wait()
				if got, _ := s.ended("it"); (got == cancelled) != row.want {
					t.Errorf("code %d", got)
				}
				if len(d.bySession.byKey) > 0 {
					t.Errorf("the session table still holds %d keys", len(d.bySession.byKey))
				}
			})
		})
	}
}

// Requests with one id are all cancelled, and each is answered.
func TestCancelOfADuplicateID(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDialect(t, slow)
		c := d.Connect(target.HTTP)
		var s started
		s.run(t, d, "a", embedding1(c, "1"))
		s.run(t, d, "b", embedding1(c, "1.0"))
		s.run(t, d, "c", embedding1(c, "2"))
		cancelling(t, d, c, "", "10e-1")
		s.expect(t, "both", map[string]jsonrpc.Code{"a": cancelled, "b": cancelled}, "a", "b", "c")
		s.done.Wait()
	})
}

// A client that has gone and a deadline stop a call too.
func TestContextStopsACall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDialect(t, slow)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		call := embedding1(d.Connect(target.HTTP), "1")
		if e := d.Admit(ctx, call); e != nil {
			t.Fatal(e)
		}
		if _, e := d.Run(ctx, call, nil); code(e) != cancelled {
			t.Errorf("context ended: code %d", code(e))
		}
		ctx, cancel = context.WithTimeout(t.Context(), 1)
		defer cancel()
		if _, e := d.Run(ctx, call, nil); code(e) != timeout {
			t.Errorf("deadline passed: code %d", code(e))
		}
	})
}

// Ids of one row are one id, ids of different rows are not.
func TestIDKey(t *testing.T) {
	rowOf := make(map[string]int)
	for row, same := range [][]string{
		{`1`, `1.0`, `1e0`, `10E-1`, `0.1e+1`, `100e-02`},
		{`0`, `-0`, `0.000`, `0e99999999999999999999`},
		{`-1`, `-1.0`},
		{`10`},
		{`1000`, `1e3`, `1E+3`},
		{`0.5`, `5e-1`, `0.50`},
		{`9007199254740992`},
		{`9007199254740993`, `9007199254740993.0`},
		{`1e9999999999999999999`},
		{`1e9999999999999999998`},
		{`"1"`, `"\u0031"`},
		{`"1e0"`},
		{`"n1e0"`},
		{`""`},
		{`"é"`, `"\u00e9"`},
	} {
		first := idKey([]byte(same[0]))
		if other, taken := rowOf[first]; taken {
			t.Errorf("%s has the key of row %d", same[0], other)
		}
		rowOf[first] = row
		for _, id := range same {
			if got := idKey([]byte(id)); got != first {
				t.Errorf("%s has key %q, %s has %q", id, got, same[0], first)
			}
		}
	}
}
