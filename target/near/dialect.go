package near

import (
	"context"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"volley/internal/jsonrpc"
	"volley/target"
)

// Dialect is NEAR's protocol behind the node's batch engine.
type Dialect struct {
	config  Config
	chain   *chain
	ledger  *ledger
	slots   *target.Pool
	service [operations]target.Service

	drawing sync.Mutex // protects rng
	rng     *rand.Rand
}

// New builds the dialect; the chain starts to grow now. The config comes from
// [ParseConfig] or [DefaultConfig].
func New(c Config) *Dialect {
	now := c.Clock
	if now == nil {
		now = time.Now
	}
	c.GCNumEpochsToKeep = max(c.GCNumEpochsToKeep, minGCEpochs)
	d := &Dialect{
		config: c,
		chain:  newChain(&c, now),
		ledger: newLedger(c.Volley.Seed, c.Volley.Accounts),
		slots:  target.NewPool(c.ViewClientThreads),
		rng:    rand.New(rand.NewPCG(c.Volley.Seed, mix(c.Volley.Seed))),
	}
	for op := range d.service {
		d.service[op] = c.Volley.Service.of(operation(op))
	}
	return d
}

// Policy is the query batching page as data.
func (d *Dialect) Policy() target.Policy {
	limits := &d.config.RPC.Limits
	return target.Policy{
		Base:      "/",
		BodyLimit: limits.JSONPayloadMaxSize,
		Enabled:   d.config.RPC.EnableBatchRequests,
		Disabled: target.Refusal{
			Status: http.StatusOK,
			Error:  jsonrpc.Error{Code: -32005, Message: "batch requests are not supported by this server"},
		},
		ParseFailed: target.Refusal{
			Status: http.StatusBadRequest,
			Error:  jsonrpc.Error{Code: jsonrpc.ParseError, Message: "Parse error"},
		},
		Empty: target.Refusal{
			Status: http.StatusBadRequest,
			Error:  jsonrpc.Error{Code: jsonrpc.InvalidRequest, Message: "Invalid request"},
		},
		EntryLimit: limits.BatchSizeLimit,
		TooMany: target.Refusal{
			Status: http.StatusOK,
			Error:  jsonrpc.Error{Code: -32010, Message: "The batch request was too large"},
			Data:   target.LimitText,
		},
		ResponseLimit: limits.BatchResponseSizeLimit,
		TooLarge: target.Refusal{
			Status: http.StatusOK,
			Error:  jsonrpc.Error{Code: -32011, Message: "The batch response was too large"},
			Data:   target.LimitText,
		},
		Concurrency:       limits.BatchConcurrencyLimit,
		OnlyNotifications: http.StatusNoContent,
		Invalid:           jsonrpc.Error{Code: jsonrpc.InvalidRequest, Message: "Invalid request"},
		BatchMethods:      map[string]bool{"query": true},
		NotInBatch:        jsonrpc.Error{Code: jsonrpc.MethodNotFound, Message: "Method not found"},
		MetricsPrefix:     "near_rpc_",
	}
}

// Connect gives nothing: a connection has no state.
func (d *Dialect) Connect(target.Transport) any { return nil }

// Admit decodes the params and sets the label. Methods without params ignore
// whatever there is.
func (d *Dialect) Admit(_ context.Context, c *target.Call) *jsonrpc.Error {
	var r *request
	var err *jsonrpc.Error
	switch string(c.Method) {
	case "query":
		c.Label = labelQuery
		r, err = parseQuery(c.Params, c.ParamsKind)
	case "block":
		c.Label = labels[opBlock]
		r, err = parseBlock(c.Params, c.ParamsKind)
	case "status":
		r = &request{op: opStatus}
	case "health":
		r = &request{op: opHealth}
	default:
		c.Label = labelUnsupported
		return methodNotFound(c.Method)
	}
	if err != nil {
		return err
	}
	c.Label, c.State = labels[r.op], r
	return nil
}

// Run executes what Admit decoded. Queries and block requests hold an
// execution slot for their service time.
func (d *Dialect) Run(ctx context.Context, c *target.Call, dst []byte) ([]byte, *jsonrpc.Error) {
	r := c.State.(*request)
	switch r.op {
	case opStatus:
		return d.appendStatus(dst), nil
	case opHealth:
		return append(dst, "null"...), nil
	}
	if err := d.slots.Acquire(ctx); err != nil {
		return dst, internalFailure("the caller left before its turn: " + err.Error())
	}
	defer d.slots.Release()
	if err := d.serve(ctx, r.op); err != nil {
		return dst, internalFailure("the caller left while it was served: " + err.Error())
	}
	if r.op == opBlock {
		return d.block(r, dst)
	}
	return d.query(r, dst)
}

// serve lets an operation's service time pass.
func (d *Dialect) serve(ctx context.Context, op operation) error {
	service := d.service[op]
	if service.IsZero() {
		return nil
	}
	d.drawing.Lock()
	span := service.Draw(d.rng)
	d.drawing.Unlock()
	return target.Wait(ctx, span)
}

// Status is the HTTP status by which nearcore repeats a singleton's error.
func (d *Dialect) Status(c *target.Call, err *jsonrpc.Error) int {
	if err == nil {
		return http.StatusOK
	}
	switch err.Name {
	case requestValidationError:
		return http.StatusBadRequest
	case internalError:
		return http.StatusInternalServerError
	case handlerError:
		switch causeName(err) {
		case timeoutError:
			return http.StatusRequestTimeout
		case unknownBlock:
			// Only a height under "block_id" counts, one that the chain has passed.
			r, ok := c.State.(*request)
			if ok && c.ParamsKind == jsonrpc.Object && r.ref.kind == byHeight && r.ref.height < d.chain.head() {
				return http.StatusUnprocessableEntity
			}
		}
	}
	return http.StatusOK
}

// Malformed answers a singleton that is no request, a notification and a
// response among them.
func (d *Dialect) Malformed(*jsonrpc.Request) (e *jsonrpc.Error, status int, echo bool) {
	return parseFailure("JSON RPC Request format was expected"), http.StatusBadRequest, false
}

// Pages are /status and /health.
func (d *Dialect) Pages() map[string]http.HandlerFunc {
	return map[string]http.HandlerFunc{
		"/status": page(d.appendStatus),
		"/health": page(func(dst []byte) []byte { return append(dst, "null"...) }),
	}
}

func page(body func([]byte) []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		// What cannot be written has nobody left to read it.
		_, _ = w.Write(body(nil))
	}
}
