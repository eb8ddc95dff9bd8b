package vm

import (
	"context"
	"math"
	"math/bits"
	"time"

	"github.com/tetratelabs/wazero/api"
)

// grant is how much gas a contract is given at a time: a million instructions,
// some milliseconds. Each time it is used up the clock and the context are
// looked at.
const grant = 1 << 20 * regularOpCost

// call is one view call under way. It belongs to one goroutine.
type call struct {
	ctx      context.Context
	env      *Env
	args     []byte
	codeHash [32]byte

	limit    uint64
	reserve  uint64 // gas neither used nor granted
	until    uint64 // gas that may pass through charge before the clock is looked at
	deadline time.Time

	granted   api.MutableGlobal // what the contract has left of what it was granted
	memory    api.Memory
	registers []register
	inUse     uint64 // by registers, as nearcore counts it

	logs     []string
	logBytes uint64
	result   []byte
	ended    failure
}

type register struct {
	id   uint64
	data []byte
}

// enter is called first in every host function. The module is the contract,
// save where the contract exports or starts with a host function itself.
func (c *call) enter(mod api.Module) {
	if c.memory == nil {
		if g, ok := mod.ExportedGlobal(gasExport).(api.MutableGlobal); ok {
			c.granted, c.memory = g, mod.Memory()
		}
	}
}

// end ends the call from within a host function.
func (c *call) end(f failure) {
	c.ended = f
	panic(f)
}

// reclaim takes back what was granted and not used.
func (c *call) reclaim() {
	if c.granted == nil {
		return
	}
	// Below zero: the contract took more than it was granted.
	left := int64(c.granted.Get())
	c.granted.Set(0)
	if left < 0 && uint64(-left) > c.reserve {
		c.reserve = 0
		c.end(gasLimitExceeded)
	}
	c.reserve += uint64(left)
}

// refill grants the contract more gas.
func (c *call) refill() {
	c.reclaim()
	c.look()
	n := min(c.reserve, grant)
	c.reserve -= n
	c.granted.Set(n)
}

// look ends the call if its time is over.
func (c *call) look() {
	if c.ctx.Err() != nil || time.Now().After(c.deadline) {
		c.end(gasLimitExceeded)
	}
	c.until = grant
}

// charge burns gas for what a host function does.
func (c *call) charge(gas uint64) {
	if gas > c.reserve {
		c.reclaim()
		if gas > c.reserve {
			burnt := c.limit - c.reserve
			c.reserve = 0
			if gas > math.MaxUint64-burnt {
				c.end(integerOverflow)
			}
			c.end(gasLimitExceeded)
		}
	}
	c.reserve -= gas
	if gas > c.until {
		c.look()
	} else {
		c.until -= gas
	}
}

// chargePer burns gas for n units.
func (c *call) chargePer(cost, n uint64) {
	over, gas := bits.Mul64(cost, n)
	if over != 0 {
		c.end(integerOverflow)
	}
	c.charge(gas)
}

// chargeLinear burns what a bulk operation costs.
func (c *call) chargeLinear(n uint32) {
	c.charge(linearBaseCost + linearUnitCost*uint64(n))
}

func (c *call) used() uint64 {
	left := c.reserve
	if c.granted != nil {
		if g := int64(c.granted.Get()); g > 0 {
			left += uint64(g)
		} else {
			left -= min(left, uint64(-g))
		}
	}
	return c.limit - left
}

// view gives a slice of the contract's memory, which stays the contract's.
func (c *call) view(ptr, n uint64) []byte {
	c.charge(readMemoryBase)
	c.chargePer(readMemoryByte, n)
	return c.viewFree(ptr, n)
}

func (c *call) viewFree(ptr, n uint64) []byte {
	if ptr <= math.MaxUint32 && n <= math.MaxUint32 && c.memory != nil {
		if b, ok := c.memory.Read(uint32(ptr), uint32(n)); ok {
			return b
		}
	}
	c.end(memoryAccessViolation)
	return nil
}

func (c *call) store(ptr uint64, data []byte) {
	c.charge(writeMemoryBase)
	c.chargePer(writeMemoryByte, uint64(len(data)))
	if ptr > math.MaxUint32 || c.memory == nil || !c.memory.Write(uint32(ptr), data) {
		c.end(memoryAccessViolation)
	}
}

// memoryOrRegister gives the bytes at ptr or, where n is all ones, register
// ptr.
func (c *call) memoryOrRegister(n, ptr uint64) []byte {
	if n == math.MaxUint64 {
		return c.register(ptr)
	}
	return c.view(ptr, n)
}

func (c *call) find(id uint64) *register {
	for i := range c.registers {
		if c.registers[i].id == id {
			return &c.registers[i]
		}
	}
	return nil
}

func (c *call) register(id uint64) []byte {
	r := c.find(id)
	if r == nil {
		c.end(hostError("InvalidRegisterId { register_id: %d }", id))
	}
	c.charge(readRegisterBase)
	c.chargePer(readRegisterByte, uint64(len(r.data)))
	return r.data
}

// setRegister keeps data itself, not a copy.
func (c *call) setRegister(id uint64, data []byte) {
	c.charge(writeRegisterBase)
	c.chargePer(writeRegisterByte, uint64(len(data)))
	c.putRegister(id, data)
}

// putRegister keeps nearcore's bounds; that none can be set, not even one that
// exists, once all are in use is nearcore's too (vmstate.rs).
func (c *call) putRegister(id uint64, data []byte) {
	const perRegister = 8
	if len(data) > maxRegisterSize || len(c.registers) >= maxRegisters {
		c.end(memoryAccessViolation)
	}
	use := c.inUse + uint64(len(data)) + perRegister
	r := c.find(id)
	if r != nil {
		use -= uint64(len(r.data)) + perRegister
	}
	if use > maxRegisterMemory {
		c.end(memoryAccessViolation)
	}
	c.inUse = use
	if r != nil {
		r.data = data
	} else {
		c.registers = append(c.registers, register{id, data})
	}
}
