package scenario

import "strconv"

// expect reads what is expected of the node's replies where its dialect leaves room.
func (d *decoder) expect(n *node) Expect {
	f, ok := d.mapping(n, expectTable())
	if !ok {
		return Expect{}
	}
	e := Expect{
		InOrder:             d.word(f.or("order"), orders()) == "request",
		UnwrappedOne:        d.boolean(f.or("one_object_for_batch_of_one")),
		NotificationAnswers: d.boolean(f.or("answers_to_notifications")),
	}
	if status := d.word(f.or("empty_for_notifications"), emptyStatuses()); status != "any" {
		e.EmptyStatus, _ = strconv.Atoi(status) // one of the words, or 0 of none
	}
	return e
}

func orders() []string        { return []string{"any", "request"} }
func emptyStatuses() []string { return []string{"any", "200", "204"} }
