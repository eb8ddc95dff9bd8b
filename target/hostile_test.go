package target_test

import (
	"bufio"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestHostileBodies: each has its documented answer, and after it the node
// answers as before.
func TestHostileBodies(t *testing.T) {
	nested := func(depth int) string { return strings.Repeat("[", depth) + strings.Repeat("]", depth) }
	ones := func(count int) string { return "[" + strings.Repeat("1,", count-1) + "1]" }
	const large = `{"body_limit": 20000000, "batch_size_limit": 1000}`
	text := strings.Repeat("0123456789", 1<<20)
	digits := strings.Repeat("9", 1<<20)
	tooMany := `{"jsonrpc":"2.0","error":{"code":-32010,"message":"The batch request was too large","data":"Exceeded max limit of 1000"},"id":null}`
	for _, tt := range []struct{ name, config, body, want string }{
		{"nested as deep as can be", large, nested(10_000), "[" + invalidAnswer + "]"},
		{"nested deeper", large, nested(10_001), parseAnswer},
		{"opened and never closed", large, strings.Repeat("[", 1<<20), parseAnswer},
		{"nested in params", large, request("echo", nested(9_999), "1"), result(nested(9_999), "1")},
		{"a string of 10 MiB", large, request("echo", `["`+text+`"]`, "1"), result(`["`+text+`"]`, "1")},
		{"a string of 10 MiB that does not end", large, `{"jsonrpc":"2.0","method":"` + text, parseAnswer},
		{"an id of 10 MiB", large, request("echo", "[]", `"`+text+`"`), result("[]", `"`+text+`"`)},
		{"a method of 10 MiB", large, request(text, "[]", "1"), failure(-32601, "Method not found", "1")},
		{"invalid UTF-8", large, request("echo", "[\"\xff\"]", "1"), parseAnswer},
		{"a surrogate alone", large, request("echo", `["\ud800"]`, "1"), result(`["\ud800"]`, "1")},
		{"a number of 1 MiB", large, request("echo", "["+digits+"]", "1"), result("["+digits+"]", "1")},
		{"a number of 1 MiB to add", large, request("sum", "["+digits+"]", "1"),
			`{"jsonrpc":"2.0","error":{"code":-32602,"message":"Invalid params","data":"want numbers, each within the range of a float64"},"id":1}`},
		{"an id that is a number of 1 MiB", large, request("echo", "[]", digits), result("[]", digits)},
		{"200,000 members", large, ones(200_000), tooMany},
		{"200,000 members and no limit", `{"body_limit": 20000000, "batch_size_limit": "none", "batch_response_size_limit": "none"}`, ones(200_000),
			"[" + strings.Repeat(invalidAnswer+",", 199_999) + invalidAnswer + "]"},
		{"white space alone", large, strings.Repeat(" ", 1<<20), parseAnswer},
		{"zeros", large, strings.Repeat("\x00", 1<<20), parseAnswer},
	} {
		t.Run(tt.name, func(t *testing.T) {
			n := generic(t, tt.config)
			if got := post(n, "/", tt.body); got != "200 "+tt.want {
				t.Errorf("got %s", shortened(got))
			}
			if got := post(n, "/", request("echo", "[1]", "1")); got != "200 "+result("[1]", "1") {
				t.Errorf("afterwards: %s", got)
			}
		})
	}
}

func shortened(s string) string {
	if len(s) <= 300 {
		return s
	}
	return s[:200] + "..." + s[len(s)-100:]
}

// TestManyMembersTakeNoSpace: what a batch over the limit makes the node hold
// does not grow with its members.
func TestManyMembersTakeNoSpace(t *testing.T) {
	n := generic(t, `{"body_limit": 20000000, "batch_size_limit": 10}`)
	cost := func(count int) float64 {
		body := "[" + strings.Repeat("1,", count-1) + "1]"
		return testing.AllocsPerRun(3, func() { post(n, "/", body) })
	}
	if few, many := cost(20), cost(200_000); many > few+100 { // some for the bytes of the body
		t.Errorf("%v allocations for 20 members, %v for 200,000", few, many)
	}
}

// TestSlowClients_others: those that send a byte a second, a thousand that send
// nothing and one that reads nothing have what the bounds give them, and the
// node answers others meanwhile, at once.
func TestSlowClients_others(t *testing.T) {
	const minute = 60 * time.Second
	served(t, dialect(t, ""), func(t *testing.T, l *pipes) {
		begun := time.Now()
		var clients sync.WaitGroup
		defer clients.Wait()
		client := func(name, status string, after time.Duration, fast, slow string) {
			c := l.dial()
			clients.Go(func() { drip(t, c, fast, slow) })
			clients.Go(func() {
				defer c.Close()
				got, err := io.ReadAll(c)
				line, _, _ := strings.Cut(string(got), "\r\n")
				if took := time.Since(begun); took != after || line != status || err != nil {
					t.Errorf("%s: after %v: %s, %v", name, took, line, err)
				}
			})
		}
		for range 1000 {
			client("silent", "", 10*time.Second, "", "")
		}
		client("slow header", "", 10*time.Second, "", posted("[]"))
		client("slow body", "HTTP/1.1 408 Request Timeout", minute, head+"Content-Length: 1000\r\n\r\n", strings.Repeat(" ", 1000))
		client("slow chunks", "HTTP/1.1 408 Request Timeout", minute, head+"Transfer-Encoding: chunked\r\n\r\n", strings.Repeat("1\r\n \r\n", 1000))
		deaf := l.dial()
		clients.Go(func() {
			defer deaf.Close()
			drip(t, deaf, posted(request("echo", "[1]", "1")), "")
			pass(t, minute+time.Second)
			if got, err := io.ReadAll(deaf); len(got) > 0 || err != nil {
				t.Errorf("who read nothing for a minute may read %s, %v", got, err)
			}
		})

		c := l.dial()
		defer c.Close()
		r := bufio.NewReader(c)
		for range 70 {
			before := time.Now()
			write(t, c, posted(request("echo", "[1]", "1")))
			if got := answer(r); got != "200 "+result("[1]", "1") || time.Since(before) != 0 {
				t.Errorf("another client, after %v: %s", time.Since(before), got)
			}
			pass(t, time.Second)
		}
	})
}

// drip writes a text at once and another a byte a second, until the node has
// had enough.
func drip(t *testing.T, c net.Conn, fast, slow string) {
	if _, err := io.WriteString(c, fast); err != nil && fast != "" {
		t.Error(err)
	}
	for i := range slow {
		if _, err := io.WriteString(c, slow[i:i+1]); err != nil {
			return
		}
		pass(t, time.Second)
	}
}
