package scenario

import (
	"fmt"
	"regexp"
	"strings"
	"time"
)

// replayed is the Arrivals of a phase with a Replay.
const replayed = "replay"

// maxRate bounds what a phase may ask for, in whatever unit.
const maxRate = 1e7

func (d *decoder) phases(n *node) []Phase {
	var phases []Phase
	names := map[string]bool{}
	for i, item := range d.list(n, "phases") {
		f, ok := d.mapping(item, phaseTable())
		if !ok {
			continue
		}
		p := d.phase(f)
		at := f.given("name")
		if p.Name = fmt.Sprintf("phase %d", i+1); at != nil {
			p.Name = d.text(at)
		} else {
			at = item
		}
		if p.Name != "" && names[p.Name] {
			d.report(at, "phases are told apart by their names", "a second phase is named %s", p.Name)
		}
		names[p.Name] = true
		phases = append(phases, p)
	}
	return phases
}

func (d *decoder) phase(f fields) Phase {
	p := Phase{Measured: d.boolean(f.or("measured")), For: d.duration(f.given("for"), time.Millisecond)}
	rate, callers, arrivalsNode := f.given("rate"), f.given("callers"), f.given("arrivals")
	if replay := f.given("replay"); replay != nil {
		for _, n := range []*node{rate, callers, arrivalsNode} {
			if n != nil {
				d.report(n, "leave it out", "a replayed phase has its calls' due times from its file")
			}
		}
		d.replay(replay, &p)
		return p
	}
	switch {
	case rate != nil && callers != nil:
		d.report(callers, "keep one: a rate is open loop, callers are closed loop", "a phase has a rate or callers, not both")
	case rate == nil && callers == nil:
		d.report(f.node, "for instance rate: 600 entries/s, or callers: 32", "a phase needs a rate, callers or a replay")
	case callers != nil && arrivalsNode != nil:
		d.report(arrivalsNode, "leave it out", "callers have no arrivals: each sends when its last call is done")
	}
	if rate != nil {
		p.Rate, p.To, _ = d.rate(rate)
		p.Arrivals = "constant"
		if arrivalsNode != nil {
			p.Arrivals = d.word(arrivalsNode, arrivals())
		}
	}
	if callers != nil {
		p.Callers = d.whole(callers, 1, 1<<16)
	}
	return p
}

var rateText = func() *regexp.Regexp {
	const number = `([-+]?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)`
	return regexp.MustCompile(`^\s*` + number + `(?:\s*\.\.\s*` + number + `)?\s*(.*?)\s*$`)
}()

// rate reads "600 entries/s" or a ramp, "600..2400 entries/s".
func (d *decoder) rate(n *node) (r Rate, to float64, ramp bool) {
	const hint = "write it like 600 entries/s, 0.5 calls/s or 600..2400 items/s"
	if n.kind != scalar {
		d.report(n, hint, "want a rate, not %s", describe(n))
		return Rate{}, 0, false
	}
	m := rateText.FindStringSubmatch(n.text)
	if m == nil {
		d.report(n, hint, "%s is no rate", clip(n.text))
		return Rate{}, 0, false
	}
	first, second, unit := m[1], m[2], m[3]
	ramp = second != ""
	from, ok := finite(first)
	if to = from; ramp && ok {
		to, ok = finite(second)
	}
	switch {
	case !ok:
		d.report(n, hint, "%s is no rate", clip(n.text))
		return Rate{}, 0, false
	case unit == "":
		d.report(n, "did you mean "+strings.TrimSpace(n.text)+" entries/s? The units are calls/s, entries/s and items/s", "the rate has no unit")
		return Rate{}, 0, false
	}
	r = Rate{Value: from, Unit: Unit(unit)}
	if r.Unit != Calls && r.Unit != Entries && r.Unit != Items {
		d.report(n, suggest(unit, units()), "unknown unit %s", clip(unit))
		return Rate{}, 0, false
	}
	if least := min(from, to); least <= 0 {
		hint := ""
		if ramp {
			hint = "a ramp may start from a small rate, such as 1 " + unit
		}
		d.report(n, hint, "a rate is more than zero")
		return Rate{}, 0, false
	}
	if max(from, to) > maxRate {
		d.report(n, "", "a rate over %.0f is more than one generator can keep", maxRate)
		return Rate{}, 0, false
	}
	return r, to, ramp
}
