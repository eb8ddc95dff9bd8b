package vm

import (
	"math"
	"unicode/utf8"
)

// Limits of nearcore's limit_config (protocol version 84).
const (
	initialPages   = 1024
	maxPages       = 2048
	pageSize       = 1 << 16
	maxStackBytes  = 262144
	maxFunctions   = 10_000
	maxLocals      = 1_000_000
	maxTables      = 1
	maxElements    = 10_000
	maxBodyBytes   = 196_608
	bytesOfFrame   = 64 // what a frame counts for beside its locals
	gasExport      = "volley gas"
	internalModule = "internal"
)

// Sections of a module, by number.
const (
	secCustom = iota
	secType
	secImport
	secFunction
	secTable
	secMemory
	secGlobal
	secExport
	secStart
	secElement
	secCode
	secData
	secDataCount
	sections
)

// The functions that instrumented code calls, in the order in which they are
// added behind the contract's own imports.
const (
	callRefill    = iota // () -> ()       gas granted so far is used up
	callLinear           // (i32) -> (i32) a bulk operation over so many elements
	callExhausted        // () -> ()       no room for another frame
	internalCalls
)

// Value types.
const (
	i32 = 0x7f
	i64 = 0x7e
	f32 = 0x7d
	f64 = 0x7c
)

type funcType struct{ params, results []byte }

func (t funcType) equal(u funcType) bool {
	return string(t.params) == string(u.params) && string(t.results) == string(u.results)
}

// module is a contract taken apart, as far as preparing it needs.
type module struct {
	host      map[string]funcType // what can be imported
	sections  [sections][]byte
	types     []funcType
	imports   []uint32 // types of imported functions
	functions []uint32 // types of the module's own
	globals   uint32
	hasMemory bool
	exported  map[string]funcType // exported functions
	locals    uint64              // declared in all bodies so far
	hasCounts bool
}

// prepare makes a contract ready to run as nearcore does (prepare_v3.rs): it
// gives it the standard memory, has it count its instructions and its frames,
// and checks what the limits and the host functions ask for. The result is
// checked in full when it is compiled; prepare itself looks at everything that
// its own additions could make valid. Every export but those of functions and
// tables goes, and so do custom sections.
func prepare(code []byte, host map[string]funcType) (out []byte, exported map[string]funcType, err error) {
	m := &module{host: host, exported: map[string]funcType{}}
	if !m.split(code) {
		return nil, nil, prepareError("Deserialization")
	}
	steps := []struct {
		section int
		step    func(r *reader) error
	}{
		{secType, m.readTypes},
		{secImport, m.readImports},
		{secFunction, m.readFunctions},
		{secTable, m.readTables},
		{secMemory, m.readMemory},
		{secGlobal, m.readGlobals},
		{secExport, m.readExports},
		{secStart, m.readStart},
		{secElement, m.readElements},
		{secCode, m.readCode},
		{secData, m.readData},
	}
	for _, s := range steps {
		r := &reader{b: m.sections[s.section]}
		if err := s.step(r); err != nil {
			return nil, nil, err
		}
		if r.bad || r.more() {
			return nil, nil, prepareError("Deserialization")
		}
	}
	return m.assemble(), m.exported, nil
}

// order gives each section's place; a module has each at most once.
var order = [sections]int{
	secType: 1, secImport: 2, secFunction: 3, secTable: 4, secMemory: 5, secGlobal: 6,
	secExport: 7, secStart: 8, secElement: 9, secDataCount: 10, secCode: 11, secData: 12,
}

func (m *module) split(code []byte) bool {
	r := &reader{b: code}
	if string(r.take(8)) != "\x00asm\x01\x00\x00\x00" {
		return false
	}
	at := 0
	for r.more() {
		id := r.byte()
		content := r.take(r.u32())
		if r.bad || int(id) >= sections {
			return false
		}
		if id == secCustom {
			c := &reader{b: content}
			if name := c.name(); c.bad || !utf8.ValidString(name) {
				return false
			}
			continue
		}
		if order[id] <= at || len(content) == 0 {
			return false
		}
		at = order[id]
		m.sections[id] = content
		m.hasCounts = m.hasCounts || id == secDataCount
	}
	return !r.bad
}

