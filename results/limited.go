package results

// warnLimited says what a run against a limit measures.
func (s *Summary) warnLimited() {
	t := &s.Totals
	entries := t.ByClass[RateLimited.String()]
	if entries == 0 {
		return
	}
	s.warnf("%s of %s entries (%s) were turned away as over a rate that is admitted (rate limited): beyond it the run measures that limit, and not what the node can carry",
		Count(entries), Count(t.Entries), Share(entries, t.Entries))
}
