package loadgen

import (
	"bytes"

	"volley/internal/jsonrpc"
	"volley/loadgen/transport"
	"volley/results"
	"volley/scenario"
)

// correlator decides what became of a call and of each of its entries. It is not
// safe for concurrent use; each caller has one, and it allocates nothing for a
// call that went well.
//
// The rules, in the order in which they apply:
//
//   - An exchange without an answer gives its class to every entry.
//   - An empty body (white space included) answers nothing: with a 2xx status
//     notifications are notified and all else is missing; else it is an HTTP error.
//   - A body without a single JSON-RPC answer in it is a malformed response, or,
//     when the status is not 2xx, an HTTP error. A body with one is judged by its
//     answers whatever the status says: NEAR answers singletons with 400, 408, 422
//     and 500.
//   - A batch answered as a whole by one error object is a batch-level error:
//     see batchLevel.
//   - Answers are matched by id, as integers: our ids are unsigned and contiguous
//     within a call, so that the entry is found by subtraction. 7, 7.0 and 7e0 are
//     the same id (JSON has one kind of number and servers re-encode them); "7" is not. The
//     first answer to an entry counts; a further one makes it a duplicate entry.
//   - A member that was sent malformed is owed a rejection: an error -32600 or
//     -32700 with its own id or without one. Those without an id are matched
//     by count. Another error code is an rpc error; a result, which says that the
//     node ran what it should have refused, is a malformed response.
//   - An error that says that a rate was passed is rate limited, and no rpc error or
//     batch-level error, and so is a reply with HTTP 429 without an answer; see overRate.
//   - An error without an id answers a singleton: HTTP leaves no doubt which
//     request is meant. A notification refused this way is an rpc error.
//   - Where the plan puts up with answers to notifications, one without an id for each
//     notification is a deviation; see [scenario.Expect].
//   - Any other answer has an unknown id: one that was not sent, a notification's
//     included, or none. As many entries without an answer have an unknown id in place of
//     a missing answer, which ones nobody can tell; further answers are surplus.
type correlator struct {
	expect  scenario.Expect
	limits  []int64 // the codes by which the dialect says that a rate was passed
	eip1474 bool    // the dialect is that of -32005, by which some say so too

	m     *message
	state []results.Class // by entry; pending until an answer decides
	code  []int64         // by entry, of rpc errors and rejections
	each  func(*jsonrpc.Answer)

	scanner jsonrpc.Scanner

	answers int    // elements that are JSON-RPC answers
	junk    int    // elements that are not
	surplus int    // answers to nothing that was asked
	unknown int    // answers of an unknown id
	foreign bool   // one of them had an id
	nulls   []bare // errors without an id
	limited bool   // the status is 429
	broken  bool   // the body is no JSON, or not whole
	asOne   bool   // one error object answered the whole batch
	highest int    // the highest entry that was answered
	put     int    // answers to notifications that were put up with
	strange results.Deviations
	lone    lone // the last answer; meant for a reply that has but one

	media        string // the last content type
	foreignMedia bool   // it is not JSON's
	otherMedia   bool   // it is not application/json
	status       int    // the last that was not the expected one
	statusText   string // of it

	words    []byte // of the first error met that was not owed, or else the first
	spoken   int    // where in words the message begins, behind the code
	owed     bool   // words are of one that was
	stranger []byte // what the first answer of an unknown id is
	buffer   []byte
	detail   string // the last Outcome.Detail, kept so that a repetition costs nothing
	codes    []results.CodeCount
	parts    []results.Part
}

// pending is the state of an entry that has no answer yet.
const pending = results.Class(255)

// bare is an error without an id.
type bare struct {
	code    int64
	limited bool
}

// lone is what batchLevel has to know of the only answer.
type lone struct {
	kind jsonrpc.AnswerKind
	bare
	idles bool // no id, or null
	entry int  // -1: not ours
}

func newCorrelator() *correlator {
	c := &correlator{}
	c.each = c.answer
	return c
}

