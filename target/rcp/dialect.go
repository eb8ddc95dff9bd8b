package rcp

import (
	"net/http"
	"time"

	"volley/internal/jsonrpc"
	"volley/target"
)

// Dialect is RCP behind the node's batch engine; see [target.Dialect].
type Dialect struct {
	config    Config
	offers    offers
	hello     []byte // the result of initialize and info, see hello
	execution *target.Execution
	process   session // over HTTP with session "process"
	tokens    tokens  // over HTTP with session "token"
	bySession flights // requests with an RCP-Session header

	model   *model
	lexicon *lexicon
	index   *index
}

// New gives a dialect for a config that is as [ParseConfig] leaves it. It
// computes the vectors of the documents that are there at the start.
func New(c Config) *Dialect {
	d := &Dialect{
		config:  c,
		offers:  offered(c.Capabilities),
		tokens:  tokens{limit: c.SessionLimit, idle: time.Duration(c.SessionIdleSeconds) * time.Second},
		model:   newModel(c.Dimension, c.Hidden, c.Layers),
		lexicon: newLexicon(corpusTexts(learned)),
	}
	times, costs := &c.Service, target.ExecutionConfig{Slots: c.Slots, Cost: c.Cost, Contention: c.Contention, Seed: c.Seed}
	d.execution = target.NewExecution(costs, times.Embed, times.Sparse, times.Multi, times.Rerank, times.Retrieve, times.Add, times.Delete)
	if !d.offers[capRetrieve] {
		c.Documents = 0 // nobody could find them
	}
	d.index = newIndex(c, d.model, d.lexicon)
	d.hello = hello(c, d.offers, d.model)
	return d
}

// Execution is where the methods that compute run.
func (d *Dialect) Execution() *target.Execution { return d.execution }

// Policy is section 11 as data, and where it is silent: every answer is HTTP
// 200 (section 5.2, a MUST), a batch over the cap is one -32602 object, a
// malformed member's id is null even when it could be read.
func (d *Dialect) Policy() target.Policy {
	return target.Policy{
		Base:        "/rcp",
		PathMethods: true,
		BodyLimit:   d.config.BodyLimit,
		Enabled:     true, // the protocol has no switch

		ParseFailed: refusal(jsonrpc.ParseError, "not one JSON text", target.NoData),
		Empty:       refusal(jsonrpc.InvalidRequest, "empty batch", target.NoData),

		EntryLimit: d.config.BatchSizeLimit,
		TooMany:    refusal(jsonrpc.InvalidParams, "too many members in the batch", target.LimitSize),

		// Not in section 11; section 12.2 reads -32013 as "split the batch".
		ResponseLimit: d.config.BatchResponseSizeLimit,
		TooLarge:      refusal(payloadTooLarge, "the batch's answer is too large: split the batch", target.LimitSize),

		Concurrency:         d.config.BatchConcurrencyLimit,
		OnlyNotifications:   http.StatusNoContent,
		Invalid:             malformed,
		NullIDInvalid:       true,
		VersionOptional:     true, // the compact envelope of section 5.3
		UnknownMembersValid: true,
		AnyParams:           true, // the gate comes first, see Admit
		ReservedPrefix:      reserved,
		SingleNotification:  true,
		UnknownMethod:       unknownMethod,
		CancelOnDisconnect:  true,

		// Section 5.2: a response is HTTP 200, an error too; so the 429 that
		// mirrors -32011 is left for bodies that no response is owed to.
		Limited:       refusal(rateLimited, "too many requests", target.RetryAfter),
		NeverAdmitted: refusal(payloadTooLarge, "more at once than is ever let in: split the batch", target.LimitSize),
		Admission:     d.config.Admission,
		Misbehave:     d.config.Misbehave,

		MetricsPrefix: "volley_rpc_",
	}
}

var malformed = jsonrpc.Error{Code: jsonrpc.InvalidRequest, Message: "not a valid request"}

func refusal(code jsonrpc.Code, message string, data target.DataForm) target.Refusal {
	return target.Refusal{
		Status: http.StatusOK,
		Error:  jsonrpc.Error{Code: code, Message: message},
		Data:   data,
	}
}

// conn is one HTTP connection or one stream.
type conn struct {
	stream  bool
	session *session
	opened  opened // with session "token"
	flights flights
}

// Connect gives a stream its own session; HTTP connections have none, or share
// the process's, or come with a token in each request.
func (d *Dialect) Connect(t target.Transport) any {
	switch {
	case t == target.Stdio:
		return &conn{stream: true, session: new(session)}
	case d.config.Session == Process:
		return &conn{session: &d.process}
	}
	return new(conn)
}

// Status is 200 whatever became of the request (section 5.2).
func (d *Dialect) Status(*target.Call, *jsonrpc.Error) int { return http.StatusOK }

// Malformed answers a singleton as a batch would a member.
func (d *Dialect) Malformed(*jsonrpc.Request) (e *jsonrpc.Error, status int, echo bool) {
	e = new(jsonrpc.Error)
	*e = malformed
	return e, http.StatusOK, false
}

// Pages are none beyond the node's own.
func (d *Dialect) Pages() map[string]http.HandlerFunc { return nil }
