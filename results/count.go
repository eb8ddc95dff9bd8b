package results

// AddOutcome counts one call. The latencies go to Latency.Record.
func (c *Counts) AddOutcome(o *Outcome) {
	entries := uint64(o.Entries)
	c.Calls++
	c.Entries += entries
	c.Items += uint64(o.Items)
	c.Notifications += uint64(o.Notifications)
	c.Malformed += uint64(o.Malformed)
	c.CallsByClass[o.Class]++
	addClasses(&c.ByClass, &o.ByClass, o.Entries)
	if !o.Answered() {
		c.Unanswered++
	}
	if entries > 0 {
		c.GoodItems += uint64(o.ByClass[OK]+o.ByClass[Notified]) * uint64(o.Items) / entries
	}
	for _, code := range o.Codes {
		addTo(&c.ByCode, code.Code, uint64(code.Count))
		if !o.Batch {
			addTo(&c.SingleByCode, code.Code, uint64(code.Count))
		}
	}
	if o.Batch {
		c.addBatch(o)
	}
	if o.Class == RateLimited && len(o.Codes) == 0 {
		c.LimitedUnread++
	}
	if o.HTTPStatus != 0 {
		addTo(&c.ByHTTPStatus, o.HTTPStatus, 1)
	}
	c.Surplus += uint64(o.Surplus)
	if o.Deviations != 0 {
		for d := range c.Deviations {
			if o.Deviations.Has(Deviation(d)) {
				c.Deviations[d]++
			}
		}
	}
	c.BytesOut += uint64(o.BytesOut)
	c.BytesIn += uint64(o.BytesIn)
	if o.OverBound {
		c.OverBound++
	}
	if o.Overrun {
		c.Overrun++
	}
	if o.Held {
		c.Held++
	}
}

// addClasses adds the classes of n entries, of which mostly all are well.
func addClasses(to *[NumClasses]uint64, by *[NumClasses]int, n int) {
	if by[OK] == n {
		to[OK] += uint64(n)
		return
	}
	for class, n := range by {
		to[class] += uint64(n)
	}
}

func (c *Counts) addBatch(o *Outcome) {
	c.Batches++
	c.BatchEntries += uint64(o.Entries)
	c.BatchesByClass[o.Class]++
	addClasses(&c.BatchEntriesByClass, &o.ByClass, o.Entries)
	if o.Class == RateLimited && (o.AsOne || len(o.Codes) == 0) {
		c.LimitedBatches++
		c.LimitedEntries += uint64(o.Entries)
		return
	}
	if o.Class == BatchError {
		for _, code := range o.Codes {
			addTo(&c.BatchErrorEntries, code.Code, uint64(o.Entries))
		}
		return
	}
	for _, code := range o.Codes {
		addTo(&c.BatchByCode, code.Code, uint64(code.Count))
	}
}

// Add adds o's counts to c's.
func (c *Counts) Add(o *Counts) {
	c.Calls += o.Calls
	c.Entries += o.Entries
	c.Items += o.Items
	c.Notifications += o.Notifications
	c.Malformed += o.Malformed
	c.Batches += o.Batches
	c.BatchEntries += o.BatchEntries
	for class := range NumClasses {
		c.ByClass[class] += o.ByClass[class]
		c.CallsByClass[class] += o.CallsByClass[class]
		c.BatchesByClass[class] += o.BatchesByClass[class]
		c.BatchEntriesByClass[class] += o.BatchEntriesByClass[class]
	}
	addAll(&c.ByCode, o.ByCode)
	addAll(&c.BatchByCode, o.BatchByCode)
	addAll(&c.SingleByCode, o.SingleByCode)
	addAll(&c.BatchErrorEntries, o.BatchErrorEntries)
	addAll(&c.ByHTTPStatus, o.ByHTTPStatus)
	c.LimitedBatches += o.LimitedBatches
	c.LimitedEntries += o.LimitedEntries
	c.LimitedUnread += o.LimitedUnread
	c.Surplus += o.Surplus
	for d, n := range o.Deviations {
		c.Deviations[d] += n
	}
	c.BytesOut += o.BytesOut
	c.BytesIn += o.BytesIn
	c.OverBound += o.OverBound
	c.Unsent += o.Unsent
	c.Overrun += o.Overrun
	c.Held += o.Held
	c.Clipped += o.Clipped
	c.Unanswered += o.Unanswered
	c.GoodItems += o.GoodItems
}

// FailedEntries is how many entries count against an error objective.
func (c *Counts) FailedEntries() uint64 { return failed(&c.ByClass) }

// FailedCalls is how many calls count against an error objective.
func (c *Counts) FailedCalls() uint64 { return failed(&c.CallsByClass) }

// GoodEntries is what goodput counts: entries answered with a result, and
// notifications whose exchange succeeded.
func (c *Counts) GoodEntries() uint64 { return c.ByClass[OK] + c.ByClass[Notified] }

// inVain is how many calls waited for an answer that did not come; they are among
// the unanswered, and in the distributions.
func (c *Counts) inVain() (n uint64) {
	for class, calls := range c.CallsByClass {
		if Class(class).inVain() {
			n += calls
		}
	}
	return n
}

func failed(by *[NumClasses]uint64) (n uint64) {
	for class, count := range by {
		if Class(class).Failed() {
			n += count
		}
	}
	return n
}

func addTo[K comparable](m *map[K]uint64, k K, n uint64) {
	if *m == nil {
		*m = make(map[K]uint64)
	}
	(*m)[k] += n
}

func addAll[K comparable](m *map[K]uint64, o map[K]uint64) {
	for k, n := range o {
		addTo(m, k, n)
	}
}