// judge is the one place where outcomes are decided. It sets all of the outcome that
// hangs on the reply; Parts and Codes are valid until the next call.
func (c *correlator) judge(m *message, reply transport.Reply, err error, o *results.Outcome) {
	c.begin(m)
	o.ByClass, o.MissingMalformed = [results.NumClasses]int{}, 0
	o.HTTPStatus, o.BytesIn = reply.Status, len(reply.Body)
	class, whole := c.exchange(reply, err)
	if reply.Uninvited {
		c.strange.Add(results.NoContinue)
	}
	if whole {
		c.surplus = 0
		o.ByClass[class] = len(m.members)
		if c.asOne {
			c.addCode(c.lone.code)
		}
	} else {
		c.settle(o)
		class = c.gravest(o)
	}
	c.divide(o)
	o.Class, o.Codes, o.AsOne, o.Surplus, o.Deviations = class, c.codes, c.asOne, c.surplus, c.strange
	o.Detail, o.Oddity = "", ""
	if c.strange != 0 {
		o.Oddity = c.oddity(&reply)
	}
	if class.Failed() {
		o.Detail = c.explain(class, reply, err)
	}
}

func (c *correlator) begin(m *message) {
	n := len(m.members)
	if cap(c.state) < n {
		c.state, c.code = make([]results.Class, n), make([]int64, n)
	}
	c.state, c.code = c.state[:n], c.code[:n]
	for i := range c.state {
		c.state[i] = pending
	}
	c.m = m
	c.answers, c.junk, c.surplus, c.unknown, c.foreign = 0, 0, 0, 0, false
	c.nulls, c.words, c.codes, c.stranger = c.nulls[:0], c.words[:0], c.codes[:0], c.stranger[:0]
	c.highest, c.put, c.strange = 0, 0, 0
	c.lone, c.owed, c.asOne, c.limited, c.broken = lone{}, false, false, false, false
}

// exchange reads the reply. whole says that class is the call's and every entry's.
func (c *correlator) exchange(reply transport.Reply, err error) (class results.Class, whole bool) {
	if err != nil {
		return failureClass(err), true
	}
	good := reply.Status >= 200 && reply.Status <= 299
	none := results.HTTPError // what a body without an answer is
	switch {
	case good:
		none = results.MalformedResponse
	case reply.Status == tooManyRequests:
		none, c.limited = results.RateLimited, true
	}
	if len(bytes.Trim(reply.Body, " \t\r\n")) == 0 {
		c.emptyReply(&reply, good)
		return none, !good
	}
	batch, n, err := c.scanner.ScanReply(reply.Body, c.each)
	if err != nil {
		// Of a text that cannot be trusted nothing is said.
		c.answers, c.words, c.strange, c.broken = 0, c.words[:0], 0, true
		return none, true
	}
	if c.answers == 0 && (n > 0 || !good) {
		return none, true
	}
	if n == 1 && c.batchLevel(batch) {
		c.asOne = true
		if c.lone.limited {
			return results.RateLimited, true
		}
		return results.BatchError, true
	}
	c.unwrapped(batch)
	c.looks(&reply)
	return results.OK, false
}

// batchLevel tells whether the one answer in a reply refuses the batch as a whole:
//
//   - a bare error object without an id, or with the id of an entry, except where
//     it is the due answer itself, unwrapped, as some servers send the answer of a
//     batch that asks for one (an entry's own id, or -32600 for a malformed one);
//   - an array of one error where more answers were due: without an id, when nothing
//     was sent malformed, or -32600 with the first request's id, as geth words
//     "batch too large". Nothing is wrong with our requests, so it is not that
//     one's own error.
func (c *correlator) batchLevel(array bool) bool {
	a := c.lone
	if !c.m.batch || a.kind != jsonrpc.ErrorObject || !a.idles && a.entry < 0 {
		return false
	}
	due := c.m.due()
	if array {
		if due < 2 {
			return false
		}
		if a.idles {
			return c.m.malformed == 0
		}
		return a.code == int64(jsonrpc.InvalidRequest) && a.entry == c.firstRequest()
	}
	if a.idles {
		return !(len(c.m.members) == 1 && c.m.malformed == 1 && a.code == int64(jsonrpc.InvalidRequest))
	}
	return due > 1
}

