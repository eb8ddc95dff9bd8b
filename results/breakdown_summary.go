package results

import "strconv"

// BreakdownRow is what the measured phases were for the entries of one row of the mix
// in calls of one size. Rows add up to Summary.Measured: their entries to its entries,
// by class too; a call whose entries are of several rows is in each of them.
type BreakdownRow struct {
	Method  string            `json:"method"` // of Meta.Rows, or MalformedMember
	Form    string            `json:"form"`   // single, batch or array
	Band    string            `json:"band"`   // sizes of calls: entries of a batch, items of an array parameter
	Calls   uint64            `json:"calls"`
	Entries uint64            `json:"entries"`
	Items   uint64            `json:"items"`
	ByClass map[string]uint64 `json:"by_class"`
	// Response has each call's response time once for every entry, with two
	// significant digits. The entries of a call share its time: how sure a percentile
	// is hangs on Calls.
	Response Distribution `json:"response_us"`
}

// MalformedMember stands for the method of members that were malformed on purpose.
const MalformedMember = "(malformed on purpose)"

// RowName names a row of the mix.
func (m *Meta) RowName(row int) string {
	switch {
	case row == RowMalformed:
		return MalformedMember
	case row >= 0 && row < len(m.Rows):
		return m.Rows[row]
	}
	return "row " + strconv.Itoa(row)
}

// BreakdownRows gives the measured phases' cells by row and band, phases together; those of
// malformed members come last.
func (a *Aggregate) BreakdownRows(m *Meta) (rows []BreakdownRow) {
	var sum Breakdown
	for c := range a.Breakdown.Cells() {
		if c.Phase < len(m.Phases) && m.Phases[c.Phase].Measured {
			one := *c
			one.Phase = 0
			sum.MergeCell(&one)
		}
	}
	var last []BreakdownRow
	for c := range sum.Cells() {
		row := BreakdownRow{
			Method: m.RowName(c.Row), Form: m.Form, Band: c.Band.String(),
			Calls: c.Calls, Entries: c.Entries, Items: c.Items, ByClass: byName(&c.ByClass),
			Response: distribution(c.Response, nil),
		}
		if c.Row == RowMalformed {
			last = append(last, row)
		} else {
			rows = append(rows, row)
		}
	}
	return append(rows, last...)
}
