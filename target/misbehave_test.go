package target_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"volley/target"
)

// faulty is a node that does one thing wrong each time.
func faulty(t *testing.T, mode, settings string) *target.Node {
	return generic(t, `{"misbehave": {"`+mode+`": 1`+settings+`}}`)
}

func members(t *testing.T, answer string) (out []string) {
	t.Helper()
	var raw []json.RawMessage
	if err := json.Unmarshal([]byte(answer), &raw); err != nil {
		t.Fatalf("%q is no array: %v", answer, err)
	}
	for _, r := range raw {
		out = append(out, string(r))
	}
	return out
}

// TestMisbehaveEntries does each fault of a batch's entries to right answers,
// and tells exactly what is wrong then; an answer that has nothing for a fault
// goes out right.
func TestMisbehaveEntries(t *testing.T) {
	one := result("[1]", "1")
	three := []string{one, result("[2]", `"b"`), result("[3]", "9007199254740993")}
	body := "[" + request("echo", "[1]", "1") + "," + request("echo", "[2]", `"b"`) + "," + request("echo", "[3]", "9007199254740993") + "]"
	alone := request("echo", "[1]", "1")
	without := func(s string) bool { return !strings.Contains(s, `"id"`) && strings.HasSuffix(s, "}") }
	known := func(s string) bool { return slices.Contains(three, s) }
	for _, tt := range []struct {
		mode   string
		batch  func(got []string) bool // of the answer to body
		array  string                  // the answer to a batch of one; "": right, "?": wrong
		single string                  // the answer to a bare call; "": right, "?": wrong
	}{
		{"reorder", func(got []string) bool {
			return !slices.Equal(got, three) && slices.Equal(slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(three)))
		}, "", ""},
		{"drop", func(got []string) bool { return len(got) == 2 && known(got[0]) && known(got[1]) && got[0] != got[1] }, "[]", ""},
		{"duplicate", func(got []string) bool {
			return len(got) == 4 && slices.Equal(slices.Compact(slices.Clone(got)), three)
		}, "[" + one + "," + one + "]", ""},
		{"foreign_id", func(got []string) bool {
			return len(got) == 3 && len(slices.DeleteFunc(slices.Clone(got), known)) == 1
		}, "?", "?"},
		{"rounded_id", func(got []string) bool {
			return slices.Equal(got, []string{three[0], three[1], result("[3]", "9007199254740992")})
		}, "", ""},
		{"no_id", func(got []string) bool {
			return len(got) == 3 && len(slices.DeleteFunc(slices.Clone(got), without)) == 2
		}, `[{"jsonrpc":"2.0","result":[1]}]`, `{"jsonrpc":"2.0","result":[1]}`},
	} {
		t.Run(tt.mode, func(t *testing.T) {
			for seed := range 8 {
				n := faulty(t, tt.mode, `, "seed": `+itoa(seed))
				status, answer, _ := strings.Cut(post(n, "/", body), " ")
				if status != "200" || !tt.batch(members(t, answer)) {
					t.Errorf("three: %s %s", status, answer)
				}
				spoilt := 1
				for _, c := range []struct{ body, right, want string }{
					{"[" + alone + "]", "[" + one + "]", tt.array}, {alone, one, tt.single},
				} {
					got := post(n, "/", c.body)
					if c.want != "" {
						spoilt++
					}
					switch c.want {
					case "":
						c.want = c.right
					case "?":
						if got == "200 "+c.right {
							t.Errorf("%s is answered right", c.body)
						}
						continue
					}
					if got != "200 "+c.want {
						t.Errorf("%s\ngot  %s\nwant 200 %s", c.body, got, c.want)
					}
				}
				if counted := fmt.Sprintf("volley_misbehaved_total{mode=%q} %d", tt.mode, spoilt); !strings.Contains(get(n, "/metrics"), counted) {
					t.Errorf("not counted: %s", counted)
				}
			}
		})
	}
}

