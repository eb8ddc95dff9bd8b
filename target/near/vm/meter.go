package vm

// Gas is counted by the contract itself, as in nearcore: a global holds what is
// granted and not yet used, and each stretch of instructions that can only run
// as a whole first takes its price from it. Another global holds the bytes of
// stack that are left. Below, G is the index of the first, the second follows.

// meterer rewrites one function's body.
type meterer struct {
	m       *module
	r       *reader
	out     []byte
	locals  uint64 // of the contract, parameters included
	scratch uint32 // a local of ours, i64
	depth   uint32 // of nested blocks, the function's own excluded
	cost    int64  // of that stretch, in gas
	pending []byte // that stretch
}

// meter gives a body that pays for what it does.
func (m *module) meter(body []byte, t funcType) ([]byte, error) {
	w := &meterer{m: m, r: &reader{b: body}, locals: uint64(len(t.params))}
	frame := uint64(bytesOfFrame)
	for _, v := range t.params {
		frame += sizeOf(v)
	}
	groups := w.r.u32()
	if uint64(groups) > uint64(len(body)) {
		w.r.fail()
	}
	declared := w.r.off
	for range groups {
		n, v := w.r.u32(), w.r.byte()
		w.locals += uint64(n)
		frame += uint64(n) * sizeOf(v)
		m.locals += uint64(n)
		if w.r.bad {
			break
		}
	}
	if w.r.bad || groups == 1<<32-1 {
		return nil, prepareError("Deserialization")
	}
	if m.locals > maxLocals {
		return nil, prepareError("TooManyLocals")
	}
	w.scratch = uint32(w.locals)
	w.out = appendU32(w.out, groups+1)
	w.out = append(w.out, body[declared:w.r.off]...)
	w.out = append(w.out, 1, i64)

	stack := m.globals + 1
	w.take(stack, int64(frame), callExhausted)
	w.pay(int64((frame+7)/8) * regularOpCost)
	blockType := byte(0x40)
	if len(t.results) == 1 {
		blockType = t.results[0]
	}
	w.out = append(w.out, 0x02, blockType)
	for ended := false; !ended && w.r.more(); {
		ended = w.instruction()
	}
	if w.r.bad || w.r.more() || w.depth != 0 || len(w.pending) != 0 || w.cost != 0 {
		return nil, prepareError("Deserialization")
	}
	// Every way out but a trap leads here.
	w.out = appendU32(append(w.out, 0x23), stack)
	w.out = appendI64(append(w.out, 0x42), int64(frame))
	w.out = appendU32(append(w.out, 0x7c, 0x24), stack)
	return append(w.out, 0x0b), nil
}

// sizeOf is what a value counts for in a frame.
func sizeOf(v byte) uint64 {
	if v == i32 || v == f32 {
		return 4
	}
	return 8
}

// take writes: global -= n; if global < 0, call the internal function.
func (w *meterer) take(global uint32, n int64, call uint32) {
	w.out = appendU32(append(w.out, 0x23), global)
	w.out = appendI64(append(w.out, 0x42), n)
	w.out = appendU32(append(w.out, 0x7d, 0x22), w.scratch)
	w.out = appendU32(append(w.out, 0x24), global)
	w.out = appendU32(append(w.out, 0x20), w.scratch)
	w.out = append(w.out, 0x42, 0, 0x53, 0x04, 0x40)
	w.out = w.call(w.out, call)
	w.out = append(w.out, 0x0b)
}

func (w *meterer) call(dst []byte, internal uint32) []byte {
	return appendU32(append(dst, 0x10), uint32(len(w.m.imports))+internal)
}

func (w *meterer) pay(gas int64) {
	if gas > 0 {
		w.take(w.m.globals, gas, callRefill)
	}
}

// flush writes the stretch that ends here, its price before it.
func (w *meterer) flush() {
	w.pay(w.cost)
	w.out = append(w.out, w.pending...)
	w.cost, w.pending = 0, w.pending[:0]
}

