package target_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"volley/internal/jsonrpc"
	"volley/target"
)

// TestStreamConversation plays a file: --> is a line sent (\r as written), <-- a
// line that must come back.
func TestStreamConversation(t *testing.T) {
	text, err := os.ReadFile("testdata/stream/conversation.txt")
	if err != nil {
		t.Fatal(err)
	}
	var in strings.Builder
	var want []string
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if sent, ok := strings.CutPrefix(line, "--> "); ok {
			in.WriteString(strings.ReplaceAll(sent, `\r`, "\r") + "\n")
		} else if back, ok := strings.CutPrefix(line, "<-- "); ok {
			want = append(want, back)
		}
	}
	slices.Sort(want)
	whole := in.String()
	for name, r := range map[string]io.Reader{
		"at once":                  strings.NewReader(whole),
		"byte by byte":             iotest.OneByteReader(strings.NewReader(whole)),
		"the last line has no end": strings.NewReader(strings.TrimSuffix(whole, "\n")),
		"data with the end":        iotest.DataErrReader(strings.NewReader(whole)),
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			if err := generic(t, `{"body_limit": 120}`).ServeStream(t.Context(), r, &out); err != nil {
				t.Fatal(err)
			}
			got := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		})
	}
}

// TestStreamLinesRunAtOnce: a slow line does not hold up the next, but all are
// answered before the stream ends.
func TestStreamLinesRunAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := request("sleep", "[30]", "1") + "\n" + request("sleep", "[10]", "2") + "\n" + request("sleep", "[20]", "3") + "\n"
		var out bytes.Buffer
		begun := time.Now()
		if err := generic(t, "").ServeStream(t.Context(), strings.NewReader(in), &out); err != nil {
			t.Fatal(err)
		}
		want := result("null", "2") + "\n" + result("null", "3") + "\n" + result("null", "1") + "\n"
		if out.String() != want || time.Since(begun) != 30*time.Millisecond {
			t.Errorf("after %v got\n%s", time.Since(begun), out.String())
		}
	})
}

// TestStreamBound: 64 lines are under way, the 65th is not looked at before one
// of them is answered.
func TestStreamBound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		admitted, release := make(chan struct{}, 100), make(chan struct{})
		d := altered{
			Dialect: dialect(t, ""),
			admit: func(context.Context, *target.Call) *jsonrpc.Error {
				admitted <- struct{}{}
				return nil
			},
			run: func(_ context.Context, _ *target.Call, dst []byte) ([]byte, *jsonrpc.Error) {
				<-release
				return append(dst, "1"...), nil
			},
		}
		var out bytes.Buffer
		ended := make(chan error)
		in := strings.NewReader(strings.Repeat(request("a", "[]", "1")+"\n", 66))
		go func() { ended <- target.New(d, target.Options{}).ServeStream(t.Context(), in, &out) }()
		for _, want := range []int{64, 65, 66} {
			if synctest.Wait(); len(admitted) != want {
				t.Errorf("%d lines admitted, want %d", len(admitted), want)
			}
			release <- struct{}{}
		}
		close(release)
		if err := <-ended; err != nil || strings.Count(out.String(), "\n") != 66 {
			t.Errorf("%v, %d answers", err, strings.Count(out.String(), "\n"))
		}
	})
}

// TestStreamAdmitsInOrder: the order of lines is the order of admission.
func TestStreamAdmitsInOrder(t *testing.T) {
	var order []string
	d := altered{Dialect: dialect(t, ""), admit: func(_ context.Context, c *target.Call) *jsonrpc.Error {
		order = append(order, string(c.ID))
		return &jsonrpc.Error{Code: 1, Message: "no"}
	}}
	var in strings.Builder
	var want []string
	for i := range 200 {
		fmt.Fprintln(&in, request("a", "[]", itoa(i)))
		want = append(want, itoa(i))
	}
	if err := target.New(d, target.Options{}).ServeStream(t.Context(), strings.NewReader(in.String()), io.Discard); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(order, want) {
		t.Errorf("order %v", order)
	}
}

