package target

import (
	"bytes"
	"math"
	"strconv"
	"time"

	"volley/internal/jsonrpc"
)

// Policy is the batch engine's rules as data: what the documentation of a
// protocol, or of a node, says about batches. The engine reads nothing else.
type Policy struct {
	Base        string // path of the endpoint: "/" or "/rcp"
	PathMethods bool   // a singleton may be posted to Base/<method>; path and body must agree

	// BodyLimit bounds the bytes of an HTTP body, over which the answer is 413
	// before anything is parsed, and of a line; 0: no limit. An HTTP body that is
	// not declared as JSON is refused with 415 before its size is looked at.
	BodyLimit int64

	Enabled  bool    // false: Disabled answers every valid, nonempty array
	Disabled Refusal // checked after Empty and before TooMany

	ParseFailed Refusal // malformed JSON or trailing data
	Empty       Refusal // []

	EntryLimit     int  // members of a batch, of whatever kind; 0: no limit
	LimitPerClient bool // EntryLimit bounds all running batches of one remote address together
	TooMany        Refusal

	ResponseLimit int             // bytes of what ResponseMeasure counts; 0: no limit
	ResponseCut   ResponseCut     // what becomes of a batch that goes over it
	ResponseSize  ResponseMeasure // what counts
	TooLarge      Refusal         // with ReplaceDrained and ReplaceAtOnce
	CutOff        jsonrpc.Error   // with KeepPartial: of each entry after the one that went over

	// Concurrency is how many members of one batch are outstanding at once: at
	// least 1, AllAtOnce for no bound. ConcurrencyShared makes it a bound on all
	// batches of the node together.
	Concurrency       int
	ConcurrencyShared bool

	// BatchTimeout bounds a batch's time from its admission; 0: no bound. When it
	// is over every entry that has no answer gets TimedOut, and what runs of them
	// has its context ended.
	BatchTimeout time.Duration
	TimedOut     jsonrpc.Error

	OnlyNotifications   int           // HTTP status, without a body, when there is nothing to answer
	EmptyIsJSON         bool          // an HTTP 200 without a body is declared as JSON all the same
	Invalid             jsonrpc.Error // the entry for a malformed member, with id null
	RepeatedNamesValid  bool          // of a member's name that comes twice the last counts (else: malformed)
	InvalidEchoesID     bool          // a malformed member's id, where usable, is echoed
	NullIDInvalid       bool          // "id": null is malformed (else: echoed)
	NullIDNotifies      bool          // "id": null makes a notification, whatever NullIDInvalid says
	BoolIDValid         bool          // "id": true is an id
	FractionIDInvalid   bool          // a number with a fraction or an exponent is no id
	DuplicateIDsInvalid bool          // of the members of a batch with one id, those after the first are malformed
	VersionOptional     bool          // "jsonrpc" may be missing (when present it must be "2.0")
	UnknownMembersValid bool          // a request may carry members that the protocol does not know

	// SingleUnjudged takes a bare request with an id of any kind, which is echoed,
	// and with params of any kind, of which the dialect judges: what stands here of
	// ids and params is for members of a batch.
	SingleUnjudged bool
	// AnyParams leaves params of any kind to the dialect, in a batch too: then
	// neither PrimitiveParams nor ArrayParams is looked at.
	AnyParams bool
	// PrimitiveParams is the answer to params that are neither object nor array
	// nor null: an entry with the id echoed; nil makes the member malformed
	// (Invalid, id null, also for a notification).
	PrimitiveParams *jsonrpc.Error
	// ArrayParams, when set, refuses positional params the same way.
	ArrayParams *jsonrpc.Error

	// ReservedPrefix, when not "", names methods that are notifications by
	// nature ("notifications/"): one with an id is malformed (Invalid, id null).
	ReservedPrefix string

	// SingleNotification takes a bare request without an id as a notification:
	// it runs and is answered with OnlyNotifications and no body. False: it is
	// no valid singleton and Dialect.Malformed answers it.
	SingleNotification bool

	// UnknownMethod is the code by which a dialect's own errors say that there
	// is no such method, for the entry outcome method_not_found; 0 means -32601.
	UnknownMethod jsonrpc.Code

	// CancelOnDisconnect ends the context of Dialect.Run when the client is
	// gone. False: what is queued runs to its end, whoever still listens.
	CancelOnDisconnect bool

	// BatchMethods, when not nil, are the only methods that run inside a batch;
	// any other with an id is answered with NotInBatch, without one ignored.
	BatchMethods map[string]bool
	batchMethod  string // the one of BatchMethods, when there is one alone
	NotInBatch   jsonrpc.Error

	// What the front refuses before a body is looked at: a body over BodyLimit
	// (413), one that is not declared as JSON (415), and what is no POST (405). A
	// Refusal without a status gets the one in brackets, with words of this
	// node's as plain text.
	TooLong, NotJSON, NotPost Refusal
	// Get answers a GET of the endpoint; without a status NotPost does.
	Get Refusal
	// MediaTypes are the declarations that are taken as JSON; "*" takes anything.
	// nil: application/json and every application type that ends in +json.
	MediaTypes []string

	// Limited answers what admission (see AdmissionConfig) holds up for a time,
	// NeverAdmitted what is over the burst. Without a status they are HTTP 429
	// with an error object.
	Limited, NeverAdmitted Refusal
	// CostMember names the member of params that tells apart what a method does
	// ("request_type"), for costs of admission by request type; "": none does.
	CostMember string

	Admission *AdmissionConfig // nil: everything is let in
	Misbehave *MisbehaveConfig // nil: the node behaves

	MetricsPrefix string // "near_rpc_" or "volley_rpc_"
}