// instruction reads one instruction and reports whether it was the function's
// last. All cost the same but block, else and end, which are free, and the bulk
// operations, which pay by length.
func (w *meterer) instruction() bool {
	start := w.r.off
	op := w.r.byte()
	w.cost += regularOpCost
	switch op {
	case 0x02, 0x03, 0x04: // block, loop, if
		w.blockType()
		w.depth++
		w.copy(start)
		if op == 0x02 {
			w.cost -= regularOpCost
		} else {
			w.flush()
		}
	case 0x05, 0x0b: // else, end
		w.cost -= regularOpCost
		w.copy(start)
		w.flush()
		if op == 0x0b {
			if w.depth == 0 {
				return true
			}
			w.depth--
		}
	case 0x0f: // return leads to the end of the block around the body
		w.pending = appendU32(append(w.pending, 0x0c), w.depth)
		w.flush()
	case 0x00, 0x0c, 0x0d: // unreachable, br, br_if
		if op != 0x00 {
			w.label(w.r.u32())
		}
		w.copy(start)
		w.flush()
	case 0x0e: // br_table
		for n := uint64(w.r.u32()) + 1; n > 0 && !w.r.bad; n-- {
			w.label(w.r.u32())
		}
		w.copy(start)
		w.flush()
	case 0x10, 0xd2: // call, ref.func
		w.pending = appendU32(append(w.pending, op), w.m.moved(w.r, w.r.u32()))
		if op == 0x10 {
			w.flush()
		}
	case 0x11: // call_indirect
		w.typeIndex(w.r.u32())
		w.r.u32()
		w.copy(start)
		w.flush()
	case 0xfc:
		w.prefixed(start)
	default:
		w.plain(op)
		w.copy(start)
	}
	return w.r.bad
}

func (w *meterer) copy(start int) { w.pending = append(w.pending, w.r.b[start:w.r.off]...) }

// label checks that a branch leads somewhere; the block around the body stands
// where the function's own label stood.
func (w *meterer) label(n uint32) {
	if n > w.depth {
		w.r.fail()
	}
}

func (w *meterer) typeIndex(n uint32) {
	if uint64(n) >= uint64(len(w.m.types)) {
		w.r.fail()
	}
}

// blockType passes over the type of a block: none or one result, since nearcore
// leaves the multi-value extension off.
func (w *meterer) blockType() {
	switch w.r.byte() {
	case 0x40, i32, i64, f32, f64, 0x70, 0x6f:
	default:
		w.r.fail()
	}
}

func (w *meterer) memory() {
	if !w.m.hasMemory {
		w.r.fail()
	}
}

// plain passes over the immediates of an instruction that is copied as it is.
func (w *meterer) plain(op byte) {
	r := w.r
	switch {
	case op >= 0x20 && op <= 0x22: // local.get, local.set, local.tee
		if uint64(r.u32()) >= w.locals {
			r.fail()
		}
	case op == 0x23 || op == 0x24: // global.get, global.set
		if r.u32() >= w.m.globals {
			r.fail()
		}
	case op == 0x25 || op == 0x26: // table.get, table.set
		r.u32()
	case op >= 0x28 && op <= 0x3e: // loads and stores
		w.memory()
		r.u32()
		r.u32()
	case op == 0x3f || op == 0x40: // memory.size, memory.grow
		w.memory()
		r.byte()
	case op == 0x41:
		r.skipInt(32)
	case op == 0x42:
		r.skipInt(64)
	case op == 0x43:
		r.take(4)
	case op == 0x44:
		r.take(8)
	case op == 0x1c: // select with a type
		r.take(r.u32())
	case op == 0xd0: // ref.null
		r.byte()
	case op == 0x01, op == 0x1a, op == 0x1b, op >= 0x45 && op <= 0xc4, op == 0xd1:
	default:
		r.fail()
	}
}

// prefixed reads what follows 0xfc: conversions that saturate and the bulk
// operations.
func (w *meterer) prefixed(start int) {
	r := w.r
	op := r.u32()
	switch op {
	case 0, 1, 2, 3, 4, 5, 6, 7, 15, 16: // conversions, table.grow, table.size
		if op > 7 {
			r.u32()
		}
		w.copy(start)
		return
	case 9, 13: // data.drop, elem.drop
		if op == 9 && !w.m.hasCounts {
			r.fail()
		}
		r.u32()
		w.copy(start)
		return
	case 8: // memory.init
		w.memory()
		if !w.m.hasCounts {
			r.fail()
		}
		r.u32()
		r.byte()
	case 10: // memory.copy
		w.memory()
		r.byte()
		r.byte()
	case 11: // memory.fill
		w.memory()
		r.byte()
	case 12, 14: // table.init, table.copy
		r.u32()
		r.u32()
	case 17: // table.fill
		r.u32()
	default:
		r.fail()
	}
	w.cost -= regularOpCost
	// The number of elements is on top of the stack.
	w.pending = w.call(w.pending, callLinear)
	w.copy(start)
	w.flush()
}
