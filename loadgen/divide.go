package loadgen

import "volley/results"

// slots are where a call's members are counted apart: malformed ones in slot 0, those of
// row i of the mix in slot 1+i.
const slots = results.MaxRows + 2

// slotOf gives the slot of a row of the mix.
func slotOf(row int) uint8 { return uint8(1 + min(row, results.MaxRows)) }

// divide sets the outcome's Parts. What it costs hangs on the call's entries only
// where the mix has several rows, and then it is a count of bytes; entries are
// looked at one by one only in a call that did not go the same way for all. Parts is
// valid until the next call.
func (c *correlator) divide(o *results.Outcome) {
	m, all := c.m, len(c.m.members)
	c.parts = c.parts[:0]
	switch {
	case all == 0:
	case len(m.slots) == 0:
		c.parts = append(c.parts, results.Part{Entries: all, ByClass: o.ByClass})
	case all == 1:
		c.parts = append(c.parts, results.Part{Row: int(m.slots[0]) - 1, Entries: 1, ByClass: o.ByClass})
	default:
		c.divideRows(o, all)
	}
	o.Parts = c.parts
}

func (c *correlator) divideRows(o *results.Outcome, all int) {
	var count [slots]int
	for _, slot := range c.m.slots {
		count[slot]++
	}
	var at [slots]uint8 // of the slot's part
	for slot, n := range count {
		if n > 0 {
			at[slot] = uint8(len(c.parts))
			c.parts = append(c.parts, results.Part{Row: slot - 1, Entries: n})
		}
	}
	for class, n := range o.ByClass {
		if n == all {
			for i := range c.parts {
				c.parts[i].ByClass[class] = c.parts[i].Entries
			}
			return
		}
	}
	for i := range c.parts {
		c.parts[i].ByClass[results.OK] = c.parts[i].Entries
	}
	for i, class := range c.state {
		if class != results.OK {
			p := &c.parts[at[c.m.slots[i]]]
			p.ByClass[results.OK]--
			p.ByClass[class]++
		}
	}
}
