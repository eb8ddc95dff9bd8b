package near

import (
	"context"
	"net/http"
	"sync"

	"volley/internal/jsonrpc"
	"volley/target"
	"volley/target/near/vm"
)

// Dialect is NEAR's protocol behind the node's batch engine.
type Dialect struct {
	config    Config
	chain     *chain
	ledger    *ledger
	shards    shards
	engine    func() *vm.Engine // of contracts; made when one is first called
	execution *target.Execution
	service   [operations]target.Service
	instant   [operations]bool // takes neither a service time nor, as a contract may, one of its own
	counters  *counters
}

// New builds the dialect; the chain starts to grow now. The config comes from
// [ParseConfig] or [DefaultConfig].
func New(c Config) *Dialect {
	c.GCNumEpochsToKeep = max(c.GCNumEpochsToKeep, minGCEpochs)
	d := &Dialect{
		config: c,
		chain:  newChain(&c, c.Clock),
		ledger: newLedger(c.Volley.Seed, c.Volley.Accounts),
		shards: shards{count: max(c.Volley.Shards, 1), tracked: c.Volley.TrackedShards},
		engine: sync.OnceValue(func() *vm.Engine { return newEngine(&c) }),

		counters: newCounters(),
	}
	for op := range d.service {
		d.service[op] = c.Volley.Service.of(operation(op))
	}
	d.execution = target.NewExecution(target.ExecutionConfig{
		Slots:      c.ViewClientThreads,
		Cost:       c.Volley.Cost,
		Contention: c.Volley.Contention,
		Seed:       c.Volley.Seed,
	}, d.service[:]...)
	for op := range slotted {
		d.instant[op] = op != opCallFunction && d.execution.Instant(d.service[op])
	}
	return d
}

// Execution is where what nearcore asks its view client for runs.
func (d *Dialect) Execution() *target.Execution { return d.execution }

func newEngine(c *Config) *vm.Engine {
	var o vm.Options
	if c.MaxGasBurntView != nil {
		o.Gas = *c.MaxGasBurntView
	}
	engine, err := vm.New(o)
	if err != nil {
		panic(err) // only for options that a config file may not set
	}
	return engine
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
		SingleUnjudged:    true, // the page's rules for members are new, singletons are as before
		Invalid:           jsonrpc.Error{Code: jsonrpc.InvalidRequest, Message: "Invalid request"},
		BatchMethods:      map[string]bool{"query": true},
		NotInBatch:        jsonrpc.Error{Code: jsonrpc.MethodNotFound, Message: "Method not found"},
		CostMember:        "request_type",
		Admission:         d.config.Volley.Admission,
		Misbehave:         d.config.Volley.Misbehave,
		MetricsPrefix:     "near_rpc_",
	}
}

// Connect gives nothing: a connection has no state.
func (d *Dialect) Connect(target.Transport) any { return nil }

// Admit decodes the params and sets the label.
func (d *Dialect) Admit(_ context.Context, c *target.Call) *jsonrpc.Error {
	s := spaceOf(c)
	r := &s.request
	if c.ParamsKind == jsonrpc.Object && string(c.Method) == "query" && s.common(c.Params, d.chain.pinned.Load()) {
		c.Label, c.State, c.Instant = queryLabels[r.op], r, d.instant[r.op]
		return nil
	}
	s.clear()
	var err *jsonrpc.Error
	if c.Label, err = r.parse(c.Method, c.Params, c.ParamsKind); err != nil {
		return err
	}
	c.State, c.Instant = r, d.instant[r.op]
	return nil
}

// Run executes what Admit decoded. What nearcore asks its view client for holds
// an execution slot for its service time and its work.
func (d *Dialect) Run(ctx context.Context, c *target.Call, dst []byte) ([]byte, *jsonrpc.Error) {
	r := c.State.(*request)
	if r.op < slotted {
		return d.runSlotted(ctx, r, c, dst)
	}
	return d.runFree(ctx, r, c.Label, dst)
}

func (d *Dialect) runSlotted(ctx context.Context, r *request, c *target.Call, dst []byte) ([]byte, *jsonrpc.Error) {
	if err := d.execution.Enter(ctx, d.service[r.op], 1, c.Turn); err != nil {
		return dst, internalFailure("the caller left before it was served: " + err.Error())
	}
	defer d.execution.Leave()
	switch r.op {
	case opBlock:
		return d.block(r, dst)
	case opChunk:
		return d.chunk(r, dst)
	case opGasPrice:
		return d.gasPrice(r, dst)
	case opValidators:
		return d.validators(r, dst)
	case opProtocolConfig:
		return d.protocolConfig(r, dst)
	case opTransaction:
		return d.transactionStatus(r, c.Label, dst)
	}
	return d.query(ctx, r, dst)
}

// runFree runs what holds no slot.
func (d *Dialect) runFree(ctx context.Context, r *request, label string, dst []byte) ([]byte, *jsonrpc.Error) {
	switch r.op {
	case opStatus:
		return d.status(dst)
	case opHealth:
		return d.health(dst)
	case opNetworkInfo:
		return d.networkInfo(dst)
	case opGenesisConfig:
		return appendJSON(dst, d.genesisView()), nil
	case opClientConfig:
		return appendJSON(dst, d.clientView()), nil
	}
	return d.send(ctx, r, label, dst)
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