func (c *correlator) firstRequest() int {
	for i, k := range c.m.members {
		if k == request {
			return i
		}
	}
	return -1
}

// answer takes one element of the reply.
func (c *correlator) answer(a *jsonrpc.Answer) {
	if a.Kind == jsonrpc.NotAnAnswer {
		c.junk++
		return
	}
	c.answers++
	if a.NullError {
		c.strange.Add(results.NullError)
	}
	idless := a.IDKind == jsonrpc.Absent || a.IDKind == jsonrpc.Null
	i, ours := c.entry(a)
	// A rejection that was asked for explains nothing, unless it is all that came.
	owed := c.m.malformed > 0 && a.Kind == jsonrpc.ErrorObject && rejection(a.Code) && (ours && c.m.members[i].malformed() || !ours && idless)
	if a.Kind != jsonrpc.Result && (len(c.words) == 0 || c.owed && !owed) {
		c.words, c.owed = c.words[:0], owed
		c.keepWords(a)
	}
	b := bare{code: a.Code, limited: a.Kind == jsonrpc.ErrorObject && c.overRate(a)}
	c.lone = lone{kind: a.Kind, bare: b, idles: idless, entry: -1}
	switch {
	case ours:
		c.lone.entry = i
		c.ordered(i)
		c.match(i, a, b)
	case idless && a.Kind == jsonrpc.ErrorObject:
		c.nulls = append(c.nulls, b)
		if c.m.malformed == 0 || !rejection(a.Code) {
			c.meet(a)
		}
	case idless && c.putUpWith():
	default:
		c.unknown++
		c.foreign = c.foreign || !idless
		c.meet(a)
	}
}

// settle decides what is still pending and adds up. Errors without an id go to
// malformed members by count, and to the only entry of a singleton.
func (c *correlator) settle(o *results.Outcome) {
	next := 0 // among the malformed members
	for _, b := range c.nulls {
		code := b.code
		i := -1
		switch {
		case !c.m.batch && c.m.notifications > 0 && c.putUpWith():
			continue
		case !c.m.batch && c.state[0] == pending:
			i = 0
		case rejection(code):
			for next < len(c.state) && (c.state[next] != pending || !c.m.members[next].malformed()) {
				next++
			}
			if next < len(c.state) {
				i = next
			}
		}
		switch {
		case i < 0 && c.putUpWith():
		case i < 0:
			c.unknown++
		case c.m.members[i].malformed() && rejection(code):
			c.state[i], c.code[i] = results.Rejected, code
		default:
			c.state[i], c.code[i] = b.class(), code
		}
	}
	unknown := c.unknown
	for i, class := range c.state {
		switch {
		case class == pending && c.m.members[i] == notification:
			class = results.Notified
		case class == pending && unknown > 0:
			class = results.UnknownID
			unknown--
		case class == pending:
			class = results.Missing
			if c.m.members[i].malformed() {
				o.MissingMalformed++
			}
		case class == results.RPCError || class == results.RateLimited || class == results.Rejected:
			c.addCode(c.code[i])
		}
		c.state[i] = class
		o.ByClass[class]++
	}
	c.surplus += c.junk + unknown
}

func (c *correlator) addCode(code int64) {
	for i := range c.codes {
		if c.codes[i].Code == code {
			c.codes[i].Count++
			return
		}
	}
	c.codes = append(c.codes, results.CodeCount{Code: code, Count: 1})
}

// gravity orders the classes that entries of one call can have, the gravest
// first: what says that the node's account of the batch cannot be trusted before
// what it says went wrong, and that before what went well.
var gravity = [...]results.Class{
	results.MalformedResponse, results.Missing, results.Duplicate, results.UnknownID,
	results.RateLimited, results.RPCError, results.ResultError,
	results.OK, results.Rejected, results.Notified,
}

func (c *correlator) gravest(o *results.Outcome) results.Class {
	for _, class := range gravity {
		switch {
		case o.ByClass[class] > 0,
			class == results.UnknownID && c.unknown > 0,
			class == results.MalformedResponse && c.junk > 0:
			return class
		}
	}
	return results.Notified // no entries, no answers
}
