package loadgen

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"

	"volley/internal/jsonrpc"
	"volley/loadgen/transport"
	"volley/results"
)

// longestWords bounds, in bytes, what is kept of the node's own words.
const longestWords = 300

// keepWords keeps what an error answer says.
func (c *correlator) keepWords(a *jsonrpc.Answer) {
	c.words, c.spoken = appendError(c.words, a)
	c.words = cut(c.words)
}

// appendError writes an error's code and words; spoken is where the words begin.
func appendError(b []byte, a *jsonrpc.Answer) (_ []byte, spoken int) {
	if a.Kind == jsonrpc.ErrorObject {
		b = append(strconv.AppendInt(b, a.Code, 10), ' ')
	}
	spoken = len(b)
	b = appendText(b, a.Message)
	if a.Data != nil {
		b = appendText(append(b, ": "...), a.Data)
	}
	return b, spoken
}

// appendText writes a string as it reads, and other JSON as it stands.
func appendText(b, raw []byte) []byte {
	if text, ok := jsonrpc.Unquote(raw); ok {
		return append(b, text...)
	}
	return append(b, raw...)
}

// meet keeps what the first answer is that nobody seems to have asked for.
func (c *correlator) meet(a *jsonrpc.Answer) {
	if len(c.stranger) > 0 {
		return
	}
	b := append(c.stranger, "with the id "...)
	if a.IDKind == jsonrpc.Absent || a.IDKind == jsonrpc.Null {
		b = append(c.stranger, "without an id"...)
	} else {
		b = append(b, a.ID[:min(len(a.ID), longestID)]...)
	}
	if a.Kind == jsonrpc.ErrorObject {
		b, _ = appendError(append(b, ": "...), a)
	} else {
		b = append(b, ": a result"...)
	}
	c.stranger = cut(b)
}

// longestID bounds, in bytes, what is shown of an id that was not sent.
const longestID = 40

// explain gives the words for a call that failed.
func (c *correlator) explain(class results.Class, reply transport.Reply, err error) string {
	b := c.buffer[:0]
	switch class {
	case results.HTTPError, results.MalformedResponse:
		switch {
		case err != nil:
			b = append(b, err.Error()...)
		case class == results.MalformedResponse && c.answers > 0 && c.junk == 0:
			b = append(b, "an entry sent malformed was answered with a result, as a request would be"...)
		default:
			b = append(b, "HTTP "...)
			b = strconv.AppendInt(b, int64(reply.Status), 10)
			if c.broken && class == results.MalformedResponse && reply.Encoding == "" {
				b = append(b, ", not JSON or cut short"...)
			}
			b = append(b, ": "...)
			b = appendUnread(b, &reply)
		}
	case results.Missing:
		b = c.appendMissing(b, &reply)
	case results.Duplicate:
		n := 0
		for _, class := range c.state {
			if class == results.Duplicate {
				n++
			}
		}
		b = c.appendOf(b, n)
		b = append(b, " answered more than once"...)
	case results.UnknownID:
		b = c.appendUnknown(b)
	case results.RPCError, results.ResultError:
		b = append(b, c.words...)
	case results.BatchError:
		b = c.appendRefused(b, "batch refused: ")
	case results.RateLimited:
		switch {
		case c.asOne:
			b = c.appendRefused(b, "batch refused as over a rate: ")
		case c.answers > 0:
			b = append(b, c.words...)
		default:
			b = appendUnread(append(b, "HTTP 429: "...), &reply)
		}
	case results.CutOff:
		// The end of the run says nothing of the node.
	default:
		if err != nil {
			b = append(b, err.Error()...)
		}
	}
	c.buffer = cut(b)
	if string(c.buffer) != c.detail {
		c.detail = string(c.buffer)
	}
	return c.detail
}

// appendRefused tells of a batch that one error answered as a whole: in the node's own
// words, if it has any.
func (c *correlator) appendRefused(b []byte, lead string) []byte {
	words := c.words[min(c.spoken, len(c.words)):]
	b = append(b, lead...)
	if len(bytes.TrimSpace(words)) == 0 {
		words = []byte("the node says nothing more")
	}
	b = append(b, words[:min(len(words), longestWords-80)]...)
	b = append(b, " ("...)
	b = append(b, entries(len(c.m.members))...)
	if c.m.malformed > 0 {
		b = append(append(b, ", "...), results.Count(uint64(c.m.malformed))...)
		b = append(b, " of them sent malformed"...)
	}
	b = append(b, "), code "...)
	return strconv.AppendInt(b, c.lone.code, 10)
}

