package scrape

import (
	"bytes"
	"errors"
)

// classic reduces an OpenMetrics 1.0 exposition to what the classic text parser
// reads: one untyped sample a line, without comments, timestamps and exemplars.
// The series keep the names and labels that they are written with.
//
// expfmt has an OpenMetrics decoder too, but it is made for conformance and
// takes milliseconds a line; a generator that scrapes every second would measure
// mostly itself.
func classic(exposition []byte) ([]byte, error) {
	out := make([]byte, 0, len(exposition))
	for line := range bytes.Lines(exposition) {
		line = bytes.TrimSuffix(line, []byte("\n"))
		switch {
		case bytes.Equal(line, []byte("# EOF")):
			return out, nil
		case bytes.HasPrefix(line, []byte("#")):
			continue
		}
		out = append(append(out, sampleOf(line)...), '\n')
	}
	return nil, errors.New(`it ends before "# EOF"`)
}

// sampleOf cuts a sample line off after its value: its fields are parted by
// spaces, but labels may hold spaces too.
func sampleOf(line []byte) []byte {
	i := seriesEnd(line)
	value := bytes.TrimLeft(line[i:], " ")
	if end := bytes.IndexByte(value, ' '); end >= 0 {
		return line[:len(line)-len(value)+end]
	}
	return line
}

// seriesEnd is where a sample line's name and labels end.
func seriesEnd(line []byte) int {
	quoted, braced := false, false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{':
			braced = true
		case c == '}':
			return i + 1
		case c == ' ' && !braced:
			return i
		}
	}
	return len(line)
}
