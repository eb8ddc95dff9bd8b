package target

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/time/rate"

	"volley/internal/jsonrpc"
)

// AdmissionConfig is a ceiling in front of a dialect, as a gateway sets one: a
// token bucket that every body pays into before anything of it runs. A body
// that finds too little in the bucket pays nothing and is answered with
// Policy.Limited and the time after which it would be let in, one that costs
// more than the burst with Policy.NeverAdmitted.
//
// The answer is HTTP 429 with Retry-After, in whole seconds, and an error
// object. A dialect that answers errors with HTTP 200 (see Policy.Limited)
// tells the time in the object's data instead; when a body is owed no answer,
// because it holds notifications alone, it is HTTP 429 there too.
type AdmissionConfig struct {
	// Charge is what is paid for: each body ("request", as gateways do that do
	// not look into batches), each member of it ("entry"), or each member its
	// Cost ("cost"). Notifications and malformed members are charged as well.
	Charge Charge `json:"charge" doc:"what is paid for: request (each body), entry (each member) or cost (each member what it costs)"`
	// Rate is over zero.
	Rate  float64 `json:"rate" doc:"of what is charged, a second; it must be given, over zero"`
	Burst int     `json:"burst" doc:"of what is charged, at once; 0: the rate, rounded up"`
	// Per is whose bucket it is. A standard stream is one client.
	Per Bucket `json:"per" doc:"whose bucket it is: client (each remote address its own) or node"`
	// Cost goes by a member's request type, where the protocol has one (NEAR's
	// query: "view_account"), before its method.
	Cost map[string]int `json:"cost" doc:"what a member costs by its method, or request type where the protocol has one; what is not there costs 1"`
}

// Charge is what admission is paid for.
type Charge uint8

// What can be charged.
const (
	ChargeRequest Charge = iota
	ChargeEntry
	ChargeCost
)

// UnmarshalText reads request, entry or cost.
func (c *Charge) UnmarshalText(text []byte) error { return oneOf(c, text, charges[:]...) }

// MarshalText writes what UnmarshalText reads.
func (c Charge) MarshalText() ([]byte, error) { return []byte(charges[c]), nil }

var charges = [...]string{ChargeRequest: "request", ChargeEntry: "entry", ChargeCost: "cost"}

// Bucket says whose bucket admission is paid from.
type Bucket uint8

// Owners of a bucket.
const (
	PerClient Bucket = iota
	PerNode
)

// UnmarshalText reads client or node.
func (b *Bucket) UnmarshalText(text []byte) error { return oneOf(b, text, buckets[:]...) }

// MarshalText writes what UnmarshalText reads.
func (b Bucket) MarshalText() ([]byte, error) { return []byte(buckets[b]), nil }

var buckets = [...]string{PerClient: "client", PerNode: "node"}

// oneOf sets v to the position of a word among words.
func oneOf[T ~uint8](v *T, text []byte, words ...string) error {
	for i, w := range words {
		if string(text) == w {
			*v = T(i)
			return nil
		}
	}
	last := len(words) - 1
	return fmt.Errorf("want %s or %s, not %+q", strings.Join(words[:last], ", "), words[last], text)
}

// UnmarshalJSON reads the config and refuses what cannot be: an unknown key, a
// rate that is not over zero, a burst or a cost under it.
func (c *AdmissionConfig) UnmarshalJSON(text []byte) error {
	type plain AdmissionConfig
	f := ConfigFile{Data: text}
	read := plain{}
	if err := f.Decode(&read, true); err != nil {
		return err
	}
	if !(read.Rate > 0) || math.IsInf(read.Rate, 0) {
		return f.Errorf([]string{"rate"}, "rate: want a number over zero, of what is charged a second")
	}
	if read.Burst < 0 {
		return f.Errorf([]string{"burst"}, "burst: want a whole number over zero")
	}
	if read.Burst == 0 {
		read.Burst = int(min(math.Ceil(read.Rate), math.MaxInt32))
	}
	for name, cost := range read.Cost {
		if cost < 0 {
			return f.Errorf([]string{"cost", name}, "cost.%s: want a whole number that is not under zero", name)
		}
	}
	if read.Cost != nil && read.Charge != ChargeCost {
		return f.Errorf([]string{"cost"}, `cost: costs are looked at with "charge": "cost" alone`)
	}
	*c = AdmissionConfig(read)
	return nil
}

// mostClients bounds the buckets that are held at once. Clients beyond share
// one bucket until others are idle.
const mostClients = 1 << 16

// admission is an AdmissionConfig at work. Safe for concurrent use.
type admission struct {
	config   AdmissionConfig
	counters [admissionOutcomes]prometheus.Counter

	mu      sync.Mutex // guards what follows, the limiters included
	clients map[string]*rate.Limiter
	common  *rate.Limiter // the node's, and of clients beyond mostClients

	// So many clients, and so late: look for idle ones before there are more. One
	// look goes over all of them.
	sweepAt    int
	sweepAfter time.Time
}

type admissionOutcome uint8

const (
	admitted admissionOutcome = iota
	limited                   // for a time
	refusedForGood
	admissionOutcomes
)

