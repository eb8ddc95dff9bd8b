package wirecase

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
)

// Do sends the case's request to a node (base as in http://127.0.0.1:3030) over
// a socket of its own and compares the answer. It is nil when the answer is as
// wanted; else the error shows the difference. The context's end closes the
// socket.
func (c Case) Do(ctx context.Context, base string) error {
	u, err := url.Parse(base)
	if err != nil {
		return err
	}
	resp, body, err := exchange(ctx, u.Host, c.Request)
	if err != nil {
		return fmt.Errorf("%s %s: %w", c.Request.Method, c.Request.Path, err)
	}
	if resp.StatusCode != c.Want.Status {
		return fmt.Errorf("status: want %d, got %d with %s", c.Want.Status, resp.StatusCode, clip(body))
	}
	if c.Want.Single != nil || c.Want.Entries != nil {
		if ct := resp.Header.Get("Content-Type"); ct != "application/json" {
			return fmt.Errorf("content type: want application/json, got %q", ct)
		}
	}
	return c.Want.check(body)
}

// exchange writes the request while it reads the answer, since a node may
// refuse a body that it has not read.
func exchange(ctx context.Context, host string, r Request) (*http.Response, []byte, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", host)
	if err != nil {
		return nil, nil, err
	}
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	written := make(chan error, 1)
	go func() {
		_, err := conn.Write(r.wire(host))
		written <- err
	}()
	resp, body, err := read(conn, r.Method)
	stop()
	conn.Close()
	if werr := <-written; err != nil && werr != nil {
		err = fmt.Errorf("%w (while writing: %w)", err, werr)
	}
	return resp, body, err
}

func read(conn io.Reader, method string) (*http.Response, []byte, error) {
	resp, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: method})
	if err != nil {
		return nil, nil, err
	}
	body, err := io.ReadAll(resp.Body)
	return resp, body, err
}

// wire is the request as it goes over the socket, its headers in sorted order.
func (r Request) wire(host string) []byte {
	body := r.Bytes()
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n", r.Method, r.Path, host)
	names := make([]string, 0, len(r.Headers))
	for k := range r.Headers {
		names = append(names, k)
	}
	slices.Sort(names)
	for _, k := range names {
		fmt.Fprintf(&b, "%s: %s\r\n", k, r.Headers[k])
	}
	fmt.Fprintf(&b, "Content-Length: %d\r\n\r\n", len(body))
	b.Write(body)
	return b.Bytes()
}

// CheckLines compares what came back on a standard stream with Out: the same
// lines in any order and no others, each one JSON text ended by one \n.
func (c Case) CheckLines(out []byte) error {
	var lines [][]byte
	for line := range bytes.Lines(out) {
		text, ended := bytes.CutSuffix(line, []byte("\n"))
		if !ended {
			return fmt.Errorf("the last line has no end: %s", clip(line))
		}
		if !json.Valid(text) {
			return fmt.Errorf("a line that is no JSON: %s", clip(line))
		}
		lines = append(lines, text)
	}
	if len(lines) != len(c.Out) {
		return fmt.Errorf("want %d lines, got %d: %s", len(c.Out), len(lines), clip(out))
	}
	return pair(len(lines), func(i, j int) error { return c.Out[i].check(lines[j]) },
		func(i int) string { return fmt.Sprintf("line %d", i+1) }, out)
}

// Input is the case's In as the bytes of a standard input.
func (c Case) Input() []byte {
	var b bytes.Buffer
	for _, line := range c.In {
		b.WriteString(line)
		b.WriteByte('\n')
	}
	return b.Bytes()
}
