package target

import (
	"flag"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/prometheus/common/expfmt"
)

var update = flag.Bool("update", false, "write the golden files of this package anew")

// exposition is what the node's own series say, as a scrape shows them; those
// that the Go runtime and the process give are left out.
func exposition(t *testing.T, n *Node) string {
	t.Helper()
	families, err := n.metrics.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, f := range families {
		if strings.HasPrefix(f.GetName(), "go_") || strings.HasPrefix(f.GetName(), "process_") {
			continue
		}
		if _, err := expfmt.MetricFamilyToText(&b, f); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

func send(n *Node, media, body string) int {
	r := httptest.NewRequest("POST", "/", strings.NewReader(body))
	r.Header.Set("Content-Type", media)
	w := httptest.NewRecorder()
	n.Handler().ServeHTTP(w, r)
	return w.Code
}

// TestExpositions compares all of a node's series after each kind of exchange,
// in fake time, with a golden file.
func TestExpositions(t *testing.T) {
	const (
		good    = `{"jsonrpc":"2.0","method":"echo","params":[1],"id":1}`
		note    = `{"jsonrpc":"2.0","method":"echo","params":[1]}`
		lost    = `{"jsonrpc":"2.0","method":"nope"}`
		unknown = `{"jsonrpc":"2.0","method":"nope","id":2}`
		failing = `{"jsonrpc":"2.0","method":"fail","params":{"code":-5,"message":"x"},"id":3}`
		slow    = `{"jsonrpc":"2.0","method":"sleep","params":[3],"id":4}`
	)
	for _, tt := range []struct {
		name, config string
		media        string
		bodies       []string
	}{
		{"untouched", "", "", nil},
		{"mixed batch", "", "", []string{"[" + strings.Join([]string{good, note, lost, unknown, failing, slow, slow, "5"}, ",") + "]"}},
		{"notifications", "", "", []string{"[" + note + "," + lost + "]", note, lost}},
		{"empty", "", "", []string{"[]"}},
		{"disabled", `{"enable_batch_requests": false}`, "", []string{"[" + good + "]"}},
		{"too many", `{"batch_size_limit": 1}`, "", []string{"[" + good + ",1]"}},
		{"response too large", `{"batch_response_size_limit": 50}`, "", []string{"[" + good + "," + good + ",1]"}},
		{"singletons", "", "", []string{good, unknown, failing, slow, "5", `{"jsonrpc":"2.0","method":"echo","params":1,"id":1}`}},
		{"unparsed", "", "", []string{"nope", ""}},
		{"wrong content type", "", "text/plain", []string{good}},
		{"body too large", `{"body_limit": 10}`, "", []string{good}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, err := ParseGenericConfig(ConfigFile{Data: []byte(tt.config)})
				if err != nil {
					t.Fatal(err)
				}
				n := New(Generic(c), Options{})
				for _, body := range tt.bodies {
					media := tt.media
					if media == "" {
						media = "application/json"
					}
					send(n, media, body)
				}
				golden(t, filepath.Join("testdata", "metrics", strings.ReplaceAll(tt.name, " ", "-")+".prom"), exposition(t, n))
			})
		})
	}
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s (-update writes it anew) differs; got\n%s", path, got)
	}
}

// TestInFlight: a batch and its outstanding entries show while it runs, and the
// counters of an exchange are there before its answer is.
func TestInFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, err := ParseGenericConfig(ConfigFile{Data: []byte(`{"batch_concurrency_limit": 3, "slots": 2}`)})
		if err != nil {
			t.Fatal(err)
		}
		n := New(Generic(c), Options{})
		sleep := `{"jsonrpc":"2.0","method":"sleep","params":[1],"id":4}`
		done := make(chan struct{})
		go func() {
			defer close(done)
			send(n, "application/json", "["+strings.TrimSuffix(strings.Repeat(sleep+",", 5), ",")+"]")
		}()
		synctest.Wait()
		during := exposition(t, n)
		for _, want := range []string{
			"\nvolley_rpc_batch_requests_in_flight 1\n",
			"\nvolley_rpc_batch_query_entries_in_flight 3\n",
			"\nvolley_rpc_batch_request_entries_count 1\n",
			"\nvolley_rpc_batch_requests_total{outcome=\"ok\"} 0\n",
		} {
			if !strings.Contains(during, want) {
				t.Errorf("while it runs: no %s", want)
			}
		}
		<-done
		for _, want := range []string{
			"\nvolley_rpc_batch_requests_in_flight 0\n",
			"\nvolley_rpc_batch_query_entries_in_flight 0\n",
			"\nvolley_rpc_batch_entries_total{outcome=\"ok\"} 5\n",
			"\nvolley_rpc_batch_processing_time_sum 0.003\n",
		} {
			if !strings.Contains(exposition(t, n), want) {
				t.Errorf("after it: no %s", want)
			}
		}
	})
}

// TestInFlight_malformed: members that do not run are in flight nowhere, however
// many workers pass over them.
func TestInFlight_malformed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, err := ParseGenericConfig(ConfigFile{})
		if err != nil {
			t.Fatal(err)
		}
		n := New(Generic(c), Options{})
		const sleep = `{"jsonrpc":"2.0","method":"sleep","params":[1],"id":4}`
		done := make(chan struct{})
		go func() {
			defer close(done)
			send(n, "application/json", "["+strings.Repeat("1,", 100)+sleep+strings.Repeat(",1", 100)+"]")
		}()
		synctest.Wait()
		if want := "\nvolley_rpc_batch_query_entries_in_flight 1\n"; !strings.Contains(exposition(t, n), want) {
			t.Errorf("while it runs: no %s", want)
		}
		<-done
		if want := "\nvolley_rpc_batch_query_entries_in_flight 0\n"; !strings.Contains(exposition(t, n), want) {
			t.Errorf("after it: no %s", want)
		}
	})
}

// TestErrorCodesAreBounded: a caller that chooses codes cannot make series
// without end.
func TestErrorCodesAreBounded(t *testing.T) {
	c, err := ParseGenericConfig(ConfigFile{})
	if err != nil {
		t.Fatal(err)
	}
	n := New(Generic(c), Options{})
	for code := range mostCodes + 10 {
		send(n, "application/json", fmt.Sprintf(`{"jsonrpc":"2.0","method":"fail","params":{"code":%d,"message":""},"id":1}`, code))
	}
	page := exposition(t, n)
	if got := strings.Count(page, "\nvolley_rpc_error_count{"); got != mostCodes+1 {
		t.Errorf("%d series, want %d", got, mostCodes+1)
	}
	if want := `volley_rpc_error_count{err_code="other",method="fail"} 10`; !strings.Contains(page, want) {
		t.Errorf("no %s", want)
	}
}
