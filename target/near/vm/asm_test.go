package vm

import (
	"encoding/binary"
	"math"
)

// What follows assembles small contracts for the tests.

// contractOf describes a contract: the host functions that it imports, in the
// order of their indices, its data, and its methods.
type contractOf struct {
	imports  []string
	methods  []method
	data     map[uint32]string
	types    []funcType // further ones
	table    []uint32   // function indices as the contract knows them
	start    int        // 1 + index of the start function
	noMemory bool
}

type method struct {
	name   string // not exported where empty
	typ    funcType
	locals []byte // value types
	code   []byte // without the last end
}

// ops joins pieces of code.
func ops(parts ...[]byte) []byte {
	var code []byte
	for _, p := range parts {
		code = append(code, p...)
	}
	return code
}

func constI32(v int32) []byte { return appendI64([]byte{0x41}, int64(v)) }
func constI64(v uint64) []byte {
	return appendI64([]byte{0x42}, int64(v))
}

func op(code ...byte) []byte { return code }

// invoke calls the function of that index with i64 arguments.
func invoke(f uint32, args ...uint64) []byte {
	var code []byte
	for _, a := range args {
		code = append(code, constI64(a)...)
	}
	return appendU32(append(code, 0x10), f)
}

// resultAt is where returned leaves what it returns.
const resultAt = 4096

// returned makes an i64 that code leaves the method's result, by value_return,
// which must be import f.
func returned(f uint32, code []byte) []byte {
	return ops(constI32(resultAt), code, op(0x37, 3, 0), invoke(f, 8, resultAt))
}

func u64Bytes(v uint64) string { return string(binary.LittleEndian.AppendUint64(nil, v)) }

const allOnes = math.MaxUint64

func (c contractOf) wasm() []byte {
	var types, imports, functions, exports, code, data []byte
	all := c.types
	typeIndex := func(t funcType) uint32 {
		for i, have := range all {
			if have.equal(t) {
				return uint32(i)
			}
		}
		all = append(all, t)
		return uint32(len(all) - 1)
	}
	host := hostTypes()
	for _, name := range c.imports {
		imports = append(appendName(appendName(imports, "env"), name), 0)
		imports = appendU32(imports, typeIndex(host[name]))
	}
	exported := 0
	for i, m := range c.methods {
		functions = appendU32(functions, typeIndex(m.typ))
		if m.name != "" {
			exports = appendU32(append(appendName(exports, m.name), 0), uint32(len(c.imports)+i))
			exported++
		}
		body := appendU32(nil, uint32(len(m.locals)))
		for _, l := range m.locals {
			body = append(body, 1, l)
		}
		body = append(append(body, m.code...), 0x0b)
		code = append(appendU32(code, uint32(len(body))), body...)
	}
	for at, text := range c.data {
		data = append(append(append(data, 0), constI32(int32(at))...), 0x0b)
		data = appendName(data, text)
	}
	for _, t := range all {
		types = append(appendU32(append(types, 0x60), uint32(len(t.params))), t.params...)
		types = append(appendU32(types, uint32(len(t.results))), t.results...)
	}
	counted := func(n int, entries []byte) []byte {
		if n == 0 {
			return nil
		}
		return append(appendU32(nil, uint32(n)), entries...)
	}
	out := []byte("\x00asm\x01\x00\x00\x00")
	out = appendSection(out, secType, counted(len(all), types))
	out = appendSection(out, secImport, counted(len(c.imports), imports))
	out = appendSection(out, secFunction, counted(len(c.methods), functions))
	if c.table != nil {
		out = appendSection(out, secTable, appendU32([]byte{1, 0x70, 0}, uint32(len(c.table)+1)))
	}
	if !c.noMemory {
		out = appendSection(out, secMemory, []byte{1, 0, 1})
	}
	out = appendSection(out, secExport, counted(exported, exports))
	if c.start > 0 {
		out = appendSection(out, secStart, appendU32(nil, uint32(c.start-1)))
	}
	if c.table != nil {
		elements := appendU32(append([]byte{1, 0}, 0x41, 0, 0x0b), uint32(len(c.table)))
		for _, f := range c.table {
			elements = appendU32(elements, f)
		}
		out = appendSection(out, secElement, elements)
	}
	out = appendSection(out, secCode, counted(len(c.methods), code))
	return appendSection(out, secData, counted(len(c.data), data))
}