// closing is the generic dialect whose method close ends the stream.
func closing(t *testing.T) *target.Node {
	d := dialect(t, "")
	return target.New(altered{
		Dialect: d,
		admit: func(ctx context.Context, c *target.Call) *jsonrpc.Error {
			if string(c.Method) == "close" {
				return nil
			}
			return d.Admit(ctx, c)
		},
		run: func(ctx context.Context, c *target.Call, dst []byte) ([]byte, *jsonrpc.Error) {
			if string(c.Method) == "close" {
				c.Close = true
				return append(dst, "{\n}"...), nil
			}
			return d.Run(ctx, c, dst)
		},
	}, target.Options{})
}

// TestStreamClose: what is under way is answered, the input need not end, and
// an answer is one line whatever a method gave.
func TestStreamClose(t *testing.T) {
	for _, line := range []string{request("close", "[]", "2"), "[" + request("close", "[]", "2") + "]", notification("close", "[]")} {
		synctest.Test(t, func(t *testing.T) {
			r, w := io.Pipe()
			var out bytes.Buffer
			ended := make(chan error)
			go func() { ended <- closing(t).ServeStream(t.Context(), r, &out) }()
			io.WriteString(w, request("sleep", "[10]", "1")+"\n"+line+"\n")
			if err := <-ended; err != nil {
				t.Error(err)
			}
			r.Close() // ends the read that was pending
			want := result("{}", "2") + "\n" + result("null", "1") + "\n"
			if line[0] == '[' {
				want = "[" + result("{}", "2") + "]\n" + result("null", "1") + "\n"
			} else if !strings.Contains(line, `"id"`) {
				want = result("null", "1") + "\n"
			}
			if out.String() != want {
				t.Errorf("got %s", out.String())
			}
		})
	}
}

// TestStreamContext: its end stops the reading; calls under way have ten
// seconds.
func TestStreamContext(t *testing.T) {
	for ms, want := range map[int]string{
		9_999:  result("null", "1") + "\n",
		20_000: `{"jsonrpc":"2.0","error":{"code":-32603,"message":"Internal error","data":"the call was cut off before it had run"},"id":1}` + "\n",
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, stop := context.WithCancel(t.Context())
			r, w := io.Pipe()
			var out bytes.Buffer
			ended := make(chan error)
			go func() { ended <- generic(t, "").ServeStream(ctx, r, &out) }()
			io.WriteString(w, request("sleep", fmt.Sprintf("[%d]", ms), "1")+"\n")
			synctest.Wait()
			stop()
			if err := <-ended; err != nil || out.String() != want {
				t.Errorf("%v, got %s", err, out.String())
			}
			r.Close()
		})
	}
}

var errTest = errors.New("test")

type brokenWriter struct{ writes int }

func (b *brokenWriter) Write([]byte) (int, error) {
	b.writes++
	return 0, errTest
}

// TestStreamErrors: the stream's own error comes back, after the calls have
// ended; nothing is written after a write that failed.
func TestStreamErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		in := io.MultiReader(strings.NewReader(request("sleep", "[5]", "1")+"\n"), iotest.ErrReader(errTest))
		if err := generic(t, "").ServeStream(t.Context(), in, &out); !errors.Is(err, errTest) {
			t.Errorf("reading: %v", err)
		}
		if out.String() != result("null", "1")+"\n" {
			t.Errorf("got %s", out.String())
		}
	})
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		out := &brokenWriter{}
		ended := make(chan error)
		go func() { ended <- generic(t, "").ServeStream(t.Context(), r, out) }()
		io.WriteString(w, request("sleep", "[3600000]", "1")+"\n"+request("echo", "[5]", "1")+"\n")
		begun := time.Now()
		if err := <-ended; !errors.Is(err, errTest) {
			t.Errorf("writing: %v", err)
		}
		if took := time.Since(begun); took != 0 || out.writes != 1 {
			t.Errorf("a call that nobody hears went on for %v, %d writes", took, out.writes)
		}
		r.Close()
	})
}