// AllAtOnce is a Concurrency without bound.
const AllAtOnce = math.MaxInt

// ResponseCut is what becomes of a batch whose answer grows over the limit.
type ResponseCut uint8

// The ways in which nodes bound an answer.
const (
	ReplaceDrained ResponseCut = iota // every entry runs, then TooLarge replaces the answer
	ReplaceAtOnce                     // no further entry runs, and TooLarge replaces the answer
	KeepPartial                       // no further entry runs; the answers so far stay, the rest are CutOff
)

// ResponseMeasure is what of an answer counts towards its limit.
type ResponseMeasure uint8

// The measures of an answer.
const (
	WholeArray  ResponseMeasure = iota // the serialized array
	ResultsOnly                        // the results and error objects without what is around them
)

// Refusal is a body answered as a whole.
type Refusal struct {
	Status  int
	Error   jsonrpc.Error
	Data    DataForm
	Form    RefusalForm
	FirstID bool // the id of the first call among as many members as are looked at (EntryLimit); else null
}

// RefusalForm is what a refusal puts on the wire.
type RefusalForm uint8

// Forms of a refusal.
const (
	ErrorObject  RefusalForm = iota
	ErrorInArray             // an array of one
	EmptyArray
	NoBody
	PlainText // Error.Message and a line's end
)

// DataForm says how a refusal's data member tells the limit.
type DataForm uint8

// Forms of a refusal's data member.
const (
	NoData     DataForm = iota // Error.Data as it is
	LimitText                  // "Exceeded max limit of N", as jsonrpsee words it
	LimitSize                  // {"limit": N, "size": M}
	FilledIn                   // {limit} and {size} in Error.Message and Error.Data are replaced by the numbers
	RetryAfter                 // {"retryable": true, "retryAfterMs": N}, of Limited
)

// append appends the refusal's body, with an id that is null when nil.
func (r *Refusal) append(dst []byte, limit, size int, id []byte) []byte {
	switch r.Form {
	case ErrorInArray:
		dst = append(dst, '[')
		return append(jsonrpc.AppendError(dst, r.limited(limit, size), id), ']')
	case EmptyArray:
		return append(dst, "[]"...)
	case NoBody:
		return dst
	case PlainText:
		return append(append(dst, r.limited(limit, size).Message...), '\n')
	}
	return jsonrpc.AppendError(dst, r.limited(limit, size), id)
}

// media is the body's content type; "" is JSON.
func (r *Refusal) media() string {
	if r.Form == PlainText {
		return "text/plain; charset=utf-8"
	}
	return ""
}

// limited is the refusal's error with the limit, and what went over it, told
// in the form that it asks for.
func (r *Refusal) limited(limit, size int) *jsonrpc.Error {
	e := r.Error
	switch r.Data {
	case LimitText:
		e.Data = limitText(limit)
	case LimitSize:
		data := strconv.AppendInt([]byte(`{"limit":`), int64(limit), 10)
		data = strconv.AppendInt(append(data, `,"size":`...), int64(size), 10)
		e.Data = append(data, '}')
	case RetryAfter:
		e.Data = append(strconv.AppendInt([]byte(`{"retryable":true,"retryAfterMs":`), int64(size), 10), '}')
	case FilledIn:
		e.Message = string(filledIn([]byte(e.Message), limit, size))
		if e.Data != nil {
			e.Data = filledIn(e.Data, limit, size)
		}
	}
	return &e
}

func filledIn(text []byte, limit, size int) []byte {
	text = bytes.ReplaceAll(text, []byte("{limit}"), strconv.AppendInt(nil, int64(limit), 10))
	return bytes.ReplaceAll(text, []byte("{size}"), strconv.AppendInt(nil, int64(size), 10))
}

func limitText(limit int) []byte {
	return append(strconv.AppendInt([]byte(`"Exceeded max limit of `), int64(limit), 10), '"')
}

// completed is the policy with what it leaves to the node filled in.
func (p Policy) completed() Policy {
	p.Concurrency = max(p.Concurrency, 1)
	if len(p.BatchMethods) == 1 {
		for p.batchMethod = range p.BatchMethods {
		}
	}
	if p.UnknownMethod == 0 {
		p.UnknownMethod = jsonrpc.MethodNotFound
	}
	for _, d := range []struct {
		refusal *Refusal
		status  int
		why     string
	}{
		{&p.TooLong, 413, "the body is over {limit} bytes"},
		{&p.NotJSON, 415, "the content type must be application/json"},
		{&p.NotPost, 405, "JSON-RPC is spoken with POST"},
	} {
		if d.refusal.Status == 0 {
			*d.refusal = Refusal{Status: d.status, Error: jsonrpc.Error{Message: d.why}, Data: FilledIn, Form: PlainText}
		}
	}
	if p.Get.Status == 0 {
		p.Get = p.NotPost
	}
	if p.Limited.Status == 0 {
		p.Limited = Refusal{Status: 429, Error: jsonrpc.Error{Code: limitExceeded, Message: "Too many requests"}}
	}
	if p.NeverAdmitted.Status == 0 {
		p.NeverAdmitted = Refusal{Status: 429, Data: FilledIn, Error: jsonrpc.Error{Code: limitExceeded,
			Message: "Too many requests at once: this body is charged {size}, and no more than {limit} is ever let in; split it"}}
	}
	return p
}

// limitExceeded is this node's own code for "too many requests" (after HTTP's
// 429), in the range that JSON-RPC 2.0 leaves to servers. The code that EIP-1474
// gives to a request over a limit, -32005, is also that by which jsonrpsee and
// NEAR say that batching is off, and clients go by the code.
const limitExceeded = -32029
