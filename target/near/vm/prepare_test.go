package vm

import (
	"context"
	"slices"
	"strings"
	"testing"
)

func TestCompilationErrors(t *testing.T) {
	host := func(name string, t funcType) []byte {
		// A contract that imports name with a type of its own.
		c := []byte("\x00asm\x01\x00\x00\x00")
		types := append(appendU32([]byte{1, 0x60}, uint32(len(t.params))), t.params...)
		types = append(appendU32(types, uint32(len(t.results))), t.results...)
		c = appendSection(c, secType, types)
		return appendSection(c, secImport, append(appendName(appendName([]byte{1}, "env"), name), 0, 0))
	}
	section := func(parts ...[]byte) []byte {
		return slices.Concat(append([][]byte{[]byte("\x00asm\x01\x00\x00\x00")}, parts...)...)
	}
	sec := func(id byte, content ...byte) []byte { return appendSection(nil, id, content) }
	code := func(m method) []byte { return contractOf{methods: []method{m}}.wasm() }
	plain := func(parts ...[]byte) []byte { return code(method{name: "m", code: ops(parts...)}) }
	whole := plain()
	bad := prepareError("Deserialization")
	noMemory := func(parts ...[]byte) []byte {
		return contractOf{methods: []method{{name: "m", code: ops(parts...)}}, noMemory: true}.wasm()
	}
	imported := func(module string, description ...byte) []byte {
		return section(sec(secType, 1, 0x60, 0, 0),
			appendSection(nil, secImport, append(appendName(appendName([]byte{1}, module), "x"), description...)))
	}
	tests := []struct {
		name string
		wasm []byte
		err  failure
	}{
		{"nothing", nil, bad},
		{"no module", []byte("hello"), bad},
		{"another version", []byte("\x00asm\x02\x00\x00\x00"), bad},
		{"an empty module has no methods", section(), methodNotFound},
		{"cut short", whole[:len(whole)-1], bad},
		{"more behind it", append(slices.Clone(whole), 0), bad},
		{"an unknown section", section(sec(13, 0)), bad},
		{"sections out of order", section(sec(secFunction, 0), sec(secType, 0)), bad},
		{"a section of nothing", section([]byte{secType, 0}), bad},
		{"a section twice", section(sec(secType, 0), sec(secType, 0)), bad},
		{"a custom section is passed over", section(sec(secCustom, 1, 'x', 9, 9), sec(secCustom, 1, 'y')), methodNotFound},
		{"a custom section without its name", section(sec(secCustom, 2, 'x')), bad},
		{"a custom section whose name is no text", section(sec(secCustom, 1, 0xff)), bad},
		{"a function of no type", section(sec(secFunction, 1, 0)), bad},
		{"a function without a body", section(sec(secType, 1, 0x60, 0, 0), sec(secFunction, 1, 0)), bad},
		{"two results", section(sec(secType, 1, 0x60, 0, 2, i32, i32)), bad},
		{"a result that is missing", code(method{typ: funcType{results: []byte{i32}}}), bad},
		{"a value left over", plain(constI32(1)), bad},
		{"a value of another type", plain(constI64(1), op(0x45), drop), bad},
		{"an unknown instruction", plain(op(0xff)), bad},
		{"a vector instruction", plain(op(0xfd, 12), make([]byte, 16), drop), bad},
		{"a tail call", plain(op(0x12, 0)), bad},
		{"an end too many", plain(end), bad},
		{"an end too few", plain(block), bad},
		{"a branch to nowhere", plain(op(0x0c, 1)), bad},
		{"a block with a type by number", plain(op(0x02, 0), end), bad},
		{"a call of no function", plain(op(0x10, 1)), bad},
		{"a call of what we add", plain(op(0x10, 0x7f)), bad},
		{"a local that is ours", plain(op(0x20, 0), drop), bad},
		{"a global that is ours", plain(op(0x23, 0), drop), bad},
		{"a type that is ours", plain(constI32(0), op(0x11, 1, 0)), bad},
		{"an export of our global", section(sec(secExport, 1, 1, 'g', 3, 0)), bad},
		{"an export of no function", section(sec(secExport, 1, 1, 'f', 0, 0)), bad},
		{"an export twice", section(sec(secMemory, 1, 0, 1), sec(secExport, 2, 1, 'm', 2, 0, 1, 'm', 2, 0)), bad},
		{"a start of no function", section(sec(secStart, 0)), bad},
		{"a load without a memory", noMemory(constI32(0), op(0x28, 0, 0), drop), bad},
		{"memory.grow without a memory", noMemory(constI32(0), op(0x40, 0), drop), bad},
		{"memory.fill without a memory", noMemory(constI32(0), constI32(0), constI32(0), op(0xfc, 11, 0)), bad},
		{"data without a memory", section(sec(secData, 1, 0, 0x41, 0, 0x0b, 0)), bad},
		{"two memories", section(sec(secMemory, 2, 0, 1, 0, 1)), bad},
		{"a memory that ends before it begins", section(sec(secMemory, 1, 1, 2, 1)), bad},
		{"a memory of more than 4 GiB", section(sec(secMemory, 1, 0, 0x81, 0x80, 0x04)), bad},
		{"a global from a global", section(sec(secGlobal, 2, i32, 0, 0x41, 0, 0x0b, i32, 0, 0x23, 0, 0x0b)), bad},
		{"an element of no function", section(sec(secTable, 1, 0x70, 0, 1), sec(secElement, 1, 0, 0x41, 0, 0x0b, 1, 0)), bad},

		{"an import of no host function", host("evm_call", funcType{}), linkError("unknown or invalid import")},
		{"our functions cannot be imported", host("refill", funcType{}), linkError("unknown or invalid import")},
		{"an import of another type", host("input", funcType{params: []byte{i32}}),
			"LinkError { msg: \"types incompatible: expected type `(func (param i32))`, found type `(func (param i64))`\" }"},
		{"an import with a result too many", host("panic", funcType{results: []byte{i32}}),
			"LinkError { msg: \"types incompatible: expected type `(func (result i32))`, found type `(func)`\" }"},
		{"an import from another module", imported("internal", 0, 0), prepareError("Instantiate")},
		{"an imported table", imported("env", 1, 0x70, 0, 1), prepareError("Instantiate")},
		{"an imported memory", imported("env", 2, 0, 1), prepareError("Memory")},
		{"an imported global", imported("env", 3, i32, 0), prepareError("Instantiate")},
		{"an import of what is none", imported("env", 9), bad},

		{"too many functions", section(sec(secType, 1, 0x60, 0, 0),
			sec(secFunction, append(appendU32(nil, maxFunctions+1), make([]byte, maxFunctions+1)...)...)), prepareError("TooManyFunctions")},
		{"too many locals", section(sec(secType, 1, 0x60, 0, 0), sec(secFunction, 1, 0),
			sec(secCode, append(appendU32([]byte{1, 6, 1}, maxLocals+1), i32, 0x0b)...)), prepareError("TooManyLocals")},
		{"too many tables", section(sec(secTable, 2, 0x70, 0, 1, 0x70, 0, 1)), prepareError("TooManyTables")},
		{"too large a table", section(sec(secTable, appendU32([]byte{1, 0x70, 0}, maxElements+1)...)), prepareError("TooManyTableElements")},
		{"too large a body", plain([]byte(strings.Repeat("\x01", maxBodyBytes))), prepareError("FunctionBodyTooLarge")},
	}
	e := newEngine(t, Options{})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for range 2 { // the second time, from the cache
				if o := e.View(context.Background(), NewCode(tt.wasm), "m", nil, Env{}); o.Err != tt.err.Error() {
					t.Errorf("error %q, want %q", o.Err, tt.err.Error())
				}
			}
		})
	}
}

