package results

import "fmt"

// loudShare is the share of failures beyond which a reader must be told before
// anything else.
const loudShare = 0.01

// Failures says in a few words that so much failed that a reader must know it
// before any figure, "" when it did not: more than 1% of entries, or of calls in
// one class of failed exchanges, of all that was sent or of what was measured. A
// share that a met objective of the plan allows goes without saying.
func (s *Summary) Failures() string {
	words, _ := s.failures()
	return words
}

// failures gives the words and what they are about.
func (s *Summary) failures() (words string, of Counts) {
	all, err := s.Totals.Counts()
	measured, errMeasured := s.Measured.Counts()
	switch {
	case err != nil || errMeasured != nil || all.Calls == 0:
		return "", all
	case all.Unanswered == all.Calls:
		return "NOTHING WAS ANSWERED", all
	case measured.Calls > 0 && measured.Unanswered == measured.Calls:
		return "NOTHING MEASURED WAS ANSWERED", measured
	case measured.Calls < all.Calls && measured.failedShare() > all.failedShare():
		if words = s.tooMany(&measured, "measured "); words != "" {
			return words, measured
		}
	}
	return s.tooMany(&all, ""), all
}

func (s *Summary) tooMany(c *Counts, which string) string {
	if n := c.FailedEntries(); float64(n) > s.allowed("entry errors")*float64(c.Entries) {
		return fmt.Sprintf("%s of %sentries FAILED", Share(n, c.Entries), which)
	}
	allowed := s.allowed("call errors") * float64(c.Calls)
	for class, n := range c.CallsByClass {
		if Class(class).whole() && float64(n) > allowed {
			return fmt.Sprintf("%s of %scalls FAILED (%s)", Share(n, c.Calls), which, Class(class))
		}
	}
	return ""
}

// allowed is the share of failures that goes without saying.
func (s *Summary) allowed(metric string) float64 {
	allowed := loudShare
	for _, o := range s.Objectives {
		if o.Metric == metric && o.Met {
			allowed = max(allowed, o.Limit)
		}
	}
	return allowed
}

func (c *Counts) failedShare() float64 {
	if c.Entries == 0 {
		return 0
	}
	return float64(c.FailedEntries()) / float64(c.Entries)
}

// warnFailures repeats Failures among the warnings, with what most calls failed of.
func (s *Summary) warnFailures() {
	words, c := s.failures()
	if words == "" {
		return
	}
	worst := OK
	for class, n := range c.CallsByClass {
		if Class(class).Failed() && (worst == OK || n > c.CallsByClass[worst]) {
			worst = Class(class)
		}
	}
	s.warnf("%s: %s of %s failed, %s of them with %s", words, Count(c.FailedCalls()), plural(c.Calls, "call"), Count(c.CallsByClass[worst]), worst)
}
