package selfcheck

import "time"

// countWindow is the window of the index of dispersion of counts.
const countWindow = 100 * time.Millisecond

// restart is the silence after which a count of windows starts anew, so that a
// clock gone wrong can't ask for ages of empty windows.
const restart = time.Hour

// planCounts compares the sends in each whole window with what the plan expects
// of it. The sends' instants must not fall.
type planCounts struct {
	started  bool
	window   int64   // the one being counted
	n        float64 // sends in it
	left     float64 // expected up to its start
	squares  float64 // sum of (n - expected)^2
	expected float64
	windows  int64
}

func (c *planCounts) add(sent time.Duration, expected func(time.Duration) float64) {
	w := int64(sent / countWindow)
	if !c.started || w-c.window > int64(restart/countWindow) {
		// The window in which counting begins was not seen whole.
		c.started, c.window, c.n = true, w+1, 0
		c.left = expected(time.Duration(w+1) * countWindow)
		return
	}
	for ; c.window < w; c.window++ {
		right := expected(time.Duration(c.window+1) * countWindow)
		// A plan that falls or is no number says nothing of this window.
		if m := right - c.left; m >= 0 && finite(m) {
			c.squares += (c.n - m) * (c.n - m)
			c.expected += m
			c.windows++
		}
		c.left, c.n = right, 0
	}
	if w == c.window {
		c.n++
	}
}

// heldWindows is how many windows a send may be late, or early, and still be
// counted in the window of its due time: 6.4 s.
const heldWindows = 64

// dueCounts compares the sends in each window with the calls due in it, from the
// window after the first send's to the last due time's: outside of those a call
// that is merely late would count as a bunch. Windows stay open for heldWindows
// after they ended, since a due time is only known with its send.
type dueCounts struct {
	started bool
	first   int64              // the window of the first send
	oldest  int64              // the first window still open
	newest  int64              // the last one seen
	due     int64              // the last in which a call was due
	diff    [heldWindows]int64 // sent less due, of window w at w mod heldWindows
	squares float64            // of the windows closed
	closed  int64
	sends   int64
}

func (c *dueCounts) add(due, sent time.Duration) {
	d, s := int64(due/countWindow), int64(sent/countWindow)
	if !c.started || max(d, s)-c.newest > int64(restart/countWindow) {
		squares, closed := c.totals()
		*c = dueCounts{started: true, first: s, squares: squares, closed: closed, sends: c.sends}
		c.oldest = max(min(d, s), max(d, s)-heldWindows+1)
	}
	c.newest, c.due = max(c.newest, d, s), max(c.due, d)
	for ; c.oldest+heldWindows <= c.newest; c.oldest++ {
		slot := &c.diff[c.oldest%heldWindows]
		if c.oldest > c.first {
			c.squares += float64(*slot) * float64(*slot)
			c.closed++
		}
		*slot = 0
	}
	c.diff[max(s, c.oldest)%heldWindows]++
	c.diff[max(d, c.oldest)%heldWindows]--
	c.sends++
}

// totals is the sum of (sent - due)^2 over the windows compared so far.
func (c *dueCounts) totals() (squares float64, windows int64) {
	squares, windows = c.squares, c.closed
	for w := max(c.oldest, c.first+1); w <= c.due; w++ {
		d := float64(c.diff[w%heldWindows])
		squares += d * d
		windows++
	}
	return squares, windows
}
