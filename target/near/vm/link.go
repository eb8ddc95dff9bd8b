package vm

import "strings"

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

// linkable checks an import against the host functions that there are.
func (m *module) linkable(name string, t funcType) error {
	have, known := m.host[name]
	switch {
	case !known:
		return linkError("unknown or invalid import")
	case !have.equal(t):
		return linkError("types incompatible: expected type `" + t.text() + "`, found type `" + have.text() + "`")
	}
	return nil
}

// text writes a type as WebAssembly text does.
func (t funcType) text() string {
	var b strings.Builder
	b.WriteString("(func")
	for _, part := range []struct {
		word   string
		values []byte
	}{{"param", t.params}, {"result", t.results}} {
		if len(part.values) == 0 {
			continue
		}
		b.WriteString(" (" + part.word)
		for _, v := range part.values {
			b.WriteString(" " + valueName(v))
		}
		b.WriteString(")")
	}
	b.WriteString(")")
	return b.String()
}

func valueName(v byte) string {
	switch v {
	case i32:
		return "i32"
	case i64:
		return "i64"
	case f32:
		return "f32"
	case f64:
		return "f64"
	case 0x70:
		return "funcref"
	default:
		return "externref"
	}
}