// TestElementsMove has every form of element segment name the same function,
// whose index the added imports change.
func TestElementsMove(t *testing.T) {
	offset := []byte{0x41, 0, 0x0b}
	expression := []byte{0xd2, 1, 0x0b}
	forms := []struct {
		name    string
		segment []byte
		active  bool
	}{
		{"indices", ops([]byte{0}, offset, []byte{1, 1}), true},
		{"passive", []byte{1, 0, 1, 1}, false},
		{"indices with a table", ops([]byte{2, 0}, offset, []byte{0, 1, 1}), true},
		{"declared", []byte{3, 0, 1, 1}, false},
		{"expressions", ops([]byte{4}, offset, []byte{1}, expression), true},
		{"passive expressions", ops([]byte{5, 0x70, 1}, expression), false},
		{"expressions with a table", ops([]byte{6, 0}, offset, []byte{0x70, 1}, expression), true},
		{"declared expressions", ops([]byte{7, 0x70, 1}, expression), false},
	}
	e := newEngine(t, Options{})
	for _, f := range forms {
		// Function 0 is the method, function 1 the one in the table.
		c := contractOf{
			types: []funcType{nothing},
			table: []uint32{1},
			methods: []method{
				{name: "m", code: ops(constI32(0), op(0x11, 0, 0))},
				{code: unreachable},
			},
		}
		plain := string(appendSection(nil, secElement, append(append([]byte{1, 0}, offset...), 1, 1)))
		wasm := c.wasm()
		if strings.Count(string(wasm), plain) != 1 {
			t.Fatal("the segment to replace is not there")
		}
		wasm = []byte(strings.Replace(string(wasm), plain, string(appendSection(nil, secElement, append([]byte{1}, f.segment...))), 1))
		want := trapMemoryOutOfBounds // of an empty place
		if f.active {
			want = trapUnreachable
		}
		if o := e.View(context.Background(), NewCode(wasm), "m", nil, Env{}); o.Err != want.Error() {
			t.Errorf("%s: error %q, want %q", f.name, o.Err, want.Error())
		}
	}
}

func TestTableDoesNotGrowOverItsLimit(t *testing.T) {
	c := contractOf{imports: []string{"value_return"}, table: []uint32{}}
	c.methods = []method{{name: "m", code: returned(0, ops(op(0xd0, 0x70), constI32(maxElements), op(0xfc, 15, 0, 0xad)))}}
	o := newEngine(t, Options{}).View(context.Background(), NewCode(c.wasm()), "m", nil, Env{})
	if o.Err != "" || string(o.Result) != u64Bytes(1<<32-1) {
		t.Errorf("got %x %s", o.Result, o.Err)
	}
}
