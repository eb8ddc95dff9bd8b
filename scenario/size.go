package scenario

import (
	"fmt"
	"math"
	"strings"
)

// maxSize bounds a size; the largest batch that any known node takes is far below.
const maxSize = 1 << 20

// Mean is the expected value of the distribution.
func (d Dist) Mean() float64 {
	switch d.Kind {
	case "choice":
		sum := 0.0
		for _, c := range d.Choices {
			sum += c.Share * float64(c.Value)
		}
		return sum
	case "uniform":
		return float64(d.Min+d.Max) / 2
	case "zipf":
		sum, weights := 0.0, 0.0
		for k := 1; k <= d.Max; k++ {
			w := math.Pow(float64(k), -d.S)
			sum, weights = sum+w*float64(k), weights+w
		}
		return sum / weights
	}
	return float64(d.Value)
}

// Largest is the largest value that can be drawn.
func (d Dist) Largest() int {
	switch d.Kind {
	case "choice":
		most := 0
		for _, c := range d.Choices {
			if c.Share > 0 {
				most = max(most, c.Value)
			}
		}
		return most
	case "uniform", "zipf":
		return d.Max
	}
	return d.Value
}

// dist reads 20, {1: 20%, 20: 80%}, {uniform: [1, 100]} or {zipf: {max: 100, s: 1.1}}.
func (d *decoder) dist(n *node) Dist {
	switch {
	case n.kind == scalar:
		return Dist{Kind: "fixed", Value: d.whole(n, 1, maxSize)}
	case n.kind != mapping || len(n.pairs) == 0:
		d.report(n, "write 20, {1: 20%, 20: 80%}, {uniform: [1, 100]} or {zipf: {max: 100, s: 1.1}}", "want a size, not %s", describe(n))
		return Dist{}
	case n.get("uniform") != nil:
		return d.uniform(n)
	case n.get("zipf") != nil:
		return d.zipf(n)
	}
	return d.choices(n)
}

func (d *decoder) uniform(n *node) Dist {
	f, ok := d.mapping(n, uniformTable())
	bounds := f.given("uniform")
	if !ok || bounds == nil {
		return Dist{}
	}
	if bounds.kind != sequence || len(bounds.items) != 2 {
		d.report(bounds, "write it like {uniform: [1, 100]}", "uniform takes two sizes, the smallest and the largest")
		return Dist{}
	}
	u := Dist{Kind: "uniform", Min: d.whole(bounds.items[0], 1, maxSize), Max: d.whole(bounds.items[1], 1, maxSize)}
	if u.Min > u.Max && u.Max > 0 {
		d.report(bounds, "the smallest comes first", "uniform runs from %d down to %d", u.Min, u.Max)
	}
	return u
}

func (d *decoder) zipf(n *node) Dist {
	f, ok := d.mapping(n, zipfTable())
	if !ok || f.given("zipf") == nil {
		return Dist{}
	}
	parts, ok := d.mapping(f.given("zipf"), zipfParts())
	if !ok {
		return Dist{}
	}
	z := Dist{Kind: "zipf", Max: d.whole(parts.given("max"), 1, maxSize)}
	if s, ok := d.number(parts.or("s")); ok {
		if z.S = s; s > 20 {
			d.report(parts.given("s"), "", "an exponent over 20 leaves size 1 alone")
		}
	}
	return z
}

func (d *decoder) choices(n *node) Dist {
	c := Dist{Kind: "choice"}
	sum, sound := 0.0, true
	for _, p := range n.pairs {
		if p.key.quoted || !decimalInt.MatchString(p.key.text) {
			d.report(p.key, suggest(p.key.text, []string{"uniform", "zipf"}), "%s is no size: sizes are whole numbers, each with its share", clip(p.key.text))
			sound = false
			continue
		}
		before := len(d.problems)
		choice := Choice{Value: d.whole(p.key, 1, maxSize)}
		if p.value.given() {
			choice.Share = d.share(p.value)
		} else {
			d.report(p.key, "write it like "+p.key.text+": 20%", "size %s has no share", p.key.text)
		}
		sound = sound && len(d.problems) == before
		sum += choice.Share
		c.Choices = append(c.Choices, choice)
	}
	if !sound {
		return Dist{}
	}
	// Shares given to a tenth of a percent may miss the whole by as much.
	if math.Abs(sum-1) > 0.001+1e-9 {
		hint := percent(1-sum) + " are missing"
		if sum > 1 {
			hint = percent(sum-1) + " are too many"
		}
		d.report(n, hint, "the shares add up to %s, not to 100%%", percent(sum))
		return Dist{}
	}
	if math.Abs(sum-1) > 1e-9 {
		for i := range c.Choices {
			c.Choices[i].Share /= sum
		}
	}
	return c
}

func percent(v float64) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.3f", v*100), "0"), ".") + "%"
}

// sizes reads size and items and holds them against form, mix and limits.
func (d *decoder) sizes(p *Plan, f fields) {
	size, items := f.given("size"), f.given("items")
	before := len(d.problems)
	p.Size, p.Items = d.dist(f.or("size")), d.dist(f.or("items"))
	if len(d.problems) > before || p.Form == "" {
		return
	}
	switch p.Form {
	case Single:
		if size != nil && p.Size.Largest() != 1 {
			d.report(size, "did you mean form: batch?", "form single has size 1: one request with one item")
		}
	case Array, Batch:
		if size == nil {
			d.warn("form %s without size: every one has size 1", p.Form)
		}
	}
	if items != nil && p.Form != Batch {
		d.report(items, "in form array the number of items is size", "items belongs to form batch: how many items each entry carries")
		return
	}
	d.rowsTakeItems(p, f, items)
	d.withinLimits(p, size, items)
}

// rowsTakeItems refuses more items than one where a row has no place for them.
func (d *decoder) rowsTakeItems(p *Plan, f fields, items *node) {
	rows := f.given("mix")
	if rows == nil || rows.kind != sequence || len(rows.items) != len(p.Mix) {
		return
	}
	for i, m := range p.Mix {
		switch {
		case m.Params.takesItems() || m.Method == "":
		case p.Form == Array && p.Target.Dialect == "near":
			d.report(rows.items[i], "use form: batch", "NEAR has no array parameters: form array cannot put items into method %s", m.Method)
		case p.Form == Array:
			d.report(rows.items[i], "for instance params: {inputs: {items: {pick: sentences}}}", "form array needs {items: ...} somewhere in the params of method %s", m.Method)
		case items != nil && p.Items.Largest() > 1:
			d.report(rows.items[i], "for instance params: {inputs: {items: {pick: sentences}}}", "items has no place in method %s: its params hold no {items: ...}", m.Method)
		}
	}
}
