package target

import (
	"context"
	"maps"
	"net/http"
	"slices"

	"volley/internal/jsonrpc"
)

// generic is JSON-RPC 2.0 itself with methods to try a client against: sum,
// subtract and echo answer from their params, sleep and burn hold an execution
// slot for a time, idle or at work, and fail answers the error it is given.
type generic struct {
	config    GenericConfig
	policy    Policy
	execution *Execution
}

// Generic is the dialect called jsonrpc. The config comes from
// ParseGenericConfig.
func Generic(c GenericConfig) Dialect {
	services := slices.Collect(maps.Values(c.Service))
	costs := ExecutionConfig{Slots: c.Slots, Cost: c.Cost, Contention: c.Contention, Seed: c.Seed}
	return &generic{config: c, policy: c.policy(), execution: NewExecution(costs, services...)}
}

// genericMethod is a method of the generic dialect, as Call.State carries it.
type genericMethod uint8

const (
	noMethod genericMethod = iota
	sumMethod
	subtractMethod
	echoMethod
	sleepMethod
	burnMethod
	failMethod
)

const genericMethodList = "sum, subtract, echo, sleep, burn and fail"

// genericLabels are the methods' names, as the metrics label them too.
var genericLabels = [...]string{
	noMethod:       unsupportedLabel,
	sumMethod:      "sum",
	subtractMethod: "subtract",
	echoMethod:     "echo",
	sleepMethod:    "sleep",
	burnMethod:     "burn",
	failMethod:     "fail",
}

func genericMethodOf(name []byte) genericMethod {
	for m := sumMethod; m <= failMethod; m++ {
		if string(name) == genericLabels[m] {
			return m
		}
	}
	return noMethod
}

// unsupportedLabel is the one label of all methods that there are not; nearcore
// gives it this name.
const unsupportedLabel = "UNSUPPORTED_METHOD"

// The generic dialect's own answers.
var (
	errMethodNotFound = jsonrpc.Error{Code: jsonrpc.MethodNotFound, Message: "Method not found"}
	errStopping       = jsonrpc.Error{Code: jsonrpc.InternalError, Message: "Internal error", Data: []byte(`"the call was cut off before it had run"`)}
)

func invalidParams(why string) *jsonrpc.Error {
	return &jsonrpc.Error{Code: jsonrpc.InvalidParams, Message: "Invalid params", Data: jsonrpc.AppendString(nil, why)}
}

// Policy is the preset's that the config names, or JSON-RPC 2.0 section 6, with
// the config's own settings over it.
func (g *generic) Policy() Policy { return g.policy }

func (g *generic) Execution() *Execution { return g.execution }

var _ Executing = (*generic)(nil)

func (*generic) Connect(Transport) any { return nil }

func (*generic) Pages() map[string]http.HandlerFunc { return nil }

func (*generic) Status(*Call, *jsonrpc.Error) int { return http.StatusOK }

// Malformed answers as a malformed member of a batch, with the status of an
// empty array.
func (g *generic) Malformed(*jsonrpc.Request) (e *jsonrpc.Error, status int, echo bool) {
	return &g.policy.Invalid, max(g.policy.Empty.Status, http.StatusOK), g.policy.InvalidEchoesID
}

func (g *generic) Admit(_ context.Context, c *Call) *jsonrpc.Error {
	m := genericMethodOf(c.Method)
	c.Label, c.State = genericLabels[m], m
	c.Instant = m != sleepMethod && m != burnMethod && g.execution.Instant(g.config.Service[c.Label])
	if m == noMethod {
		return &errMethodNotFound
	}
	return nil
}

// Run holds a slot for what the call costs and for its own time.
func (g *generic) Run(ctx context.Context, c *Call, dst []byte) ([]byte, *jsonrpc.Error) {
	if g.execution.Enter(ctx, g.config.Service[c.Label], 1, c.Turn) != nil {
		return dst, &errStopping
	}
	defer g.execution.Leave()
	switch c.State.(genericMethod) {
	case sumMethod:
		return sum(c, dst)
	case subtractMethod:
		return subtract(c, dst)
	case echoMethod:
		return append(dst, c.Params...), nil
	case sleepMethod:
		return g.sleep(ctx, c, dst)
	case burnMethod:
		return burn(ctx, c, dst)
	}
	return dst, fail(c)
}
