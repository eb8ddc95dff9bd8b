package loadgen

import "volley/results"

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

// unwrapped looks at whether a batch of one was answered by a bare object.
func (c *correlator) unwrapped(array bool) {
	if !array && c.m.batch && len(c.m.members) == 1 && c.lone.entry >= 0 && !c.expect.UnwrappedOne {
		c.strange.Add(results.Unwrapped)
	}
}

// ordered looks at where an answer to entry i stands among those before it.
func (c *correlator) ordered(i int) {
	if i < c.highest && c.expect.InOrder {
		c.strange.Add(results.OutOfOrder)
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
