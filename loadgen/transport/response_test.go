package transport

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
	"testing/quick"
)

// readAll reads answers out of data until one fails.
func readAll(src io.Reader, maxBody int64) (got []response, err error) {
	r := responseReader{maxBody: maxBody}
	r.reset(src)
	for {
		var res response
		if res, err = r.read(); err != nil {
			return got, err
		}
		res.body = bytes.Clone(res.body)
		got = append(got, res)
	}
}

// FuzzResponse reads arbitrary bytes. What is taken for an answer is an answer
// to net/http too, with the same status and body, however the bytes arrive; and
// memory stays within its bounds.
func FuzzResponse(f *testing.F) {
	for _, seed := range []string{
		"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}",
		"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\n{}HTTP/1.1 204 No\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;x=y\r\n{}\r\n0\r\nA: b\r\n\r\n",
		"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 413 X\r\nConnection: close\r\nContent-Type: text/plain\r\n\r\ntoo large",
		"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\nxHTTP/1.0 304 Y\n\n",
		"HTTP/1.1 200 OK\r\nA: b\r\n c\r\nContent-Length: -1\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 7\r\n\r\nffffffffffffffff\r\n",
	} {
		f.Add([]byte(seed))
	}
	const maxBody = 4000
	f.Fuzz(func(t *testing.T, data []byte) {
		r := responseReader{maxBody: maxBody}
		r.reset(bytes.NewReader(data))
		theirs := bufio.NewReader(bytes.NewReader(data))
		var ours []response
		for {
			res, err := r.read()
			if cap(r.buf) > 2*maxHead || cap(r.body) > 2*(maxBody+2*firstBuffer) {
				t.Fatalf("memory of %d and %d bytes", cap(r.buf), cap(r.body))
			}
			if err != nil {
				break
			}
			res.body = bytes.Clone(res.body)
			ours = append(ours, res)
			compareWithNetHTTP(t, theirs, res)
			if !res.keep {
				break // what follows is nobody's
			}
		}
		bytewise, _ := readAll(iotest.OneByteReader(bytes.NewReader(data)), maxBody)
		if len(bytewise) < len(ours) {
			t.Fatalf("%d answers byte by byte, %d at once", len(bytewise), len(ours))
		}
		for i, res := range ours {
			if fmt.Sprint(bytewise[i]) != fmt.Sprint(res) {
				t.Fatalf("byte by byte %v, at once %v", bytewise[i], res)
			}
		}
	})
}

// compareWithNetHTTP reads the same answer as net/http sees it.
func compareWithNetHTTP(t *testing.T, r *bufio.Reader, ours response) {
	t.Helper()
	post, _ := http.NewRequest("POST", "http://node/", nil)
	for {
		theirs, err := http.ReadResponse(r, post)
		if err != nil {
			t.Fatalf("we read status %d and %q where net/http says: %v", ours.status, ours.body, err)
		}
		body, err := io.ReadAll(theirs.Body)
		if theirs.StatusCode < 200 {
			continue
		}
		if err != nil {
			t.Fatalf("we read the body %q where net/http says: %v", ours.body, err)
		}
		if theirs.StatusCode != ours.status || !bytes.Equal(body, ours.body) {
			t.Fatalf("we read %d %q, net/http %d %q", ours.status, ours.body, theirs.StatusCode, body)
		}
		return
	}
}

func TestEveryWellFormedAnswerIsReadAsNetHTTPReadsIt(t *testing.T) {
	property := func(status uint16, body []byte, framing uint8, closing bool, field string) bool {
		res := http.Response{
			StatusCode: 200 + int(status%400), ProtoMajor: 1, ProtoMinor: 1, Close: closing,
			Header: http.Header{"Content-Type": {"application/json"}, "X-Field": {fmt.Sprintf("%q", field)}},
			Body:   io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)),
		}
		if res.StatusCode == 204 || res.StatusCode == 304 {
			res.Body, res.ContentLength = nil, 0
		}
		switch framing % 3 {
		case 1:
			res.ContentLength, res.TransferEncoding = -1, []string{"chunked"}
		case 2:
			res.ContentLength, res.ProtoMinor, res.Close = -1, 0, true
		}
		var wire bytes.Buffer
		if err := res.Write(&wire); err != nil {
			return true // net/http refuses to write it
		}
		got, err := readAll(bytes.NewReader(wire.Bytes()), 1<<20)
		if len(got) != 1 || err != io.EOF {
			t.Logf("%q: %d answers, %v", wire.Bytes(), len(got), err)
			return false
		}
		compareWithNetHTTP(t, bufio.NewReader(&wire), got[0])
		return got[0].contentType == "application/json"
	}
	if err := quick.Check(property, &quick.Config{MaxCount: 1000}); err != nil {
		t.Error(err)
	}
}

func TestAnnouncedBodyCostsNoMemoryBeforeItComes(t *testing.T) {
	r := responseReader{maxBody: 1 << 40}
	r.reset(strings.NewReader("HTTP/1.1 200 OK\r\nContent-Length: 999999999999\r\n\r\n{"))
	if _, err := r.read(); err != io.ErrUnexpectedEOF {
		t.Errorf("%v, want an unexpected end", err)
	}
	if cap(r.body) > 2*firstBuffer {
		t.Errorf("%d bytes for one that came", cap(r.body))
	}
}

func TestLargeBodyIsNotKeptForSmallOnes(t *testing.T) {
	large := 2 * largeBody
	wire := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", large, strings.Repeat("x", large))
	small := "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n"
	r := responseReader{maxBody: 1 << 30}
	r.reset(strings.NewReader(wire + small + small))
	for i, most := range []int{1 << 30, 1 << 30, largeBody} {
		if _, err := r.read(); err != nil {
			t.Fatal(err)
		}
		if cap(r.body) > most {
			t.Errorf("after answer %d a buffer of %d bytes is kept", i, cap(r.body))
		}
	}
}
