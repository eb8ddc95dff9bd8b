package loadgen

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"volley/internal/jsonrpc"
	"volley/loadgen/transport"
	"volley/results"
	"volley/scenario"
)

// largest sends one batch as large as any of the plan's, where the canary was smaller, and
// warns when the node refuses it as a whole: somebody may want to measure just that. What
// becomes of its entries is for the load to find out.
func (s *scout) largest(w *work) error {
	n := w.sizes.size.max
	if w.form != scenario.Batch || n < 2 || s.overCeiling(n) {
		return nil
	}
	var m message
	newEncoder(w).largest(&m, s.seq.skip(n))
	reply, err := s.do(&m)
	if s.ctx.Err() != nil {
		return s.ctx.Err()
	}
	o := &s.outcome
	switch {
	case err != nil:
		s.warn(fmt.Sprintf("the plan's largest batch (%s) had no answer before the load: ", entries(n)) + err.Error())
	case o.Class == results.BatchError:
		said := "the plan's largest batch is one that the node does not take: " + o.Detail
		if limit := limitIn(&reply, n); limit > 0 {
			said += fmt.Sprintf("; its limit seems to be %s", results.Count(uint64(limit)))
		}
		s.warn(said)
	case o.Class == results.HTTPError:
		s.warn(fmt.Sprintf("the plan's largest batch (%s) is one that the node does not take: ", entries(n)) + o.Detail)
	}
	return s.rest(n)
}

func (s *scout) warn(text string) { s.warnings = append(s.warnings, s.printable(text)) }

func entries(n int) string {
	if n == 1 {
		return "1 entry"
	}
	return results.Count(uint64(n)) + " entries"
}

// overCeiling tells whether n entries at once are over what was authorised for a second.
func (s *scout) overCeiling(n int) bool {
	a := s.plan.Target.Authorised
	return a != nil && float64(n) > a.MaxRate.Value
}

// rest waits until n entries are within what was authorised.
func (s *scout) rest(n int) error {
	a := s.plan.Target.Authorised
	if a == nil {
		return nil
	}
	timer := time.NewTimer(time.Duration(float64(n) / a.MaxRate.Value * float64(time.Second)))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-s.ctx.Done():
		return s.ctx.Err()
	}
}

// limitWords finds a limit in a node's words.
var limitWords = regexp.MustCompile(`(?i)\b(?:limit|maximum|max|at most|up to|allowed)\b[^0-9]{0,20}([0-9][0-9,_]*)`)

// limitIn gives the limit on entries that a refusal of n tells, in its data or in its
// words; 0 where it tells none that can be.
func limitIn(reply *transport.Reply, n int) (limit int) {
	_, _, _ = jsonrpc.ScanReply(reply.Body, func(a *jsonrpc.Answer) {
		if a.Kind != jsonrpc.ErrorObject {
			return
		}
		limit, _ = strconv.Atoi(string(jsonrpc.Member(a.Data, "limit")))
		if limit > 0 {
			return
		}
		words, _ := appendError(nil, a)
		if found := limitWords.FindSubmatch(words); found != nil {
			limit, _ = strconv.Atoi(strings.NewReplacer(",", "", "_", "").Replace(string(found[1])))
		}
	})
	if limit >= n {
		return 0
	}
	return max(limit, 0)
}