// appendOf writes "2 of 20 entries were".
func (c *correlator) appendOf(b []byte, n int) []byte {
	b = append(b, results.Count(uint64(n))...)
	b = append(b, " of "...)
	b = append(b, results.Count(uint64(len(c.m.members)))...)
	switch {
	case len(c.m.members) == 1:
		return append(b, " entry was"...)
	case n == 1:
		return append(b, " entries was"...)
	}
	return append(b, " entries were"...)
}

// appendMissing says how answers are missing, and to entries of which kind.
func (c *correlator) appendMissing(b []byte, reply *transport.Reply) []byte {
	missing, malformed, kind, kinds := 0, 0, request, 0
	for i, class := range c.state {
		if class != results.Missing {
			continue
		}
		missing++
		if k := c.m.members[i]; k.malformed() {
			malformed++
			if k != kind {
				kind, kinds = k, kinds+1
			}
		}
	}
	switch {
	case c.answers > 0:
	case len(reply.Body) == 0:
		b = append(b, "the reply is empty: "...)
	case len(bytes.Trim(reply.Body, " \t\r\n")) == 0:
		b = append(b, "the reply is nothing but white space: "...)
	default:
		b = append(b, "the reply is an empty array: "...)
	}
	b = c.appendOf(b, missing)
	b = append(b, " not answered"...)
	switch {
	case malformed == 0:
	case malformed == missing && missing == 1:
		b = append(b, ", one that was sent malformed"...)
	case malformed == missing:
		b = append(b, ", all of them sent malformed"...)
	default:
		b = append(append(b, ", "...), results.Count(uint64(malformed))...)
		b = append(b, " of them sent malformed"...)
	}
	if kinds == 1 {
		b = append(b, kindsOfMalformed[kind]...)
	}
	if c.answers == 1 && len(c.words) > 0 && !c.owed {
		b = append(append(b, "; the node says: "...), c.words...)
	}
	return b
}

// kindsOfMalformed says how members of a kind are malformed.
var kindsOfMalformed = [...]string{
	mangled: " (without an id)", mangledID: " (with their own id)", mangledTrue: " (with the id true)",
}

// appendUnknown says what an answer is that nobody asked for.
func (c *correlator) appendUnknown(b []byte) []byte {
	b = append(b, "an answer that was not asked for"...)
	if len(c.stranger) > 0 {
		b = append(append(b, ", "...), c.stranger...)
	}
	if !c.foreign && c.m.notifications > 0 && !c.expect.NotificationAnswers {
		b = append(b, "; perhaps to a notification, which is owed none (expect.answers_to_notifications puts up with those)"...)
	}
	return b
}

// appendUnread says what a reply is that holds no answer.
func appendUnread(b []byte, reply *transport.Reply) []byte {
	switch {
	case reply.Location != "":
		b = append(append(b, "a redirect to "...), reply.Location...)
		return append(b, ", which is not followed: aim at it if that is the node"...)
	case reply.Encoding != "" && !strings.EqualFold(reply.Encoding, "identity"):
		b = append(append(b, "the body is encoded ("...), reply.Encoding...)
		return append(b, "), which nobody asked for"...)
	}
	return append(b, cut(reply.Body)...)
}

// cut shortens b to longestWords, not within a character.
func cut(b []byte) []byte {
	if len(b) <= longestWords {
		return b
	}
	n := longestWords
	for n > longestWords-utf8.UTFMax && !utf8.RuneStart(b[n]) {
		n--
	}
	return b[:n:n]
}

// struck stands where a secret stood.
const struck = "[secret]"

// printable makes what a node or the system says safe to show and to store: secrets
// are struck out, also the beginning of one at the end of a text that was cut, and
// what could move a terminal's cursor is made visible.
func (r *runner) printable(text string) string {
	for _, secret := range r.Secrets {
		text = strings.ReplaceAll(text, secret, struck)
	}
	text = string(cut([]byte(text)))
	for _, secret := range r.Secrets {
		for n := len(secret) - 1; n >= 4; n-- {
			if rest, ok := strings.CutSuffix(text, secret[:n]); ok {
				text = rest + struck
				break
			}
		}
	}
	return results.Escape(text)
}
