package vm

// reader reads the WebAssembly binary format. The first thing that is out of
// place sets bad, after which every read yields zero; callers look at bad once,
// at the end of what they read.
type reader struct {
	b   []byte
	off int
	bad bool
}

func (r *reader) more() bool { return !r.bad && r.off < len(r.b) }

func (r *reader) fail() { r.bad = true }

func (r *reader) byte() byte {
	if r.bad || r.off >= len(r.b) {
		r.bad = true
		return 0
	}
	c := r.b[r.off]
	r.off++
	return c
}

// take returns the next n bytes, which stay part of the input.
func (r *reader) take(n uint32) []byte {
	if r.bad || uint64(n) > uint64(len(r.b)-r.off) {
		r.bad = true
		return nil
	}
	b := r.b[r.off : r.off+int(n)]
	r.off += int(n)
	return b
}

func (r *reader) u32() uint32 {
	var v uint64
	for shift := 0; shift < 35; shift += 7 {
		c := r.byte()
		v |= uint64(c&0x7f) << shift
		if c < 0x80 {
			if v > 1<<32-1 {
				break
			}
			return uint32(v)
		}
	}
	r.bad = true
	return 0
}

// skipInt passes over a signed integer of at most bits bits; what its last byte
// may hold is left to the compiler to check.
func (r *reader) skipInt(bits int) {
	for n := (bits + 6) / 7; n > 0; n-- {
		if r.byte() < 0x80 {
			return
		}
	}
	r.bad = true
}

func (r *reader) name() string { return string(r.take(r.u32())) }

func appendU32(dst []byte, v uint32) []byte {
	for v >= 0x80 {
		dst = append(dst, byte(v)|0x80)
		v >>= 7
	}
	return append(dst, byte(v))
}

func appendI64(dst []byte, v int64) []byte {
	for {
		c := byte(v) & 0x7f
		v >>= 7
		if v == 0 && c&0x40 == 0 || v == -1 && c&0x40 != 0 {
			return append(dst, c)
		}
		dst = append(dst, c|0x80)
	}
}

func appendName(dst []byte, s string) []byte {
	return append(appendU32(dst, uint32(len(s))), s...)
}

// appendSection appends a section, or nothing where it has no content.
func appendSection(dst []byte, id byte, content []byte) []byte {
	if len(content) == 0 {
		return dst
	}
	dst = appendU32(append(dst, id), uint32(len(content)))
	return append(dst, content...)
}
