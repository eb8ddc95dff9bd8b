package vm

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