// readTables reads the tables and keeps them from growing over the limit.
func (m *module) readTables(r *reader) error {
	n := count(r)
	if n > maxTables {
		return prepareError("TooManyTables")
	}
	if n == 0 {
		return nil
	}
	kind := r.byte()
	low, high := limits(r)
	if low > maxElements {
		return prepareError("TooManyTableElements")
	}
	out := appendU32([]byte{byte(n), kind, 1}, low)
	m.sections[secTable] = appendU32(out, min(high, maxElements))
	return nil
}

// limits reads the initial and the greatest size of a table or a memory.
func limits(r *reader) (low, high uint32) {
	flag := r.byte()
	low, high = r.u32(), math.MaxUint32
	if flag == 1 {
		high = r.u32()
	}
	if flag > 1 || high < low {
		r.fail()
	}
	return low, high
}

func (m *module) readMemory(r *reader) error {
	n := count(r)
	m.hasMemory = n > 0
	if n > 1 {
		r.fail()
	}
	for range n {
		low, high := limits(r)
		const most = math.MaxUint16 + 1
		if low > most || high > most && high != math.MaxUint32 {
			r.fail()
		}
	}
	return nil
}

// readGlobals reads the globals; no initial value may read a global, since none
// can be imported.
func (m *module) readGlobals(r *reader) error {
	m.globals = count(r)
	out := appendU32(nil, m.globals+2)
	for range m.globals {
		out = append(out, r.byte(), r.byte())
		out = m.constant(r, out)
		if r.bad {
			return nil
		}
	}
	out = append(out, i64, 1, 0x42, 0, 0x0b)
	out = append(out, i64, 1)
	out = append(appendI64(append(out, 0x42), maxStackBytes), 0x0b)
	m.sections[secGlobal] = out
	return nil
}

// constant copies a constant expression, of one instruction.
func (m *module) constant(r *reader, out []byte) []byte {
	start := r.off
	switch r.byte() {
	case 0x41:
		r.skipInt(32)
	case 0x42:
		r.skipInt(64)
	case 0x43:
		r.take(4)
	case 0x44:
		r.take(8)
	case 0xd0:
		r.byte()
	case 0xd2:
		f := m.moved(r, r.u32())
		if r.byte() != 0x0b {
			r.fail()
		}
		return append(appendU32(append(out, 0xd2), f), 0x0b)
	default:
		r.fail()
	}
	if r.byte() != 0x0b {
		r.fail()
	}
	if r.bad {
		return out
	}
	return append(out, r.b[start:r.off]...)
}

func (m *module) readCode(r *reader) error {
	n := count(r)
	if uint64(n) != uint64(len(m.functions)) {
		r.fail()
	}
	if r.bad || n == 0 {
		return nil
	}
	out := appendU32(nil, n)
	for i := range n {
		body := r.take(r.u32())
		if r.bad {
			return nil
		}
		if len(body) > maxBodyBytes {
			return prepareError("FunctionBodyTooLarge")
		}
		metered, err := m.meter(body, m.types[m.functions[i]])
		if err != nil {
			return err
		}
		out = appendU32(out, uint32(len(metered)))
		out = append(out, metered...)
	}
	m.sections[secCode] = out
	return nil
}

// readData leaves the segments to the compiler, which knows their bounds; only
// that there is a memory for them is checked here.
func (m *module) readData(r *reader) error {
	if count(r) > 0 && !m.hasMemory {
		r.fail()
	}
	if !r.bad {
		r.off = len(r.b)
	}
	return nil
}

func (m *module) assemble() []byte {
	m.sections[secType] = m.addTypes()
	m.sections[secImport] = m.addImports()
	memory := appendU32([]byte{1, 1}, initialPages)
	m.sections[secMemory] = appendU32(memory, maxPages)
	out := []byte("\x00asm\x01\x00\x00\x00")
	for _, id := range []byte{secType, secImport, secFunction, secTable, secMemory, secGlobal,
		secExport, secStart, secElement, secDataCount, secCode, secData} {
		out = appendSection(out, id, m.sections[id])
	}
	return out
}
