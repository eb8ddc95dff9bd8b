package report

import (
	"fmt"
	"io"

	"volley/results"
	"volley/results/study"
)

// Fleet writes how many nodes a rate needs as a page for people.
func Fleet(w io.Writer, f *study.Fleet) error {
	var p page
	unit := results.Escape(f.Unit)
	p.line("%s", wrap("", fmt.Sprintf("%s: a fleet for %s %s", results.Escape(f.Name), results.Rate(f.Rate), unit)))
	p.line("")
	p.line("%s", wrap("", carried(f)))
	bounds := fmt.Sprintf("One node sustains %s %s", results.Rate(f.Lower), unit)
	if f.Upper != nil {
		bounds += fmt.Sprintf(" for certain, and less than %s", results.Rate(*f.Upper))
	}
	p.line("%s", wrap("  ", bounds+"."))
	p.line("")
	if f.NotSimulated != "" {
		p.line("%s", wrap("", "Balancers were not simulated: "+results.Escape(f.NotSimulated)+"."))
	} else {
		p.line("  %-16s%12s%12s  %s", "balancer", "mean", "p99", "objective "+results.Micros(f.LimitUS))
		for _, b := range f.Balancers {
			verdict := "met"
			switch limit := f.LimitUS / 1e6; {
			case b.P99-2*b.P99SE > limit:
				verdict = "missed"
			case b.P99+2*b.P99SE > limit:
				verdict = "on the edge"
			}
			p.line("  %-16s%12s%12s  %s", b.Policy, results.Micros(b.Mean*1e6), results.Micros(b.P99*1e6), verdict)
		}
		p.line("%s", wrap("  ", fmt.Sprintf("Simulated with %s up. A node is taken for one queue with exponential service that just meets the objective at its %s %s: real ones spread otherwise, the order of balancers stays.",
			plural(uint64(f.Up), "node"), results.Rate(f.Lower), unit)))
	}
	p.warnings(f.Warnings)
	_, err := w.Write(p.Bytes())
	return err
}

// carried says how many nodes there are, and how loaded each is with the spares down.
func carried(f *study.Fleet) string {
	carry := "carry"
	if f.Size.Nodes == 1 {
		carry = "carries"
	}
	text := fmt.Sprintf("%s %s %s %s: each of %d at %s of the %s that it sustains for certain", plural(uint64(f.Size.Nodes), "node"), carry,
		results.Rate(f.Rate), results.Escape(f.Unit), f.Up, percent(f.Size.PerNode/f.Lower), results.Rate(f.Lower))
	if f.Spares > 0 {
		text += fmt.Sprintf(", and %d may be down", f.Spares)
	}
	if f.Size.Least == f.Size.Most {
		return text + "."
	}
	return text + fmt.Sprintf(". Whatever one sustains between its bounds, %d to %d would do (5%% to 95%%).", f.Size.Least, f.Size.Most)
}
