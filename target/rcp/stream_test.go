package rcp

import (
	"bufio"
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"volley/target"
)

// A stream whose input has ended in the middle of work owes every answer, to a
// reader that comes late and takes them byte by byte too.
func TestEndOfInputOwesAnswers(t *testing.T) {
	node := target.New(newDialect(t, `{"documents":3,"slots":1}`), target.Options{})
	const lines = 100
	in := initializing + "\n" + strings.Repeat(embedOne+"\n", lines) + `[` + embedOne + `,{"id":2,"method":"retrieve","params":{"query":"a","k":1}}]` // without its \n
	read := make(chan struct{})
	r, w := io.Pipe()
	served := make(chan error, 1)
	go func() {
		served <- node.ServeStream(t.Context(), io.MultiReader(strings.NewReader(in), endOfInput(read)), w)
		w.Close()
	}()
	head := make([]byte, 1) // the stream stands still until it is read from
	if _, err := r.Read(head); err != nil {
		t.Fatal(err)
	}
	rest := iotest.OneByteReader(r)
	answered := 0
	for scanner := bufio.NewScanner(io.MultiReader(bytes.NewReader(head), rest)); scanner.Scan(); answered++ {
		if bytes.Contains(scanner.Bytes(), []byte(`"error"`)) {
			t.Errorf("line %d: %.200s", answered, scanner.Bytes())
		}
	}
	<-read
	if err := <-served; err != nil || answered != lines+2 {
		t.Errorf("%d answers, want %d; %v", answered, lines+2, err)
	}
}

// endOfInput tells that the input's end was read.
func endOfInput(read chan<- struct{}) io.Reader {
	return readerFunc(func([]byte) (int, error) {
		close(read)
		return 0, io.EOF
	})
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// A line of 64 MiB is taken when the config lets it.
func TestLongLine(t *testing.T) {
	node := target.New(newDialect(t, `{"documents":0,"body_limit":68000000}`), target.Options{})
	line := `{"id":1,"method":"ping","params":{"nonce":"` + strings.Repeat("x", 64<<20) + `"}}` + "\n" + `{"id":2,"method":"ping"}` + "\n"
	var out bytes.Buffer
	if err := node.ServeStream(t.Context(), strings.NewReader(line), &out); err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(out.Bytes(), []byte("\n")); n != 2 || out.Len() < 64<<20 || bytes.Contains(out.Bytes(), []byte(`"error"`)) {
		t.Errorf("%d lines of %d bytes", n, out.Len())
	}
}
