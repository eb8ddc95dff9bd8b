package transport

import (
	"bytes"
	"fmt"
	"net"
	"strconv"
	"testing"
	"time"
)

// cannedNode answers every request of one connection after another with size
// bytes and allocates nothing while it does.
func cannedNode(tb testing.TB, size int) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	over := make(chan struct{})
	answer := fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", size, bytes.Repeat([]byte("x"), size))
	go func() {
		defer close(over)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			serveCanned(conn, answer)
			conn.Close()
		}
	}()
	tb.Cleanup(func() { l.Close(); <-over })
	return "http://" + l.Addr().String()
}

func serveCanned(conn net.Conn, answer []byte) {
	buf := make([]byte, 64<<10)
	have, need := 0, 0
	for {
		n, err := conn.Read(buf[have:])
		if err != nil {
			return
		}
		have += n
		if need == 0 {
			if end := bytes.Index(buf[:have], []byte("\r\n\r\n")); end >= 0 {
				length := buf[bytes.LastIndexByte(buf[:end], ' ')+1 : end]
				body, _ := strconv.Atoi(string(length))
				need = end + 4 + body
			}
		}
		if need > 0 && have >= need {
			have, need = 0, 0
			if _, err := conn.Write(answer); err != nil {
				return
			}
		}
	}
}

func TestSteadyExchangesAllocateNothing(t *testing.T) {
	for _, size := range []int{83, 8493, 40_000} {
		c := opened(t, httpEndpoint(t, HTTPConfig{URL: cannedNode(t, size)}))
		body := make([]byte, size)
		perCall := testing.AllocsPerRun(200, func() {
			if _, err := c.Do(t.Context(), Request{Path: "/embed", Body: body}, time.Now().Add(time.Minute)); err != nil {
				t.Fatal(err)
			}
		})
		if perCall >= 1 {
			t.Errorf("%v allocations per exchange of %d bytes", perCall, size)
		}
		c.Close()
	}
}
