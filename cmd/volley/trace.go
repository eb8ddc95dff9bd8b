package main

import (
	"bufio"
	"os"
	"strconv"
	"sync"
	"time"
)

// trace writes when calls were due and sent. A nil trace writes nothing.
type trace struct {
	mu   sync.Mutex
	file *os.File
	out  *bufio.Writer
	line []byte
}

// newTrace creates the file; nil for an empty path.
func newTrace(path string) (*trace, error) {
	if path == "" {
		return nil, nil
	}
	file, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	return &trace{file: file, out: bufio.NewWriterSize(file, 1<<20)}, nil
}

// sent gives the function that loadgen tells of each call.
func (t *trace) sent() func(due, sent time.Duration) {
	if t == nil {
		return nil
	}
	return func(due, sent time.Duration) {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.line = strconv.AppendInt(t.line[:0], int64(due), 10)
		t.line = append(t.line, ' ')
		t.line = strconv.AppendInt(t.line, int64(sent), 10)
		t.line = append(t.line, '\n')
		_, _ = t.out.Write(t.line) // close tells what went wrong
	}
}

func (t *trace) close() error {
	if t == nil {
		return nil
	}
	err := t.out.Flush()
	if e := t.file.Close(); err == nil {
		err = e
	}
	return err
}
