package vm

import (
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"math"
	"slices"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// hostFunc is a function of nearcore's module "env". Its arguments are u64, but
// where narrow says u32; what it returns is u64, but where results say other.
// do finds its arguments in a and leaves its result in a[0].
type hostFunc struct {
	name   string
	args   int
	result bool
	narrow bool
	do     func(c *call, a []uint64)
}

func (h hostFunc) funcType() funcType {
	kind := byte(i64)
	if h.narrow {
		kind = i32
	}
	t := funcType{params: slices.Repeat([]byte{kind}, h.args)}
	if h.result {
		t.results = []byte{kind}
	}
	return t
}

// hostFuncs are in the order of nearcore's imports.rs.
func hostFuncs() []hostFunc {
	return slices.Concat(registerFuncs(), contextFuncs(), hashFuncs(), endFuncs(), stateFuncs(), refusedFuncs())
}

// registerFuncs move bytes between registers and a contract's memory.
func registerFuncs() []hostFunc {
	return []hostFunc{
		{"read_register", 2, false, false, func(c *call, a []uint64) {
			c.charge(baseCost)
			c.store(a[1], c.register(a[0]))
		}},
		{"register_len", 1, true, false, func(c *call, a []uint64) {
			c.charge(baseCost)
			r := c.find(a[0])
			a[0] = math.MaxUint64
			if r != nil {
				a[0] = uint64(len(r.data))
			}
		}},
		{"write_register", 3, false, false, func(c *call, a []uint64) {
			c.charge(baseCost)
			c.setRegister(a[0], slices.Clone(c.view(a[2], a[1])))
		}},
	}
}

// contextFuncs tell of the call and of the block that it reads.
func contextFuncs() []hostFunc {
	return []hostFunc{
		{"current_account_id", 1, false, false, func(c *call, a []uint64) {
			c.charge(baseCost)
			c.setRegister(a[0], []byte(c.env.CurrentAccount))
		}},
		{"input", 1, false, false, func(c *call, a []uint64) {
			c.charge(baseCost)
			c.charge(writeRegisterBase) // not by the byte, for some protocol versions now
			c.putRegister(a[0], c.args)
		}},
		{"block_index", 0, true, false, contextValue(func(e *Env) uint64 { return e.Height })},
		{"block_timestamp", 0, true, false, contextValue(func(e *Env) uint64 { return e.Timestamp })},
		{"epoch_height", 0, true, false, contextValue(func(e *Env) uint64 { return e.EpochHeight })},
		{"storage_usage", 0, true, false, contextValue(func(e *Env) uint64 { return e.StorageUsage })},
		{"account_balance", 1, false, false, balance(func(e *Env) [16]byte { return e.Balance })},
		{"account_locked_balance", 1, false, false, balance(func(e *Env) [16]byte { return e.LockedBalance })},
		// Allowed in views, where nothing is attached, since NEP-418.
		{"attached_deposit", 1, false, false, balance(func(*Env) [16]byte { return [16]byte{} })},
		{"random_seed", 1, false, false, func(c *call, a []uint64) {
			c.charge(baseCost)
			c.setRegister(a[0], c.env.RandomSeed)
		}},
	}
}

// hashFuncs are the cryptographic ones.
func hashFuncs() []hostFunc {
	return []hostFunc{
		{"sha256", 3, false, false, hash(sha256Base, sha256Byte, func(b []byte) []byte {
			h := sha256.Sum256(b)
			return h[:]
		})},
		{"keccak256", 3, false, false, hash(keccak256Base, keccak256Byte, func(b []byte) []byte { return keccak(b, 32) })},
		{"keccak512", 3, false, false, hash(keccak512Base, keccak512Byte, func(b []byte) []byte { return keccak(b, 64) })},
		{"ed25519_verify", 6, true, false, (*call).ed25519Verify},
	}
}

// endFuncs are what a contract ends with, and its log.
func endFuncs() []hostFunc {
	return []hostFunc{
		{"value_return", 2, false, false, func(c *call, a []uint64) {
			c.charge(baseCost)
			v := c.memoryOrRegister(a[0], a[1])
			if len(v) > maxReturnBytes {
				c.end(hostError("ReturnedValueLengthExceeded { length: %d, limit: %d }", len(v), maxReturnBytes))
			}
			c.result = slices.Clone(v)
		}},
		{"panic", 0, false, false, func(c *call, _ []uint64) {
			c.charge(baseCost)
			c.end(guestPanic("explicit guest panic"))
		}},
		{"panic_utf8", 2, false, false, func(c *call, a []uint64) {
			c.charge(baseCost)
			c.end(guestPanic(c.utf8(a[0], a[1])))
		}},
		{"log_utf8", 2, false, false, func(c *call, a []uint64) {
			c.charge(baseCost)
			c.mayLog()
			c.log(c.utf8(a[0], a[1]))
		}},
		{"log_utf16", 2, false, false, func(c *call, a []uint64) {
			c.charge(baseCost)
			c.mayLog()
			c.log(c.utf16(a[0], a[1]))
		}},
		{"abort", 4, false, true, func(c *call, a []uint64) {
			c.abort(uint32(a[0]), uint32(a[1]), uint32(a[2]), uint32(a[3]))
		}},
	}
}

// stateFuncs read the account's code and storage; gas is what an older compiler
// put in to count it.
func stateFuncs() []hostFunc {
	return []hostFunc{
		{"current_contract_code", 1, true, false, func(c *call, a []uint64) {
			const local = 1 // the code is the account's own
			c.charge(baseCost)
			c.setRegister(a[0], c.codeHash[:])
			a[0] = local
		}},
		{"storage_read", 3, true, false, (*call).storageRead},
		{"storage_has_key", 2, true, false, (*call).storageHasKey},
		{"gas", 1, false, true, func(c *call, a []uint64) { c.chargePer(regularOpCost, uint64(uint32(a[0]))) }},
	}
}

// refusedFuncs are those that a view may not call, that are no more, and that
// this node does not have.
func refusedFuncs() (funcs []hostFunc) {
	for _, p := range prohibited {
		funcs = append(funcs, hostFunc{p.name, p.args, p.result, false, func(c *call, _ []uint64) {
			c.charge(baseCost)
			c.end(prohibitedInView(p.name))
		}})
	}
	for _, p := range deprecated {
		funcs = append(funcs, hostFunc{p.name, p.args, true, false, func(c *call, _ []uint64) {
			c.end(hostError("Deprecated { method_name: %s }", debugString(p.name)))
		}})
	}
	for _, p := range missing {
		funcs = append(funcs, hostFunc{p.name, p.args, p.result, false, func(c *call, _ []uint64) {
			c.charge(baseCost)
			c.end(failure("the host function " + p.name + " is not part of this node"))
		}})
	}
	return funcs
}

func contextValue(of func(*Env) uint64) func(*call, []uint64) {
	return func(c *call, a []uint64) {
		c.charge(baseCost)
		a[0] = of(c.env)
	}
}

func balance(of func(*Env) [16]byte) func(*call, []uint64) {
	return func(c *call, a []uint64) {
		c.charge(baseCost)
		b := of(c.env)
		c.store(a[0], b[:])
	}
}

func hash(base, perByte uint64, sum func([]byte) []byte) func(*call, []uint64) {
	return func(c *call, a []uint64) {
		c.charge(base)
		v := c.memoryOrRegister(a[0], a[1])
		c.chargePer(perByte, uint64(len(v)))
		c.setRegister(a[2], sum(v))
	}
}

func (c *call) ed25519Verify(a []uint64) {
	invalid := func(what string) failure {
		return hostError("Ed25519VerifyInvalidInput { msg: %s }", debugString("invalid "+what+" length"))
	}
	c.charge(ed25519Base)
	sig := c.memoryOrRegister(a[0], a[1])
	if len(sig) != ed25519.SignatureSize {
		c.end(invalid("signature"))
	}
	if sig[ed25519.SignatureSize-1]&0xe0 != 0 {
		a[0] = 0
		return
	}
	msg := c.memoryOrRegister(a[2], a[3])
	c.chargePer(ed25519Byte, uint64(len(msg)))
	key := c.memoryOrRegister(a[4], a[5])
	if len(key) != ed25519.PublicKeySize {
		c.end(invalid("public key"))
	}
	a[0] = 0
	if ed25519.Verify(key, msg, sig) {
		a[0] = 1
	}
}

// key reads a storage key and charges for it.
func (c *call) key(n, ptr, base, perByte uint64) []byte {
	c.charge(baseCost)
	c.charge(base)
	key := c.memoryOrRegister(n, ptr)
	if len(key) > maxKeyBytes {
		c.end(hostError("KeyLengthExceeded { length: %d, limit: %d }", len(key), maxKeyBytes))
	}
	c.chargePer(perByte, uint64(len(key)))
	return key
}

func (c *call) lookUp(key []byte) ([]byte, bool) {
	if c.env.Read == nil {
		return nil, false
	}
	return c.env.Read(key)
}

func (c *call) storageRead(a []uint64) {
	value, ok := c.lookUp(c.key(a[0], a[1], storageReadBase, storageReadKeyByte))
	if !ok {
		a[0] = 0
		return
	}
	c.chargePer(storageReadByte, uint64(len(value)))
	if len(value) > storageLarge {
		c.charge(storageLargeBase)
		c.chargePer(storageLargeByte, uint64(len(value)))
	}
	c.setRegister(a[2], value)
	a[0] = 1
}

func (c *call) storageHasKey(a []uint64) {
	_, ok := c.lookUp(c.key(a[0], a[1], storageHasBase, storageHasKeyByte))
	a[0] = 0
	if ok {
		a[0] = 1
	}
}

// hostTypes gives the type of every host function by name.
func hostTypes() map[string]funcType {
	types := map[string]funcType{}
	for _, h := range hostFuncs() {
		types[h.name] = h.funcType()
	}
	// The one function with mixed types.
	types["promise_yield_resume"] = funcType{[]byte{i64, i64, i64, i64}, []byte{i32}}
	return types
}

type callKey struct{}

// internalNames are what the functions that instrumented code calls are called.
var internalNames = [internalCalls]string{callRefill: "refill", callLinear: "linear", callExhausted: "exhausted"}

// export makes the host modules.
func export(ctx context.Context, r wazero.Runtime, types map[string]funcType) error {
	env := r.NewHostModuleBuilder("env")
	for _, h := range hostFuncs() {
		add(env, h.name, h.funcType(), h.do)
	}
	add(env, "promise_yield_resume", types["promise_yield_resume"], func(c *call, _ []uint64) {
		c.charge(baseCost)
		c.end(prohibitedInView("promise_yield_resume"))
	})
	if _, err := env.Instantiate(ctx); err != nil {
		return err
	}
	internal := r.NewHostModuleBuilder(internalModule)
	add(internal, internalNames[callRefill], funcType{}, func(c *call, _ []uint64) { c.refill() })
	add(internal, internalNames[callLinear], funcType{[]byte{i32}, []byte{i32}}, func(c *call, a []uint64) {
		c.chargeLinear(uint32(a[0]))
	})
	add(internal, internalNames[callExhausted], funcType{}, func(c *call, _ []uint64) { c.end(memoryAccessViolation) })
	_, err := internal.Instantiate(ctx)
	return err
}

func add(b wazero.HostModuleBuilder, name string, t funcType, do func(*call, []uint64)) {
	b.NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(func(ctx context.Context, mod api.Module, stack []uint64) {
		c := ctx.Value(callKey{}).(*call)
		c.enter(mod)
		do(c, stack)
	}), t.params, t.results).Export(name)
}
