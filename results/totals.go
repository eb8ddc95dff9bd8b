package results

import "fmt"

// Totals is the form that Counts have in JSON. Classes go by their names and
// those that did not occur are left out: the values of ByClass add up to
// Entries, those of CallsByClass to Calls.
type Totals struct {
	Calls         uint64 `json:"calls"`
	Entries       uint64 `json:"entries"`
	Items         uint64 `json:"items"`
	Notifications uint64 `json:"notifications"`
	Malformed     uint64 `json:"malformed"`

	ByClass      map[string]uint64 `json:"by_class"`
	ByCode       map[int64]uint64  `json:"by_code"`
	CallsByClass map[string]uint64 `json:"calls_by_class"`
	ByHTTPStatus map[int]uint64    `json:"by_http_status"`

	Batches             uint64            `json:"batches"`
	BatchEntries        uint64            `json:"batch_entries"`
	BatchesByClass      map[string]uint64 `json:"batches_by_class"`
	BatchEntriesByClass map[string]uint64 `json:"batch_entries_by_class"`
	BatchByCode         map[int64]uint64  `json:"batch_by_code"`
	SingleByCode        map[int64]uint64  `json:"single_by_code"`
	BatchErrorEntries   map[int64]uint64  `json:"batch_error_entries_by_code"`

	// Of calls that were rate limited: batches turned away as a whole, their entries, and
	// calls that got HTTP 429 and no JSON-RPC answer.
	LimitedBatches uint64 `json:"limited_batches,omitempty"`
	LimitedEntries uint64 `json:"limited_batch_entries,omitempty"`
	LimitedUnread  uint64 `json:"limited_unread,omitempty"`

	// Unanswered calls got no JSON-RPC answer: each misses every objective for the
	// response or service time. Of them only those that waited (timeout, cut off) are
	// in response_us and service_us.
	Unanswered uint64 `json:"unanswered"`
	GoodItems  uint64 `json:"good_items"` // of the entries that goodput counts

	// Deviations go by their names, in calls; those that did not occur are left out.
	Deviations map[string]uint64 `json:"deviations,omitempty"`

	Surplus   uint64 `json:"surplus"`
	Unsent    uint64 `json:"unsent"`
	Overrun   uint64 `json:"overrun"`
	OverBound uint64 `json:"over_bound"`
	Held      uint64 `json:"held"`
	Clipped   uint64 `json:"clipped"`
	BytesOut  uint64 `json:"bytes_out"`
	BytesIn   uint64 `json:"bytes_in"`
}

// Totals gives the counts' form in JSON. It shares nothing with c.
func (c *Counts) Totals() Totals {
	return Totals{
		Calls: c.Calls, Entries: c.Entries, Items: c.Items, Notifications: c.Notifications, Malformed: c.Malformed,
		ByClass: byName(&c.ByClass), ByCode: copyMap(c.ByCode), CallsByClass: byName(&c.CallsByClass), ByHTTPStatus: copyMap(c.ByHTTPStatus),
		Batches: c.Batches, BatchEntries: c.BatchEntries,
		BatchesByClass: byName(&c.BatchesByClass), BatchEntriesByClass: byName(&c.BatchEntriesByClass),
		BatchByCode: copyMap(c.BatchByCode), SingleByCode: copyMap(c.SingleByCode), BatchErrorEntries: copyMap(c.BatchErrorEntries),
		LimitedBatches: c.LimitedBatches, LimitedEntries: c.LimitedEntries, LimitedUnread: c.LimitedUnread,
		Deviations: deviationsByName(&c.Deviations),
		Surplus:    c.Surplus, Unsent: c.Unsent, Overrun: c.Overrun, OverBound: c.OverBound, Held: c.Held, Clipped: c.Clipped,
		BytesOut: c.BytesOut, BytesIn: c.BytesIn, Unanswered: c.Unanswered, GoodItems: c.GoodItems,
	}
}

// Counts gives the counts that t stands for. An unknown class name is an error.
func (t *Totals) Counts() (Counts, error) {
	c := Counts{
		Calls: t.Calls, Entries: t.Entries, Items: t.Items, Notifications: t.Notifications, Malformed: t.Malformed,
		Batches: t.Batches, BatchEntries: t.BatchEntries,
		Surplus: t.Surplus, Unsent: t.Unsent, Overrun: t.Overrun, OverBound: t.OverBound, Held: t.Held, Clipped: t.Clipped,
		BytesOut: t.BytesOut, BytesIn: t.BytesIn, Unanswered: t.Unanswered, GoodItems: t.GoodItems,
		LimitedBatches: t.LimitedBatches, LimitedEntries: t.LimitedEntries, LimitedUnread: t.LimitedUnread,
	}
	addAll(&c.ByCode, t.ByCode)
	addAll(&c.ByHTTPStatus, t.ByHTTPStatus)
	addAll(&c.BatchByCode, t.BatchByCode)
	addAll(&c.SingleByCode, t.SingleByCode)
	addAll(&c.BatchErrorEntries, t.BatchErrorEntries)
	for _, p := range []struct {
		to   *[NumClasses]uint64
		from map[string]uint64
	}{
		{&c.ByClass, t.ByClass}, {&c.CallsByClass, t.CallsByClass},
		{&c.BatchesByClass, t.BatchesByClass}, {&c.BatchEntriesByClass, t.BatchEntriesByClass},
	} {
		if err := classesOf(p.to, p.from); err != nil {
			return Counts{}, err
		}
	}
	for name, n := range t.Deviations {
		d, ok := ParseDeviation(name)
		if !ok {
			return Counts{}, fmt.Errorf("unknown deviation %q", name)
		}
		c.Deviations[d] = n
	}
	return c, nil
}

func classesOf(to *[NumClasses]uint64, from map[string]uint64) error {
	for name, n := range from {
		class, ok := ParseClass(name)
		if !ok {
			return fmt.Errorf("unknown outcome class %q", name)
		}
		to[class] = n
	}
	return nil
}

// ParseClass gives the class of that name.
func ParseClass(name string) (Class, bool) {
	for class, n := range classNames {
		if n == name {
			return Class(class), true
		}
	}
	return 0, false
}

func byName(by *[NumClasses]uint64) map[string]uint64 {
	m := make(map[string]uint64)
	for class, n := range by {
		if n > 0 {
			m[Class(class).String()] = n
		}
	}
	return m
}

func copyMap[K comparable](from map[K]uint64) map[K]uint64 {
	m := make(map[K]uint64, len(from))
	addAll(&m, from)
	return m
}
