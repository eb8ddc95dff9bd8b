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
	if a.Kind == jsonrpc.ErrorObject {
		c.words = strconv.AppendInt(c.words, a.Code, 10)
		c.words = append(c.words, ' ')
	}
	if text, ok := jsonrpc.Unquote(a.Message); ok {
		c.words = append(c.words, text...)
	} else {
		c.words = append(c.words, a.Message...)
	}
	if a.Data != nil {
		c.words = append(c.words, ": "...)
		if text, ok := jsonrpc.Unquote(a.Data); ok {
			c.words = append(c.words, text...)
		} else {
			c.words = append(c.words, a.Data...)
		}
	}
	c.words = cut(c.words)
}

// explain gives the words for a call that failed.
func (c *correlator) explain(class results.Class, reply transport.Reply, err error) string {
	b := c.buffer[:0]
	switch class {
	case results.HTTPError, results.MalformedResponse:
		switch {
		case err != nil:
			b = append(b, err.Error()...)
		case class == results.MalformedResponse && c.answers > 0 && c.junk == 0:
			b = append(b, "a member that was sent malformed was answered with a result"...)
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
		b = append(b, c.missing(&reply)...)
		b = c.quote(b)
	case results.Duplicate:
		b = append(b, "entries were answered more than once"...)
		b = c.quote(b)
	case results.UnknownID:
		if c.foreign {
			b = append(b, "an answer carries an id that was not sent"...)
		} else {
			b = append(b, "an answer carries no id"...)
		}
		b = c.quote(b)
	case results.RPCError, results.ResultError, results.BatchError:
		b = append(b, c.words...)
	case results.RateLimited:
		if c.answers > 0 {
			b = append(b, c.words...)
		} else {
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

// missing says how answers are missing.
func (c *correlator) missing(reply *transport.Reply) string {
	switch {
	case c.answers > 0:
		return "answers are missing"
	case len(reply.Body) == 0:
		return "the reply is empty, and all answers are missing"
	case len(bytes.Trim(reply.Body, " \t\r\n")) == 0:
		return "the reply is white space, and all answers are missing"
	}
	return "the reply is an empty array, and all answers are missing"
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

// quote adds what the node said, if it said anything.
func (c *correlator) quote(b []byte) []byte {
	if len(c.words) == 0 || c.owed {
		return b
	}
	return append(append(b, "; the node says: "...), c.words...)
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
