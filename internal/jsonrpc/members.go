package jsonrpc

import "iter"

// Walk moves over an object's members, one after another:
//
//	for w := Over(object); w.Next(); {
//		... w.Name, w.Value
//	}
//
// A name may come twice; it is the caller's to say which counts. What is no
// object has no members, and a text that is no JSON ends where it stops being
// some.
type Walk struct {
	Name    []byte // decoded; aliases the object unless it held escapes
	Value   []byte // raw
	NameAt  int    // offset of the name's opening quote
	ValueAt int    // offset of the value

	text []byte
	at   int
	more bool
}

// Over gives the walk over an object, white space around which is passed over.
func Over(object []byte) Walk {
	w := Walk{text: object}
	if i := skipSpace(object, 0); i < len(object) && object[i] == '{' {
		w.at, w.more = first(object, i)
	}
	return w
}

// Next moves to the next member; false: there is none.
func (w *Walk) Next() bool {
	if !w.more {
		return false
	}
	w.more = false
	name, at, f := readName(w.text, w.at)
	if f != none {
		return false
	}
	end, f := skipValue(w.text, at, 1)
	if f != none {
		return false
	}
	w.NameAt, w.Name = w.at, name
	w.ValueAt, w.Value = at, w.text[at:end:end]
	w.at, w.more, f = next(w.text, end, true)
	w.more = w.more && f == none
	return true
}

// Members yields what a Walk over an object finds: names, decoded, and raw
// values.
func Members(object []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(name, value []byte) bool) {
		for w := Over(object); w.Next(); {
			if !yield(w.Name, w.Value) {
				return
			}
		}
	}
}

// Member is the raw value of an object's member, of a name that comes twice the
// last, as in encoding/json; nil where there is none.
func Member(object []byte, name string) (value []byte) {
	for w := Over(object); w.Next(); {
		if string(w.Name) == name {
			value = w.Value
		}
	}
	return value
}

// Elements yields an array's elements, raw. What is no array has none, and a
// text that is no JSON ends where it stops being some.
func Elements(array []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		i := skipSpace(array, 0)
		if i >= len(array) || array[i] != '[' {
			return
		}
		i, more := first(array, i)
		for more {
			end, f := skipValue(array, i, 1)
			if f != none || !yield(array[i:end:end]) {
				return
			}
			if i, more, f = next(array, end, false); f != none {
				return
			}
		}
	}
}
