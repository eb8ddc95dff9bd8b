package loadgen

import (
	"strconv"
	"strings"

	"volley/loadgen/transport"
	"volley/results"
)

// What of a reply departs from the protocol, or from what the plan expects, and fails
// nothing.

// emptyReply looks at a reply without a body but white space, which is good where no
// answer was due.
func (c *correlator) emptyReply(reply *transport.Reply, good bool) {
	if good && len(reply.Body) > 0 && c.m.due() == 0 {
		c.strange.Add(results.Blank)
	}
	status, want := reply.Status, c.expect.EmptyStatus
	if good && want != 0 && status != want && c.m.due() == 0 {
		c.strange.Add(results.StatusOfNothing)
		if status != c.status {
			c.status, c.statusText = status, strconv.Itoa(status)
		}
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
		c.media, c.foreignMedia, c.otherMedia = reply.ContentType, !isJSON(reply.ContentType), !isPlainJSON(reply.ContentType)
	}
	switch {
	case c.foreignMedia:
		c.strange.Add(results.ContentType)
	case c.otherMedia:
		c.strange.Add(results.OtherJSON)
	}
	if reply.Chunked {
		c.strange.Add(results.Chunked)
	}
	if reply.UntilClosed {
		c.strange.Add(results.UntilClosed)
	}
	if len(reply.Body) > results.HugeBody {
		c.strange.Add(results.Huge)
	}
}

// isPlainJSON tells the content type that JSON has of its own, or none.
func isPlainJSON(contentType string) bool {
	media, _, _ := strings.Cut(contentType, ";")
	media = strings.TrimSpace(media)
	return media == "" || strings.EqualFold(media, "application/json")
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
	case c.strange.Has(results.StatusOfNothing):
		return c.statusText
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
