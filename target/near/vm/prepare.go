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

// count begins a section: the number of its entries, none where it is absent.
func count(r *reader) uint32 {
	if len(r.b) == 0 {
		return 0
	}
	n := r.u32()
	if uint64(n) > uint64(len(r.b)) {
		r.fail()
		return 0
	}
	return n
}

func (m *module) readTypes(r *reader) error {
	n := count(r)
	for range n {
		if r.byte() != 0x60 {
			r.fail()
		}
		t := funcType{params: r.take(r.u32())}
		t.results = r.take(r.u32())
		if len(t.results) > 1 { // nearcore leaves the multi-value extension off
			r.fail()
		}
		m.types = append(m.types, t)
		if r.bad {
			return nil
		}
	}
	return nil
}

// addTypes appends the types of the functions that instrumented code calls.
func (m *module) addTypes() []byte {
	r := &reader{b: m.sections[secType]}
	count(r)
	out := appendU32(nil, uint32(len(m.types))+2)
	out = append(out, r.b[r.off:]...)
	return append(out, 0x60, 0, 0, 0x60, 1, i32, 1, i32)
}

func (m *module) readImports(r *reader) error {
	n := count(r)
	for range n {
		from, name, kind := r.name(), r.name(), r.byte()
		if r.bad {
			return nil
		}
		if from != "env" {
			return prepareError("Instantiate")
		}
		switch kind {
		case 0:
		case 1, 3:
			return prepareError("Instantiate")
		case 2:
			return prepareError("Memory")
		default:
			return prepareError("Deserialization")
		}
		t := r.u32()
		if r.bad || uint64(t) >= uint64(len(m.types)) {
			r.fail()
			return nil
		}
		if len(m.imports) == maxFunctions {
			return prepareError("TooManyFunctions")
		}
		if err := m.linkable(name, m.types[t]); err != nil {
			return err
		}
		m.imports = append(m.imports, t)
	}
	return nil
}

func (m *module) addImports() []byte {
	out := appendU32(nil, uint32(len(m.imports))+internalCalls)
	if r := (&reader{b: m.sections[secImport]}); len(r.b) > 0 {
		r.u32()
		out = append(out, r.b[r.off:]...)
	}
	none := uint32(len(m.types))
	for i, name := range internalNames {
		t := none
		if i == callLinear {
			t++
		}
		out = append(appendName(appendName(out, internalModule), name), 0)
		out = appendU32(out, t)
	}
	return out
}

func (m *module) readFunctions(r *reader) error {
	n := count(r)
	if uint64(n)+uint64(len(m.imports)) > maxFunctions {
		return prepareError("TooManyFunctions")
	}
	for range n {
		t := r.u32()
		if uint64(t) >= uint64(len(m.types)) {
			r.fail()
			return nil
		}
		m.functions = append(m.functions, t)
	}
	return nil
}

// typeOf gives the type of a function by the index that the contract knows.
func (m *module) typeOf(f uint32) (funcType, bool) {
	i := uint64(f)
	if i < uint64(len(m.imports)) {
		return m.types[m.imports[i]], true
	}
	if i -= uint64(len(m.imports)); i < uint64(len(m.functions)) {
		return m.types[m.functions[i]], true
	}
	return funcType{}, false
}

// moved gives a function's index behind the added imports.
func (m *module) moved(r *reader, f uint32) uint32 {
	if _, known := m.typeOf(f); !known {
		r.fail()
	}
	if uint64(f) >= uint64(len(m.imports)) {
		return f + internalCalls
	}
	return f
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

func (m *module) readExports(r *reader) error {
	n := count(r)
	var kept uint32
	var out []byte
	seen := map[string]bool{gasExport: true}
	for range n {
		name, kind, index := r.name(), r.byte(), r.u32()
		if r.bad || seen[name] {
			r.fail()
			return nil
		}
		seen[name] = true
		switch kind {
		case 0:
			if t, ok := m.typeOf(index); ok {
				m.exported[name] = t
			}
			index = m.moved(r, index)
		case 1:
		case 2:
			if index != 0 || !m.hasMemory {
				r.fail()
			}
			continue
		case 3:
			if index >= m.globals {
				r.fail()
			}
			continue
		default:
			r.fail()
		}
		kept++
		out = appendU32(append(appendName(out, name), kind), index)
	}
	all := append(appendU32(nil, kept+1), out...)
	all = append(appendName(all, gasExport), 3)
	m.sections[secExport] = appendU32(all, m.globals)
	return nil
}

func (m *module) readStart(r *reader) error {
	if len(r.b) > 0 {
		m.sections[secStart] = appendU32(nil, m.moved(r, r.u32()))
	}
	return nil
}

// readElements copies the element segments, whose form is in the low three bits
// of a flag: 1 passive or declarative, 2 with a table or declarative, 4 with
// expressions instead of indices.
func (m *module) readElements(r *reader) error {
	if len(r.b) == 0 {
		return nil
	}
	n := count(r)
	out := appendU32(nil, n)
	for range n {
		form := r.u32()
		if form > 7 {
			r.fail()
		}
		out = appendU32(out, form)
		if form&1 == 0 {
			if form&2 != 0 {
				out = appendU32(out, r.u32())
			}
			out = m.constant(r, out)
		}
		if form&3 != 0 {
			out = append(out, r.byte()) // what the elements are
		}
		elements := r.u32()
		out = appendU32(out, elements)
		for range elements {
			if form&4 != 0 {
				out = m.constant(r, out)
			} else {
				out = appendU32(out, m.moved(r, r.u32()))
			}
			if r.bad {
				return nil
			}
		}
	}
	m.sections[secElement] = out
	return nil
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
