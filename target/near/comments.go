package near

// blankComments gives the text with its comments replaced by spaces, as
// nearcore allows them in config.json: "//" and "#" to the end of the line and
// "/*" to "*/", outside strings. Every other byte stays where it was, so that a
// position in the result is that in the file. A comment that is never closed
// is left for the JSON decoder to complain of.
func blankComments(text []byte) []byte {
	out := append([]byte(nil), text...)
	for i := 0; i < len(out); {
		end := i
		switch {
		case out[i] == '"':
			i = passString(out, i)
			continue
		case out[i] == '#', hasPair(out, i, '/', '/'):
			for end < len(out) && out[end] != '\n' {
				end++
			}
		case hasPair(out, i, '/', '*'):
			for end = i + 2; end < len(out) && !hasPair(out, end, '*', '/'); end++ {
			}
			if end == len(out) {
				return out
			}
			end += 2
		default:
			i++
			continue
		}
		for ; i < end; i++ {
			if out[i] != '\n' && out[i] != '\r' {
				out[i] = ' '
			}
		}
	}
	return out
}

func hasPair(b []byte, i int, first, second byte) bool {
	return i+1 < len(b) && b[i] == first && b[i+1] == second
}

// passString is the end of the string whose opening quote stands at i.
func passString(b []byte, i int) int {
	for i++; i < len(b); i++ {
		switch b[i] {
		case '"':
			return i + 1
		case '\\':
			i++
		}
	}
	return len(b)
}
