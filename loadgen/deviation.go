package loadgen

import (
	"strings"

	"volley/loadgen/transport"
	"volley/results"
)

// What of a reply departs from the protocol, or from what the plan expects, and fails
// nothing.

// emptyReply looks at the status of a reply without a body, which is good where no
// answer was due.
func (c *correlator) emptyReply(status int, good bool) {
	want := c.expect.EmptyStatus
	if good && want != 0 && status != want && c.m.due() == 0 {
		c.strange.Add(results.StatusOfNothing)
	}
}

// unwrapped looks at whether a batch of one was answered by a bare object, or a bare
// request by an array.
func (c *correlator) unwrapped(array bool) {
	switch {
	case !array && c.m.batch && len(c.m.members) == 1 && c.lone.entry >= 0 && !c.expect.UnwrappedOne:
		c.strange.Add(results.Unwrapped)
	case array && !c.m.batch:
		c.strange.Add(results.Wrapped)
	}
}

// looks looks at what a body with answers comes as.
func (c *correlator) looks(reply *transport.Reply) {
	if reply.ContentType != c.media {
		c.media, c.foreignMedia = reply.ContentType, !isJSON(reply.ContentType)
	}
	if c.foreignMedia {
		c.strange.Add(results.ContentType)
	}
	if len(reply.Body) > results.HugeBody {
		c.strange.Add(results.Huge)
	}
}

// isJSON tells content types that JSON-RPC comes under; "" is that of a transport
// without any.
func isJSON(contentType string) bool {
	media, _, _ := strings.Cut(contentType, ";")
	switch media = strings.ToLower(strings.TrimSpace(media)); media {
	case "", "application/json", "application/json-rpc", "application/jsonrequest":
		return true
	}
	return strings.HasSuffix(media, "+json")
}

// oddity gives an example of what is strange in a reply: see results.Outcome.
func (c *correlator) oddity(reply *transport.Reply) string {
	switch {
	case c.strange.Has(results.ContentType):
		return reply.ContentType
	case c.strange.Has(results.Huge):
		return results.Count(uint64(len(reply.Body))) + " bytes"
	}
	return ""
}

// ordered looks at where an answer to entry i stands among those before it.
func (c *correlator) ordered(i int) {
	switch {
	case i >= c.highest:
	case c.expect.InOrder:
		c.strange.Add(results.OutOfOrder)
	default:
		c.strange.Add(results.Reordered)
	}
	c.highest = max(c.highest, i)
}

// putUpWith takes an answer without an id for one to a notification, if the plan puts
// up with that and one is left.
func (c *correlator) putUpWith() bool {
	if !c.expect.NotificationAnswers || c.put >= c.m.notifications {
		return false
	}
	c.put++
	c.strange.Add(results.NotificationAnswered)
	return true
}
