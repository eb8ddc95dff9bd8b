package vm

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

const (
	defaultTimeout = 5 * time.Second
	defaultGas     = 300_000_000_000_000
)

// features are the extensions of WebAssembly that contracts may use.
const features = api.CoreFeatureMutableGlobal | api.CoreFeatureSignExtensionOps |
	api.CoreFeatureNonTrappingFloatToIntConversion | api.CoreFeatureBulkMemoryOperations |
	api.CoreFeatureReferenceTypes

// Options are an engine's limits.
type Options struct {
	// Timeout bounds a call by the clock; zero means 5 seconds, well over what
	// 300 Tgas of instructions take.
	Timeout time.Duration
	// Gas bounds what a call burns, as nearcore's max_gas_burnt_view does; zero
	// means 300 Tgas.
	Gas uint64
}

// Engine compiles and executes contracts. It is safe for concurrent use.
type Engine struct {
	timeout time.Duration
	gas     uint64
	runtime wazero.Runtime
	config  wazero.ModuleConfig
	host    map[string]funcType
	memory  *memories

	mu        sync.Mutex
	contracts map[[32]byte]*contract // by code hash; they stay until Close
}

// contract is code made ready to run, or why it can't be.
type contract struct {
	once     sync.Once
	compiled wazero.CompiledModule
	exported map[string]funcType
	err      error
}

// New makes an engine, which is to be closed.
func New(o Options) (*Engine, error) {
	if o.Timeout == 0 {
		o.Timeout = defaultTimeout
	}
	if o.Gas == 0 {
		o.Gas = defaultGas
	}
	if o.Timeout < 0 {
		return nil, fmt.Errorf("contract engine: timeout %s is negative: give a time, or 0 for %s", o.Timeout, defaultTimeout)
	}
	if o.Gas > 1<<62 {
		return nil, fmt.Errorf("contract engine: gas limit %d is above %d: give less, or 0 for %d", o.Gas, uint64(1)<<62, uint64(defaultGas))
	}
	ctx := context.Background()
	e := &Engine{
		timeout: o.Timeout,
		gas:     o.Gas,
		runtime: wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfig().
			WithCoreFeatures(features).
			WithMemoryLimitPages(maxPages).
			WithDebugInfoEnabled(false)),
		// Without a random source each instance would seed one of its own.
		config:    wazero.NewModuleConfig().WithName("").WithStartFunctions().WithRandSource(rand.Reader),
		host:      hostTypes(),
		memory:    newMemories(),
		contracts: map[[32]byte]*contract{},
	}
	if err := export(ctx, e.runtime, e.host); err != nil {
		e.runtime.Close(ctx)
		return nil, fmt.Errorf("contract engine: host functions: %w", err)
	}
	return e, nil
}

// Close frees all compiled contracts. No call may be under way or follow.
func (e *Engine) Close() error {
	err := e.runtime.Close(context.Background())
	if m := e.memory.close(); err == nil {
		err = m
	}
	return err
}

// Code is a contract's code. An engine compiles it when it is first executed,
// and once for all Codes of equal bytes.
type Code struct {
	wasm []byte
	hash [32]byte
}

// NewCode makes a contract of WebAssembly, which need not be valid (executing it
// then says so) and must not change any more.
func NewCode(wasm []byte) *Code { return &Code{wasm: wasm, hash: sha256.Sum256(wasm)} }

// Hash is the code's sha256, NEAR's code_hash.
func (c *Code) Hash() [32]byte { return c.hash }

// Bytes gives the code as it was given.
func (c *Code) Bytes() []byte { return c.wasm }

// Env is what a view call can see of the chain.
type Env struct {
	CurrentAccount string
	Height         uint64
	Timestamp      uint64 // nanoseconds since 1970
	EpochHeight    uint64
	StorageUsage   uint64   // bytes
	Balance        [16]byte // little-endian, yoctoNEAR
	LockedBalance  [16]byte // as Balance
	RandomSeed     []byte   // 32 bytes: in views, nearcore gives the state root
	// Read gives the value that the contract's storage has under a key. It must
	// not keep or change the key; the value must not change during the call. A
	// nil Read is an empty storage.
	Read func(key []byte) (value []byte, ok bool)
}

// Outcome is what became of a call.
type Outcome struct {
	Result []byte // nil unless the method returned a value
	Logs   []string
	Gas    uint64 // burnt
	Err    string // "", or nearcore's vm_error: "wasm execution failed with error: ..."
}

// View executes a method with args as input. A context that ends ends the call
// as the time limit does. Logs written before a failure are in the outcome.
func (e *Engine) View(ctx context.Context, code *Code, method string, args []byte, env Env) Outcome {
	if method == "" {
		return failedWith(methodEmptyName)
	}
	k := e.contract(code)
	if k.err != nil {
		return failedWith(k.err)
	}
	t, exists := k.exported[method]
	if !exists {
		return failedWith(methodNotFound)
	}
	if !t.equal(funcType{}) {
		return failedWith(methodInvalidSignature)
	}
	c := &call{
		ctx:      ctx,
		env:      &env,
		args:     args,
		codeHash: code.hash,
		limit:    e.gas,
		reserve:  e.gas,
		deadline: time.Now().Add(e.timeout),
	}
	loading := contractLoadingBase + contractLoadingByte*uint64(len(code.wasm))
	if loading > c.reserve {
		return Outcome{Gas: c.limit, Err: gasExceeded.Error()}
	}
	c.reserve -= loading
	e.run(ctx, k, c, method)
	o := Outcome{Logs: c.logs, Gas: c.used()}
	if c.ended != "" {
		o.Err = c.ended.Error()
	} else {
		o.Result = c.result
	}
	return o
}

func failedWith(err error) Outcome { return Outcome{Err: err.Error()} }

// run instantiates the contract and calls the method. What went wrong is left
// in c.
func (e *Engine) run(ctx context.Context, k *contract, c *call, method string) {
	lease, err := e.memory.lease()
	if err != nil {
		c.ended = failure(err.Error())
		return
	}
	defer lease.Free()
	// The module's own end must not end the engine's with it.
	inner := context.WithValue(context.WithoutCancel(ctx), callKey{}, c)
	mod, err := e.runtime.InstantiateModule(experimental.WithMemoryAllocator(inner, lease), k.compiled, e.config)
	if err != nil {
		if c.ended == "" {
			c.ended = instantiation(err)
		}
		return
	}
	defer mod.Close(inner)
	c.enter(mod)
	if err := mod.ExportedFunction(method).CallWithStack(inner, nil); err != nil && c.ended == "" {
		c.ended = trapped(err)
	}
}

// instantiation names what kept an instance from coming to be: the start
// function, or a segment beyond the bounds of memory.
func instantiation(err error) failure {
	if strings.HasPrefix(err.Error(), "start ") {
		return trapped(err)
	}
	return trapMemoryOutOfBounds
}

// contract gives the code compiled.
func (e *Engine) contract(code *Code) *contract {
	e.mu.Lock()
	k := e.contracts[code.hash]
	if k == nil {
		k = new(contract)
		e.contracts[code.hash] = k
	}
	e.mu.Unlock()
	k.once.Do(func() {
		var prepared []byte
		if prepared, k.exported, k.err = prepare(code.wasm, e.host); k.err != nil {
			return
		}
		var err error
		if k.compiled, err = e.runtime.CompileModule(context.Background(), prepared); err != nil {
			k.err = prepareError("Deserialization")
		}
	})
	return k
}
