package scrape

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// maxLine bounds, in bytes, a line of which something is kept. Longer names cannot be
// stored with every sample.
const maxLine = 64 << 10

// reduced is what is kept of an exposition: one sample a line, with the number that
// the line had.
type reduced struct {
	text  []byte
	lines []int
}

func (r *reduced) add(sample []byte, line int) {
	r.text = append(append(r.text, sample...), '\n')
	r.lines = append(r.lines, line)
}

// errTooMany says that there are more series than are kept.
var errTooMany = fmt.Errorf("it tells more than %d of the series that are to be kept: name fewer", MaxKept)

// reduce goes through an exposition line by line and keeps those that the filter
// wants, without comments. What it does not keep is only looked at, so that the
// memory it takes is bound to what is kept. In OpenMetrics timestamps and exemplars
// go too: what is left is the text format.
//
// Without the comments that tell types every series is a plain sample, with the name
// and labels that are written.
//
// expfmt has an OpenMetrics decoder too, but it is made for conformance and
// takes milliseconds a line; a generator that scrapes every second would measure
// mostly itself.
func reduce(r io.Reader, openMetrics bool, f *filter) (wanted, others reduced, samples int, err error) {
	in := bufio.NewReaderSize(r, maxLine)
	for n := 1; ; n++ {
		line, err := in.ReadSlice('\n')
		long := errors.Is(err, bufio.ErrBufferFull)
		switch {
		case openMetrics && bytes.Equal(bytes.TrimSuffix(line, []byte("\n")), []byte("# EOF")):
			return wanted, others, samples, nil
		case err == io.EOF && openMetrics:
			return wanted, others, samples, malformed(errors.New(`it ends before "# EOF"`))
		case err == io.EOF && len(line) == 0:
			return wanted, others, samples, nil
		case err == io.EOF:
			return wanted, others, samples, malformed(fmt.Errorf("unexpected end of input in line %d", n))
		case err != nil && !long:
			return wanted, others, samples, fmt.Errorf("reading the exposition: %w", err)
		}
		sample := bytes.TrimSuffix(line, []byte("\n"))
		if !openMetrics {
			sample = bytes.TrimLeft(sample, " \t")
		}
		if len(sample) > 0 && sample[0] != '#' {
			samples++
			c := f.class(nameOf(sample))
			switch {
			case c != skipped && long:
				return wanted, others, samples, malformed(fmt.Errorf("line %d is longer than %d KiB", n, maxLine>>10))
			case c == known && len(wanted.lines) == MaxKept && f.wanted != nil:
				return wanted, others, samples, errTooMany
			case c == other && len(others.lines) == MaxOthers:
				f.narrow()
				others = reduced{}
				c = skipped
			}
			if c == skipped && !plausible(sample) {
				return wanted, others, samples, malformed(fmt.Errorf("line %d is no sample: %.60q", n, sample))
			}
			if openMetrics && c != skipped {
				sample = withoutTime(sample)
			}
			switch c {
			case known:
				wanted.add(sample, n)
			case other:
				others.add(sample, n)
			}
		}
		if long {
			if err := toNewline(in); err != nil {
				return wanted, others, samples, err
			}
		}
	}
}

// toNewline passes over the rest of a line.
func toNewline(in *bufio.Reader) error {
	for {
		switch _, err := in.ReadSlice('\n'); {
		case err == nil:
			return nil
		case err == io.EOF:
			return malformed(errors.New("unexpected end of input in a long line"))
		case !errors.Is(err, bufio.ErrBufferFull):
			return fmt.Errorf("reading the exposition: %w", err)
		}
	}
}

// nameOf is what a sample line begins with; of a quoted name only the brace.
func nameOf(line []byte) []byte {
	if i := bytes.IndexAny(line, "{ \t"); i > 0 {
		return line[:i]
	}
	return line[:1]
}

// plausible tells whether a line that is not kept looks like a sample: a name, and
// something behind it that may be a number. So an error page is not taken for one.
func plausible(line []byte) bool {
	name := nameOf(line)
	for _, c := range name {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == ':'
		if !letter && (c < '0' || c > '9') && c != '{' {
			return false
		}
	}
	rest := bytes.TrimLeft(line[len(name):], " \t")
	if len(rest) > 0 && rest[0] == '{' || name[0] == '{' {
		if len(line) == maxLine {
			return true // its value is not in sight
		}
		i := bytes.LastIndexByte(rest, '}')
		rest = bytes.TrimLeft(rest[i+1:], " \t")
		if i < 0 {
			return false
		}
	}
	return len(rest) > 0 && bytes.IndexByte([]byte("0123456789+-.NnIi"), rest[0]) >= 0
}

// withoutTime cuts a sample line off after its value: its fields are parted by
// spaces, but labels may hold spaces too.
func withoutTime(line []byte) []byte {
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