// TestMisbehaveShape: the faults that change an answer as a whole.
func TestMisbehaveShape(t *testing.T) {
	one, call := result("[1]", "1"), request("echo", "[1]", "1")
	internal := failure(-32603, "Internal error", "1")
	for _, tt := range []struct{ mode, body, want string }{
		{"unwrap", "[" + call + "]", one},
		{"unwrap", "[" + call + "," + call + "]", "[" + one + "," + one + "]"},
		{"unwrap", call, one},
		{"collapse", "[" + call + "," + request("echo", "[2]", "2") + "]", internal},
		{"collapse", "[" + call + "]", internal},
		{"collapse", call, one},
		{"empty_body", call, ""},
		{"empty_body", "[" + call + "]", ""},
		{"newline_body", call, ""}, // trimmed; the stream's test sees the line
		{"wrong_content_type", call, one},
		{"delay", call, one},
	} {
		if got := post(faulty(t, tt.mode, `, "delay_for": "1ns"`), "/", tt.body); got != strings.TrimSpace("200 "+tt.want) {
			t.Errorf("%s %s\ngot  %s\nwant 200 %s", tt.mode, tt.body, got, tt.want)
		}
	}
	for _, mode := range []string{"empty_body", "newline_body", "truncate", "wrong_content_type", "no_id"} {
		n := faulty(t, mode, "")
		if got := post(n, "/", notification("echo", "[1]")); got != "204" {
			t.Errorf("%s: a notification's answer became %s", mode, got)
		}
		if !strings.Contains(get(n, "/metrics"), "volley_misbehaved_total{mode=\""+mode+"\"} 0") {
			t.Errorf("%s: what was not done is counted", mode)
		}
	}
	for seed := range 50 {
		got, _ := strings.CutPrefix(post(faulty(t, "truncate", `, "seed": `+itoa(seed)), "/", "["+call+"]"), "200 ")
		if whole := "[" + one + "]"; got == "" || got == whole || !strings.HasPrefix(whole, got) || json.Valid([]byte(got)) {
			t.Errorf("truncated: %q", got)
		}
	}
}

// TestMisbehaveReorder: every other order comes, and not rotations alone.
func TestMisbehaveReorder(t *testing.T) {
	var calls, answers []string
	for _, id := range []string{"1", "2", "3", "4"} {
		calls, answers = append(calls, request("echo", "[1]", id)), append(answers, result("[1]", id))
	}
	orders := map[string]bool{}
	n := faulty(t, "reorder", `, "seed": 1`)
	for range 500 {
		_, answer, _ := strings.Cut(post(n, "/", "["+strings.Join(calls, ",")+"]"), " ")
		order := ""
		for _, m := range members(t, answer) {
			order += itoa(slices.Index(answers, m))
		}
		orders[order] = true
	}
	if orders["0123"] || len(orders) != 23 {
		t.Errorf("%d orders of 23: %v", len(orders), orders)
	}
}

// TestMisbehaveDelayWaits: by the node's own wait.
func TestMisbehaveDelayWaits(t *testing.T) {
	var waited []time.Duration
	n := target.New(dialect(t, `{"misbehave": {"delay": 1, "delay_for": "3ms"}}`), target.Options{
		Wait: func(_ context.Context, d time.Duration) error {
			waited = append(waited, d)
			return nil
		},
	})
	post(n, "/", request("echo", "[1]", "1"))
	if !slices.Equal(waited, []time.Duration{3 * time.Millisecond}) {
		t.Errorf("waited %v", waited)
	}
}

func TestMisbehaveDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := faulty(t, "delay", "")
		begun := time.Now()
		if got := post(n, "/", request("echo", "[1]", "1")); got != "200 "+result("[1]", "1") || time.Since(begun) != time.Second {
			t.Errorf("%s after %v", got, time.Since(begun))
		}
	})
}

// TestMisbehaveStream: on a standard stream what is wrong with an answer's bytes
// is wrong there too; what the wire is needed for does not happen.
func TestMisbehaveStream(t *testing.T) {
	one := result("[1]", "1")
	for mode, want := range map[string]string{
		"newline_body": "\n\n", "empty_body": "", "no_id": `{"jsonrpc":"2.0","result":[1]}` + "\n",
		"hang": one + "\n", "reset": one + "\n", "huge": one + "\n", "chunked": one + "\n",
	} {
		var out bytes.Buffer
		if err := faulty(t, mode, "").ServeStream(t.Context(), strings.NewReader(request("echo", "[1]", "1")), &out); err != nil {
			t.Fatal(err)
		}
		if out.String() != want {
			t.Errorf("%s: got %q, want %q", mode, out.String(), want)
		}
	}
}

