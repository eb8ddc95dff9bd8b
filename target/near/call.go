package near

import (
	"context"
	"strconv"
	"strings"

	"volley/internal/jsonrpc"
	"volley/target/near/vm"
)

// callFunction runs a contract's view method at a block. What becomes of the
// contract is told within the result by query, by an error by the structured
// method.
func (d *Dialect) callFunction(ctx context.Context, r *request, a account, b *block, dst []byte) ([]byte, *jsonrpc.Error) {
	contract, _ := a.contract()
	if contract == noContract {
		return d.executionFailure(r, b, dst,
			`wasm execution failed with error: CompilationError(CodeDoesNotExist { account_id: AccountId("`+string(r.accountID)+`") })`)
	}
	out := d.engine().View(ctx, d.ledger.codes[contract].vm, string(r.methodName), r.args, d.environment(a, b))
	if out.Err != "" {
		return d.executionFailure(r, b, dst, out.Err)
	}
	dst = append(append(append(dst, '{'), b.read...), `,"logs":`...)
	dst = append(appendStrings(dst, out.Logs), `,"result":[`...)
	for i, value := range out.Result {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = strconv.AppendUint(dst, uint64(value), 10)
	}
	return append(dst, `]}`...), nil
}

// executionFailure tells why a contract failed; text is the runtime's own.
// What the contract had logged is not told, as in nearcore.
func (d *Dialect) executionFailure(r *request, b *block, dst []byte, text string) ([]byte, *jsonrpc.Error) {
	if !r.structured {
		return appendFailedResult(dst, b, text), nil
	}
	info := append(append(append([]byte{'{'}, b.read...), `,"error":`...), callError(text)...)
	info = jsonrpc.AppendString(append(info, `,"vm_error":`...), text)
	return dst, handlerFailure("CONTRACT_EXECUTION_ERROR", append(info, '}'), "Function call returned an error: "+text)
}

// callError is the runtime's text as nearcore's error type shows it in JSON:
// what a host function refused, a panic of the contract's own among it, is an
// ExecutionError.
func callError(text string) []byte {
	text = strings.TrimPrefix(text, "wasm execution failed with error: ")
	kind, what := "ExecutionError", text
	for _, plain := range []string{"MethodResolveError", "WasmTrap"} {
		if inner, ok := strings.CutPrefix(text, plain+"("); ok {
			kind, what = plain, strings.TrimSuffix(inner, ")")
		}
	}
	if inner, ok := strings.CutPrefix(text, "HostError(GuestPanic { panic_msg: "); ok {
		if msg, err := strconv.Unquote(strings.TrimSuffix(inner, " })")); err == nil {
			what = "Smart contract panicked: " + msg
		}
	}
	object := append(append([]byte(`{"`), kind...), `":`...)
	return append(jsonrpc.AppendString(object, what), '}')
}

// environment is what a contract sees of its account and of the block.
func (d *Dialect) environment(a account, b *block) vm.Env {
	state := d.ledger.stateOf(a)
	epoch := d.chain.epoch(b.height)
	root := d.digest("state", b.height*maxShards+d.shards.of([]byte(idOf(a.index))))
	return vm.Env{
		CurrentAccount: idOf(a.index),
		Height:         b.height,
		Timestamp:      uint64(d.chain.time(b.height).UnixNano()),
		EpochHeight:    epoch,
		StorageUsage:   d.ledger.storageUsage(a),
		Balance:        a.amount(b.height).little(),
		LockedBalance:  a.locked(epoch).little(),
		RandomSeed:     root[:],
		Read:           func(key []byte) ([]byte, bool) { return state.read(key, b.height) },
	}
}