var admissionOutcomeNames = [admissionOutcomes]string{"admitted", "limited", "over_burst"}

// newAdmission gives nil without a config.
func newAdmission(c *AdmissionConfig, m *metrics) *admission {
	if c == nil {
		return nil
	}
	a := &admission{config: *c, clients: map[string]*rate.Limiter{}, sweepAt: 1024, common: newBucket(c)}
	total := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "volley_admission_total", Help: "Bodies by what admission decided.",
	}, []string{"outcome"})
	for i, name := range admissionOutcomeNames {
		a.counters[i] = total.WithLabelValues(name)
	}
	m.registry.MustRegister(total)
	return a
}

func newBucket(c *AdmissionConfig) *rate.Limiter { return rate.NewLimiter(rate.Limit(c.Rate), c.Burst) }

// longestWait is where a time to wait ends to be told.
const longestWait = 100 * 365 * 24 * time.Hour

// take pays for a body, or tells how long it has to wait until it could.
func (a *admission) take(now time.Time, client string, cost int) (admissionOutcome, time.Duration) {
	if cost > a.config.Burst {
		return refusedForGood, 0
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	bucket := a.bucketOf(now, client)
	if bucket.AllowN(now, cost) {
		return admitted, 0
	}
	missing := float64(cost) - bucket.TokensAt(now)
	wait := math.Ceil(missing / a.config.Rate * float64(time.Second))
	return limited, time.Duration(min(wait, float64(longestWait)))
}

func (a *admission) bucketOf(now time.Time, client string) *rate.Limiter {
	if a.config.Per == PerNode {
		return a.common
	}
	if b := a.clients[client]; b != nil {
		return b
	}
	if len(a.clients) >= a.sweepAt && !now.Before(a.sweepAfter) {
		for c, b := range a.clients { // a full bucket is as good as a new one
			if b.TokensAt(now) >= float64(a.config.Burst) {
				delete(a.clients, c)
			}
		}
		a.sweepAt, a.sweepAfter = min(max(2*len(a.clients), 1024), mostClients), now.Add(time.Second)
	}
	if len(a.clients) >= mostClients {
		return a.common
	}
	b := newBucket(&a.config)
	a.clients[client] = b
	return b
}

// cost is what a parsed body pays; one that is not JSON pays as one member.
// Members over Policy.EntryLimit, which are not looked at, pay 1 each.
func (a *admission) cost(x *exchange, member string) int {
	switch a.config.Charge {
	case ChargeEntry:
		return max(x.members, 1)
	case ChargeCost:
		if x.members == 0 {
			return 1
		}
		sum := x.members - len(x.entries)
		for i := range x.entries {
			sum = addCosts(sum, a.costOf(&x.entries[i].call.Request, member))
		}
		return sum
	}
	return 1
}

func addCosts(a, b int) int {
	if a > math.MaxInt-b {
		return math.MaxInt
	}
	return a + b
}

// costOf finds a member's cost; kind is Policy.CostMember.
func (a *admission) costOf(q *jsonrpc.Request, kind string) int {
	if kind != "" && q.ParamsKind == jsonrpc.Object {
		var params map[string]json.RawMessage
		if json.Unmarshal(q.Params, &params) == nil {
			if name, ok := jsonrpc.Unquote(params[kind]); ok {
				if cost, ok := a.config.Cost[name]; ok {
					return cost
				}
			}
		}
	}
	if cost, ok := a.config.Cost[string(q.Method)]; ok && q.MethodKind == jsonrpc.String {
		return cost
	}
	return 1
}

// admit lets a parsed body in, or answers it.
func (n *Node) admit(x *exchange) bool {
	a := n.admission
	if a == nil {
		return true
	}
	cost := a.cost(x, n.policy.CostMember)
	o, wait := a.take(time.Now(), x.conn.client, cost)
	a.counters[o].Inc()
	if o == admitted {
		return true
	}
	r, size := &n.policy.Limited, int(max(math.Ceil(wait.Seconds()*1e3), 1))
	if o == refusedForGood {
		r, size = &n.policy.NeverAdmitted, cost
	}
	x.answered, x.status, x.out = true, http.StatusTooManyRequests, x.out[:0]
	if owed, id := n.owed(x); owed {
		x.status, x.out, x.media = r.Status, r.append(x.out, a.config.Burst, size, id), r.media()
	}
	if o == limited && x.status == http.StatusTooManyRequests {
		x.retryAfter = int(max(math.Ceil(wait.Seconds()), 1))
	}
	return false
}

// owed tells whether a body that is not let in is owed an answer, and with
// which id: a bare call's own, for everything else null.
func (n *Node) owed(x *exchange) (owed bool, id []byte) {
	if x.shape == single && !n.policy.SingleNotification {
		owed = true
	}
	for i := range x.entries {
		q := &x.entries[i].call.Request
		formed := n.policy.wellFormed(q, x.shape == batched)
		if !formed || !n.policy.notifies(q) {
			if x.shape == single && formed {
				id = q.ID
			}
			return true, id
		}
	}
	return owed || x.members == 0, nil
}