// rawExchange sends one request on a socket of its own and gives all that comes
// back, and how it ends.
func rawExchange(t *testing.T, base, body string) (head, rest string, err error) {
	t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(base, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprintf(c, "POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	all, err := io.ReadAll(c)
	head, rest, _ = strings.Cut(string(all), "\r\n\r\n")
	return head, rest, err
}

// TestMisbehaveWire: faults of HTTP itself, seen byte for byte.
func TestMisbehaveWire(t *testing.T) {
	body := "[" + request("echo", `["`+strings.Repeat("a", 100)+`"]`, "1") + "]"
	right := "[" + result(`["`+strings.Repeat("a", 100)+`"]`, "1") + "]"
	const first = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close"
	length := func(n int) string { return first + "\r\nContent-Length: " + itoa(n) }

	t.Run("close_delimited", func(t *testing.T) {
		head, rest, err := rawExchange(t, serve(t, faulty(t, "close_delimited", "")), body)
		if err != nil || head != first || rest != right {
			t.Errorf("%q %q %v", head, rest, err)
		}
	})
	t.Run("chunked", func(t *testing.T) {
		head, rest, err := rawExchange(t, serve(t, faulty(t, "chunked", "")), body)
		if err != nil || head != first+"\r\nTransfer-Encoding: chunked" {
			t.Errorf("%q %v", head, err)
		}
		resp, err := http.ReadResponse(bufio.NewReader(strings.NewReader(head+"\r\n\r\n"+rest)), nil)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(resp.Body); err != nil || string(got) != right {
			t.Errorf("%q %v", got, err)
		}
	})
	t.Run("reset", func(t *testing.T) {
		n := faulty(t, "reset", "")
		head, rest, err := rawExchange(t, serve(t, n), body)
		if !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("ends with %v", err)
		}
		if rest != "" && (head != length(len(right)) || rest != right[:len(right)/2]) { // a reset may overtake what was sent
			t.Errorf("%q %q", head, rest)
		}
	})
	t.Run("huge", func(t *testing.T) {
		const size = 1 << 20
		head, rest, err := rawExchange(t, serve(t, faulty(t, "huge", `, "huge_bytes": `+itoa(size))), body)
		if err != nil || head != length(size) || len(rest) != size {
			t.Errorf("%q %d bytes %v", head, len(rest), err)
		}
		var small bytes.Buffer
		if json.Compact(&small, []byte(rest)); small.String() != right {
			t.Errorf("no longer the right answer: %q", small.String())
		}
	})
	t.Run("wrong_content_type", func(t *testing.T) {
		head, rest, _ := strings.Cut(roundTrip(t, serve(t, faulty(t, "wrong_content_type", "")), body), " ")
		if head != "200" || rest != "text/html; charset=utf-8 "+right {
			t.Errorf("%s %s", head, rest)
		}
	})
	t.Run("a notification", func(t *testing.T) {
		for _, mode := range []string{"reset", "huge", "chunked", "close_delimited"} {
			if got := roundTrip(t, serve(t, faulty(t, mode, "")), notification("echo", "[]")); got != "204  " {
				t.Errorf("%s: %q", mode, got)
			}
		}
	})
	t.Run("an answer under a test's recorder", func(t *testing.T) {
		if got := post(faulty(t, "reset", ""), "/", body); got != "200 "+right {
			t.Errorf("without a connection: %s", got)
		}
	})
}

func roundTrip(t *testing.T, base, body string) string {
	t.Helper()
	resp, err := http.Post(base, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%d %s %s", resp.StatusCode, resp.Header.Get("Content-Type"), b)
}

// TestMisbehaveHang: the call runs, no answer comes, the node serves others, and
// it ends with its client or with the node.
func TestMisbehaveHang(t *testing.T) {
	n := faulty(t, "hang", "")
	base := serve(t, n)
	ctx, giveUp := context.WithCancel(t.Context())
	answered := make(chan error, 1)
	go func() {
		r, err := http.NewRequestWithContext(ctx, "POST", base, strings.NewReader(request("echo", "[1]", "1")))
		if err == nil {
			r.Header.Set("Content-Type", "application/json")
			_, err = http.DefaultClient.Do(r)
		}
		answered <- err
	}()
	c, err := net.Dial("tcp", strings.TrimPrefix(base, "http://")) // this one outlives the test: the node's end ends it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	fmt.Fprintf(c, "POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n[]")
	for !strings.Contains(get(n, "/metrics"), `volley_misbehaved_total{mode="hang"} 2`) {
		select {
		case err := <-answered:
			t.Fatalf("answered: %v", err)
		case <-t.Context().Done():
			t.Fatal("no hang")
		default:
		}
	}
	giveUp()
	if err := <-answered; !errors.Is(err, context.Canceled) {
		t.Errorf("the client ended with %v", err)
	}
}

// TestMisbehaveShares: of many answers as many are wrong as are counted, each in
// one way, by a seed always the same ones, and none without a share.
func TestMisbehaveShares(t *testing.T) {
	call := "[" + request("echo", "[1]", "1") + "," + request("echo", "[1]", "2") + "]"
	right := "200 [" + result("[1]", "1") + "," + result("[1]", "2") + "]"
	run := func(config string) (wrong []int, n *target.Node) {
		n = generic(t, `{"misbehave": {`+config+`}}`)
		for i := range 1000 {
			if post(n, "/", call) != right {
				wrong = append(wrong, i)
			}
		}
		return wrong, n
	}
	wrong, n := run(`"drop": "20%", "collapse": 0.1, "seed": 3`)
	drops, collapses := 0, 0
	for line := range strings.Lines(get(n, "/metrics")) {
		fmt.Sscanf(line, `volley_misbehaved_total{mode="drop"} %d`, &drops)
		fmt.Sscanf(line, `volley_misbehaved_total{mode="collapse"} %d`, &collapses)
	}
	if drops+collapses != len(wrong) {
		t.Errorf("%d and %d counted, %d wrong", drops, collapses, len(wrong))
	}
	if drops < 150 || drops > 250 || collapses < 60 || collapses > 140 { // of one seed always the same; five sigma
		t.Errorf("%d of 20%%, %d of 10%%", drops, collapses)
	}
	if again, _ := run(`"drop": "20%", "collapse": 0.1, "seed": 3`); !slices.Equal(wrong, again) {
		t.Error("one seed, other answers")
	}
	if other, _ := run(`"drop": "20%", "collapse": 0.1, "seed": 4`); slices.Equal(wrong, other) {
		t.Error("two seeds, the same answers")
	}
	if none, _ := run(`"drop": 0`); len(none) > 0 {
		t.Error("wrong without a share")
	}
}

func TestMisbehaveConfig(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{`{"misbehave": {"dorp": 1}}`, `node.json:1:16: no fault is called dorp; did you mean drop?`},
		{`{"misbehave": {"drop": 1.5}}`, `node.json:1:24: drop: want a share from 0 to 1, or such as "5%", got "1.5"`},
		{`{"misbehave": {"drop": "5"}}`, `node.json:1:24: drop: want a share from 0 to 1, or such as "5%", got "\"5\""`},
		{`{"misbehave": {"drop": "101%"}}`, `node.json:1:24: drop: want a share from 0 to 1, or such as "5%", got "\"101%\""`},
		{`{"misbehave": {"drop": null}}`, `node.json:1:24: drop: want a share from 0 to 1, or such as "5%", got "null"`},
		{"{\"misbehave\": {\"drop\": 0.6,\n \"hang\": \"50%\"}}", `node.json:2:10: hang: the shares come to more than 1: an answer has one fault at most`},
		{`{"misbehave": {"drop": 0.1, "drop": 0.1}}`, `node.json:1:29: drop stands twice`},
		{`{"misbehave": {"delay_for": 5}}`, `node.json:1:29: delay_for: want a duration such as "300ms", got "5"`},
		{`{"misbehave": {"huge_bytes": 0}}`, `node.json:1:30: huge_bytes: want a whole number over zero, got "0"`},
		{`{"misbehave": {"seed": -1}}`, `node.json:1:24: seed: want a whole number that is not under zero, got "-1"`},
		{`{"misbehave": 5}`, `node.json:1:15: want an object, got "5"`},
	} {
		_, err := target.ParseGenericConfig(target.ConfigFile{Name: "node.json", Data: []byte(tt.text)})
		if err == nil || err.Error() != tt.want {
			t.Errorf("%s\ngot  %v\nwant %s", tt.text, err, tt.want)
		}
	}
}
