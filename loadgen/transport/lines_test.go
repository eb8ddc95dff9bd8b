package transport

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// linesOf reads src to its end; "!" stands for a line over the limit.
func linesOf(src io.Reader, limit int64) (lines []string, err error) {
	r := lineReader{src: src, limit: limit}
	for {
		line, err := r.next()
		switch {
		case err == nil:
			lines = append(lines, string(line))
		case errors.As(err, new(*protocolError)):
			lines = append(lines, "!")
		default:
			return lines, err
		}
	}
}

func TestLines(t *testing.T) {
	tests := []struct {
		name, in string
		want     []string
	}{
		{"one after another", "a\nbc\n", []string{"a", "bc"}},
		{"white space around is none of it", " a \r\n\n\t\n", []string{"a", "", ""}},
		{"what has no end is no line", "a\nbc", []string{"a"}},
		{"as long as the bound", "0123456789\n", []string{"0123456789"}},
		{"longer", "0123456789x\na\n", []string{"!", "a"}},
		{"longer than any buffer", strings.Repeat("x", 5*firstBuffer) + "\na\n", []string{"!", "a"}},
		{"longer and without end", "0123456789x", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, src := range []io.Reader{strings.NewReader(tt.in), iotest.OneByteReader(strings.NewReader(tt.in))} {
				if got, err := linesOf(src, 10); !slices.Equal(got, tt.want) || err != io.EOF {
					t.Errorf("%q, %v, want %q and the end", got, err, tt.want)
				}
			}
		})
	}
}

// FuzzLines: a reader gives what splitting the whole text gives, in bounded memory.
func FuzzLines(f *testing.F) {
	f.Add([]byte("a\nb\n"), uint16(1))
	f.Add([]byte("abcdefghij\n\n \r\nx"), uint16(5))
	f.Fuzz(func(t *testing.T, data []byte, limit uint16) {
		var want []string
		whole := data[:bytes.LastIndexByte(data, '\n')+1]
		for line := range bytes.Lines(whole) {
			if line = line[:len(line)-1]; len(line) > int(limit) {
				want = append(want, "!")
			} else {
				want = append(want, string(bytes.TrimSpace(line)))
			}
		}
		if got, err := linesOf(bytes.NewReader(data), int64(limit)); !slices.Equal(got, want) || err != io.EOF {
			t.Fatalf("%q, %v, want %q", got, err, want)
		}
	})
}

// FuzzAppendLine: one line comes out, and a JSON text means what it meant.
func FuzzAppendLine(f *testing.F) {
	f.Add([]byte("{\n\"a\\\"\": [1,\n2]}"))
	f.Add([]byte("\"a\nb\""))
	f.Fuzz(func(t *testing.T, body []byte) {
		line, err := appendLine([]byte("before"), body)
		if err != nil {
			if json.Valid(body) {
				t.Fatalf("a JSON text is refused: %v", err)
			}
			return
		}
		text, ok := bytes.CutPrefix(line, []byte("before"))
		if !ok || bytes.IndexByte(text, '\n') != len(text)-1 || len(text) != len(body)+1 {
			t.Fatalf("%q is not one line of the same length", text)
		}
		var was, is bytes.Buffer
		if json.Compact(&was, body) == nil && (json.Compact(&is, text) != nil || !bytes.Equal(was.Bytes(), is.Bytes())) {
			t.Fatalf("%q became %q", was.Bytes(), is.Bytes())
		}
	})
}
