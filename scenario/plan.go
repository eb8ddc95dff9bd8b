package scenario

import (
	"time"
)

// Plan is a validated scenario with every default filled in. It is not changed
// after Load and is safe for concurrent reading.
type Plan struct {
	Name          string
	Seed          uint64
	Target        Target
	Phases        []Phase
	Form          Form
	Size          Dist    // entries of a batch (form batch), items of the one entry (form array); 1 for single
	Items         Dist    // items per entry in form batch (default 1)
	Notifications float64 // share of entries, 0..1
	Malformed     float64 // share of entries, 0..1; drawn before notifications
	Mix           []Method
	Feeds         map[string]Feed
	Objectives    []Objective
	Timeout       time.Duration // of one call (default 10s)
	Drain         time.Duration // after the last phase, for answers still due (default 10s)
	Expect        Expect
	InFlight      int      // bound on calls under way in open-loop phases (default 256)
	Warnings      []string // what is allowed but may surprise: to be told with the results
}

// Form is how work is put on the wire.
type Form string

// The three forms.
const (
	Single Form = "single"
	Batch  Form = "batch"
	Array  Form = "array"
)

// Target is what the load is aimed at.
type Target struct {
	Dialect   string   // near, rcp, jsonrpc
	URL       string   // "" for the bundled node
	Transport string   // http (default), h2, websocket or stdio
	Command   []string // stdio: the node to start; empty for the bundled one
	Headers   map[string]Header
	TLS       *TLS  // of an https or wss URL; nil for the system's roots alone
	Auth      *Auth // nil for none
	// ResolveAlways looks the URL's host up at every connect, not once for the run.
	ResolveAlways bool
	Connections   Connections
	Node          []byte // the bundled node's config file as JSON; nil for none
	NodeCPUs      []int  // of the node that the run starts, ascending; nil: not said
	// Apply is the command that brings a node of the user's own to a setting, empty for
	// none, and Ready where it is seen that it has; see ApplyFor. They are the target's
	// and not the node's settings, which are the bundled node's config word for word.
	Apply      []string
	Ready      string
	Metrics    Metrics
	Authorised *Authorised
}

// TLS is how the node is trusted and how it can trust us. Files are PEM, named by
// their absolute paths, "" for none.
type TLS struct {
	CA         string // the certificates that vouch for the node's
	Cert       string // our own
	Key        string // its key, or
	KeyEnv     string // the environment variable that holds it
	ServerName string // "" for the URL's host
	Insecure   bool   // whatever certificate the node shows will do
}

// Auth is the authorization of every request: basic with a User, else bearer.
type Auth struct {
	User   string
	Secret Header // the password, or the token
}

// Connections is what a connection is used for; zero is for all that comes.
type Connections struct {
	MaxAge      time.Duration // http: older ones are given up before their next call
	MaxRequests int           // http: calls that one carries
	CloseEach   bool          // http: a connection for every call
	// ExpectContinue, with http, sends a call's head by itself, asking for 100 (Continue), and
	// the body when the node says so, or has said nothing for that long; 0: both together.
	ExpectContinue time.Duration
	Sockets        int // websocket: how many the calls share; 0 with other transports
}

// Header is a header value: a literal, or the name of an environment variable
// that holds it. Neither value ever leaves the process except to the node.
type Header struct {
	Value string
	Env   string
}

// Metrics says where and how often the node's own metrics are read, and what of them
// is kept.
type Metrics struct {
	URL        string        // "" for the target's own /metrics, or a Prometheus
	Prometheus *Prometheus   // nil for a page of the node's own
	Every      time.Duration // 0: not at all
	// Headers, Auth and TLS are for the URL or the Prometheus. The target's own page
	// takes the target's.
	Headers map[string]Header
	Auth    *Auth
	TLS     *TLS
	// Series are names of series by the word for what they say, in place of the
	// dialect's; "" where the node has none such.
	Series map[string]string
	Keep   []string // patterns; nil for everything that is not too much
	// BatchLimit is the batch_concurrency_limit of a node that the run does not start,
	// against which its series are read; 0: not said.
	BatchLimit int
}

// Prometheus is a server that scrapes the node.
type Prometheus struct {
	URL   string
	Match string // label matchers that select the node's series
}

// Authorised names who allowed a test of a node that is not on a loopback or
// private address, and up to which rate.
type Authorised struct {
	By      string
	MaxRate Rate // in entries/s
}

// Expect is what is expected of replies where dialects differ. What departs from it
// is counted as a deviation; zero expects what JSON-RPC 2.0 says and no more.
type Expect struct {
	InOrder      bool // answers come in the order of their requests
	UnwrappedOne bool // a bare object may answer a batch of one
	EmptyStatus  int  // the HTTP status where no answer is due: 200 or 204; 0 for any that is fine
	// NotificationAnswers puts up with answers without an id to notifications, one
	// each: a deviation. Else they are answers to nothing that was asked.
	NotificationAnswers bool
}

// Unit is what a rate counts.
type Unit string

// The units of a rate.
const (
	Calls   Unit = "calls/s"
	Entries Unit = "entries/s"
	Items   Unit = "items/s"
)

// Rate is a rate with its unit.
type Rate struct {
	Value float64
	Unit  Unit
}

// Phase is a stretch of the plan with one arrival profile.
type Phase struct {
	Name     string
	Rate     Rate    // at its start; zero for a closed loop
	To       float64 // at its end, in Rate.Unit; equal to Rate.Value without a ramp
	Arrivals string  // constant (default), uniform, poisson, replay; "" for a closed loop
	Callers  int     // closed loop: that many callers, each with one call under way
	Replay   *Replay // the due times come from a file; Rate is their mean, Arrivals "replay"
	For      time.Duration
	Measured bool
}

// Dist is a distribution of sizes, at least 1 each.
type Dist struct {
	Kind    string // fixed, choice, uniform, zipf
	Value   int    // fixed
	Choices []Choice
	Min     int     // uniform
	Max     int     // uniform, zipf
	S       float64 // zipf: P(k) is proportional to k^-S, k in 1..Max
}

// Choice is one value of a choice and its share; shares of a Dist add up to 1.
type Choice struct {
	Value int
	Share float64
}

// Method is one row of the mix.
type Method struct {
	Weight float64
	Method string
	Params *Value // nil: no params member
}

// Value is a JSON value with holes. Exactly one field is set, save that an
// object is Keys with Values.
type Value struct {
	JSON   []byte   // a literal, ready for the wire
	Keys   []string // an object's member names, in the file's order
	Values []*Value // an object's or an array's values
	Array  bool     // Values are an array
	Pick   string   // a random value of this feed, as a JSON string
	Items  *Value   // an array with as many of these as the entry has items
	Base64 *Value   // the value's JSON (a string's own bytes), in base64, as a JSON string
	Pinned string   // "final": the hash of a block resolved before the run
}

// Feed is a list of strings that values are picked from. Range feeds are
// computed, not stored.
type Feed interface {
	Len() int
	At(i int) string
}

// Objective is one line of slo, taken apart; see results.Objective for the words.
type Objective struct {
	Text, Metric, Stat, Op string
	Limit                  float64 // microseconds, share 0..1, or per second
}
