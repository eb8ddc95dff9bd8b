package scrape_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"volley/loadgen/scrape"
)

func recorded(t testing.TB, name string) []byte {
	t.Helper()
	text, err := os.ReadFile("testdata/prometheus/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// What a real server (Prometheus 2.42) answered: three scrapes, with their own times,
// and series named as on the node's page, whose target has the labels instance, job
// and zone.
func TestRecordedAnswers(t *testing.T) {
	scrapes, err := scrape.DecodeScrapes(recorded(t, "matrix.json"), 1796066262919)
	if err != nil || len(scrapes) != 2 {
		t.Fatalf("%d scrapes, %v; want the two later than the first", len(scrapes), err)
	}
	s := scrapes[1]
	if s.At() != 1796066264919 || s.Down() || s.Took() <= 0 || s.Took() > time.Second {
		t.Errorf("at %d, down %v, took %v", s.At(), s.Down(), s.Took())
	}
	names := slices.Sorted(maps.Keys(s.Series()))
	want := []string{
		`near_rpc_batch_entries_total{outcome="error"}`, `near_rpc_batch_entries_total{outcome="invalid"}`,
		`near_rpc_batch_entries_total{outcome="method_not_found"}`, `near_rpc_batch_entries_total{outcome="notification"}`,
		`near_rpc_batch_entries_total{outcome="ok"}`, `near_rpc_batch_processing_time_bucket{le="+Inf"}`,
	}
	if len(names) < 20 || !slices.Equal(names[:len(want)], want) || s.Series()[want[0]] != 196 {
		t.Errorf("%q", names)
	}
	if _, there := s.Series()["up"]; there {
		t.Error("the server's own series are given as the node's")
	}
	if now, err := scrape.DecodeNumber(recorded(t, "scalar.json")); err != nil || now != 1796066264.949 {
		t.Errorf("time() is %v, %v", now, err)
	}
	if n, err := scrape.DecodeNumber(recorded(t, "vector.json")); err != nil || n != 223 {
		t.Errorf("count() is %v, %v", n, err)
	}
	if _, err := scrape.DecodeNumber(recorded(t, "error.json")); err == nil || !strings.Contains(err.Error(), "Prometheus refused the query: invalid parameter") {
		t.Errorf("an error: %v", err)
	}
}

func TestAnswersThatAreNone(t *testing.T) {
	series := func(labels, values string) string { return `{"metric":{` + labels + `},"values":[` + values + `]}` }
	matrix := func(series ...string) string {
		return `{"status":"success","data":{"resultType":"matrix","result":[` + strings.Join(series, ",") + `]}}`
	}
	for _, c := range []struct{ text, want string }{
		{`<html>`, "the answer is none of Prometheus' query API"},
		{`{}`, "the answer is none of Prometheus' query API"},
		{`{"status":"success"}`, `Prometheus answered with a "" where a matrix was asked for`},
		{`{"status":"success","data":{"resultType":"vector","result":[]}}`, `answered with a "vector"`},
		{matrix(series(`"__name__":"a"`, `["x","1"]`)), `"\"x\"" is no time`},
		{matrix(series(`"__name__":"a"`, `[1,1]`)), `"1" is no value`},
		{matrix(series(`"__name__":"a"`, `[1e300,"1"]`)), `is no time`},
		{matrix(series(`"__name__":"a"`, `7`)), `is no value with its time`},
		{matrix(series(`"__name__":"a","job":"j"`, `[1,"1"]`), series(`"__name__":"a","job":"k"`, `[1,"1"]`)),
			`the series of 2 targets match, such as those of "j " and "k "`},
		{matrix(series(`"__name__":"a","exported_job":"x"`, `[1,"1"]`), series(`"__name__":"a","job":"","exported_job":"x"`, `[1,"1"]`)), `tells series "a{job=\"x\"}" twice`},
	} {
		if _, err := scrape.DecodeScrapes([]byte(c.text), 0); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.text, err, c.want)
		}
	}
}

// The labels of the target go, those of the page that were moved out of their way come
// back, and samples with times of their own go with the scrape after them.
func TestNamesOfSeries(t *testing.T) {
	scrapes, err := scrape.DecodeScrapes([]byte(`{"status":"success","data":{"resultType":"matrix","result":[
		{"metric":{"__name__":"up","job":"j","instance":"i","zone":"z"},"values":[[10,"1"],[20,"0"],[30,"1"]]},
		{"metric":{"__name__":"scrape_samples_scraped","job":"j","instance":"i","zone":"z"},"values":[[10,"5"]]},
		{"metric":{"__name__":"a","job":"j","instance":"i","zone":"z","exported_zone":"own","exported_x":"y"},"values":[[10,"1"],[30,"2"]]},
		{"metric":{"__name__":"h_bucket","job":"j","instance":"i","zone":"z","le":"1.0"},"values":[[10,"NaN"],[30,"+Inf"]]},
		{"metric":{"__name__":"own_time","job":"j","instance":"i","zone":"z"},"values":[[29.5,"1"],[29.75,"2"],[31,"3"]]},
		{"metric":{"__name__":"empty","job":"other"},"values":[]}]}}`), 0)
	if err != nil || len(scrapes) != 3 {
		t.Fatalf("%v %v", scrapes, err)
	}
	for i, want := range []map[string]float64{
		{`a{exported_x="y",zone="own"}`: 1},
		{},
		{`a{exported_x="y",zone="own"}`: 2, "own_time": 2},
	} {
		if s := scrapes[i]; !maps.Equal(s.Series(), want) || s.Down() != (i == 1) || s.At() != int64(10000*(i+1)) {
			t.Errorf("scrape %d at %d, down %v: %v, want %v", i, s.At(), s.Down(), s.Series(), want)
		}
	}
	scrapes, err = scrape.DecodeScrapes([]byte(`{"status":"success","data":{"resultType":"matrix","result":[
		{"metric":{"__name__":"a","job":"j","exported_job":"own"},"values":[[10,"1"],[20,"2"]]},
		{"metric":{"__name__":"b","job":"j"},"values":[[20,"3"]]}]}}`), 10000)
	if err != nil || len(scrapes) != 1 || !maps.Equal(scrapes[0].Series(), map[string]float64{`a{job="own"}`: 2, "b": 3}) {
		t.Errorf("without the series up: %v %v", scrapes, err)
	}
}

// server plays a Prometheus that scrapes a node whose one counter counts seconds.
type server struct {
	interval time.Duration // between scrapes
	ahead    time.Duration // of its clock before ours
	delay    time.Duration // until what was scraped can be seen
	born     time.Time     // its first scrape
	last     time.Time     // its last; zero: it goes on
	down     func(scrape int) bool
	noUp     bool
	series   int // that count() counts
	fail     func(query string) *http.Response

	queries []string
}

var ranged = regexp.MustCompile(`^(up)?\{(.*)\}\[(\d+)ms\]$`)

func (s *server) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Path != "/prefix/api/v1/query" {
		return answered(404, "text/plain", r.URL.Path), nil
	}
	query := r.URL.Query().Get("query")
	s.queries = append(s.queries, query)
	time.Sleep(2 * time.Millisecond)
	if s.fail != nil {
		if a := s.fail(query); a != nil {
			return a, nil
		}
	}
	now := time.Now().Add(s.ahead)
	seconds := func(at time.Time) string { return strconv.FormatFloat(float64(at.UnixMilli())/1000, 'f', 3, 64) }
	switch m := ranged.FindStringSubmatch(query); {
	case query == "time()":
		return answered(200, "application/json", `{"status":"success","data":{"resultType":"scalar","result":[`+seconds(now)+`,"`+seconds(now)+`"]}}`), nil
	case strings.HasPrefix(query, "count("):
		return answered(200, "application/json", fmt.Sprintf(`{"status":"success","data":{"resultType":"vector","result":[{"metric":{},"value":[%s,"%d"]}]}}`, seconds(now), s.series)), nil
	case m != nil:
		over, _ := strconv.Atoi(m[3])
		var up, counted []string
		for i := 0; ; i++ {
			at := s.born.Add(time.Duration(i) * s.interval)
			if at.Add(s.delay).After(time.Now()) || !s.last.IsZero() && at.After(s.last) {
				break
			}
			stamp := at.Add(s.ahead)
			if stamp.Before(now.Add(-time.Duration(over) * time.Millisecond)) {
				continue
			}
			down := s.down != nil && s.down(i)
			up = append(up, fmt.Sprintf(`[%s,"%d"]`, seconds(stamp), map[bool]int{true: 0, false: 1}[down]))
			if !down {
				counted = append(counted, fmt.Sprintf(`[%s,"%d"]`, seconds(stamp), i))
			}
		}
		tracks := []string{}
		if !s.noUp {
			tracks = append(tracks, `{"metric":{"__name__":"up","job":"near","instance":"n:1"},"values":[`+strings.Join(up, ",")+`]}`)
		}
		if m[1] == "" {
			tracks = append(tracks, `{"metric":{"__name__":"scrapes_total","job":"near","instance":"n:1"},"values":[`+strings.Join(counted, ",")+`]}`)
		}
		return answered(200, "application/json", `{"status":"success","data":{"resultType":"matrix","result":[`+strings.Join(tracks, ",")+`]}}`), nil
	}
	return answered(400, "application/json", `{"status":"error","errorType":"bad_data","error":"what is `+query+`"}`), nil
}

func answered(status int, contentType, body string) *http.Response {
	return &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {contentType}}, Body: io.NopCloser(strings.NewReader(body))}
}

func asking(t *testing.T, s *server, k scrape.Keep) *scrape.Prometheus {
	t.Helper()
	p, err := scrape.NewPrometheusOver(s, ` {job="near"} `, k)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Every scrape of the server's is given once, at the time that it was made by our
// clock, however the server's stands and whenever we look.
func TestPrometheus_samples(t *testing.T) {
	for _, ahead := range []time.Duration{0, time.Hour, -1500 * time.Millisecond} {
		for _, noUp := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				born := time.Now().Add(300 * time.Millisecond)
				s := &server{interval: time.Second, ahead: ahead, delay: 20 * time.Millisecond, born: born, noUp: noUp, series: 1}
				p := asking(t, s, scrape.Keep{})
				time.Sleep(5 * time.Second)
				var got []scrape.Sample
				for _, pause := range []time.Duration{0, 100, 1000, 3000, 10, 500, 500, 500} {
					time.Sleep(pause * time.Millisecond)
					got = append(got, p.Read(t.Context())...)
				}
				if len(got) < 5 || len(got) > 6 {
					t.Fatalf("ahead %v: %d samples in 5.6 s", ahead, len(got))
				}
				for i, sample := range got {
					n := got[0].Series["scrapes_total"] + float64(i)
					at := born.Add(time.Duration(n) * time.Second)
					if sample.Err != "" || len(sample.Series) != 1 || sample.Series["scrapes_total"] != n || sample.Time.Sub(at).Abs() > 2*time.Millisecond {
						t.Errorf("ahead %v, sample %d: %+v, want %v at %v", ahead, i, sample, n, at)
					}
				}
			})
		}
	}
}

// What totals hang on is a scrape that began after the load's end: it is waited for.
func TestPrometheus_after(t *testing.T) {
	for _, interval := range []time.Duration{time.Second, 15 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			born := time.Now()
			s := &server{interval: interval, ahead: 42 * time.Second, delay: 30 * time.Millisecond, born: born, series: 1}
			p := asking(t, s, scrape.Keep{})
			time.Sleep(3*interval + 10*time.Millisecond) // the fourth scrape is made and cannot be seen yet
			end := time.Now()
			samples := p.After(t.Context(), end)
			last := samples[len(samples)-1]
			if last.Err != "" || last.Series["scrapes_total"] != 4 || last.Time.Before(end) {
				t.Errorf("every %v: %+v", interval, samples)
			}
			if took := time.Since(end); took < interval || took > interval+time.Second {
				t.Errorf("every %v: it took %v", interval, took)
			}
		})
	}
}

// A server that does not scrape any more is waited for as long as it should take, and
// then it is said.
func TestPrometheus_thatStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{interval: 5 * time.Second, born: time.Now(), last: time.Now().Add(time.Minute), series: 1}
		p := asking(t, s, scrape.Keep{})
		time.Sleep(time.Minute + time.Second)
		if got := p.Read(t.Context()); len(got) != 0 {
			t.Errorf("nothing is new, and nothing is late: %+v", got)
		}
		begin := time.Now()
		samples := p.After(t.Context(), begin)
		if last := samples[len(samples)-1]; last.Err != "Prometheus made no new scrape of the node within 8s" || last.Series != nil {
			t.Errorf("%+v", samples)
		}
		if took := time.Since(begin); took < 8*time.Second || took > 9*time.Second {
			t.Errorf("it took %v", took)
		}
		time.Sleep(10 * time.Second)
		if got := p.Read(t.Context()); len(got) != 1 || got[0].Err != "Prometheus made no new scrape of the node for 19s" {
			t.Errorf("%+v", got)
		}
	})
}

// A scrape that the server could not make is a gap at its time, and no end of a load.
func TestPrometheus_nodeDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{interval: time.Second, born: time.Now(), series: 1, down: func(i int) bool { return i == 3 || i == 4 }}
		p := asking(t, s, scrape.Keep{})
		time.Sleep(2100 * time.Millisecond)
		samples := p.After(t.Context(), time.Now())
		if len(samples) != 3 || samples[0].Err == "" || samples[1].Err == "" || samples[2].Series["scrapes_total"] != 5 {
			t.Fatalf("%+v", samples)
		}
		if want := "Prometheus could not scrape the node (its series up is 0)"; samples[0].Err != want || samples[0].Series != nil {
			t.Errorf("%+v", samples[0])
		}
	})
}

// Where the node's series are many, or some are chosen, only those are asked for.
func TestPrometheus_asksForWhatIsKept(t *testing.T) {
	for _, c := range []struct {
		why    string
		series int
		keep   scrape.Keep
		want   string
	}{
		{"few", 2000, scrape.Keep{Known: []string{"a_*"}}, `{job="near"}[`},
		{"many", 2001, scrape.Keep{Known: []string{"a_*", "b.c?"}}, `{job="near",__name__=~"up|scrape_duration_seconds|a_.*|b\\.c."}[`},
		{"chosen", 1, scrape.Keep{Known: []string{"a"}, Chosen: []string{"c*"}}, `{job="near",__name__=~"up|scrape_duration_seconds|a|c.*"}[`},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := &server{interval: time.Second, born: time.Now(), series: c.series}
			asking(t, s, c.keep).Read(t.Context())
			if last := s.queries[len(s.queries)-1]; !strings.HasPrefix(last, c.want) {
				t.Errorf("%s: asked %s, want %s", c.why, last, c.want)
			}
		})
	}
}

func TestPrometheus_gaps(t *testing.T) {
	fails := func(status int, contentType, body string) func(string) *http.Response {
		return func(string) *http.Response { return answered(status, contentType, body) }
	}
	for _, c := range []struct {
		s    *server
		want string
	}{
		{&server{interval: time.Second, noUp: true}, `Prometheus has no series with job="near": is the node among its targets?`},
		{&server{fail: fails(502, "text/html", "<html>")}, "Prometheus answered HTTP status 502 Bad Gateway"},
		{&server{fail: fails(302, "text/html", "")}, "Prometheus answered HTTP status 302 Found, a redirect, which is not followed"},
		{&server{fail: fails(200, "text/html", "<html>")}, "the answer is none of Prometheus' query API: is this its address?"},
		{&server{fail: fails(422, "application/json", `{"status":"error","error":"too many samples"}`)}, "Prometheus refused the query: too many samples"},
		{&server{fail: fails(200, "application/json", `{"status":"success","data":{"resultType":"scalar","result":[1,"NaN"]}}`)}, "no number"},
		{&server{fail: func(query string) *http.Response {
			if query == "time()" {
				return nil
			}
			return answered(200, "application/json", `{"status":"success","data":{"resultType":"matrix","result":[
				{"metric":{"__name__":"up","instance":"a"},"values":[[1,"1"]]},{"metric":{"__name__":"up","instance":"b"},"values":[[1,"1"]]}]}}`)
		}}, `the series of 2 targets match, such as those of " a" and " b": add a matcher, such as instance="..."`},
	} {
		synctest.Test(t, func(t *testing.T) {
			c.s.born = time.Now().Add(time.Hour)
			got := asking(t, c.s, scrape.Keep{}).Read(t.Context())
			if len(got) != 1 || !strings.Contains(got[0].Err, c.want) || got[0].Series != nil {
				t.Errorf("%+v, want a gap that says %q", got, c.want)
			}
		})
	}
}

// A server that does not answer ends with the time that it is given.
func TestPrometheus_frozen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, err := scrape.NewPrometheusOver(frozen{}, `job="near"`, scrape.Keep{})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		begin := time.Now()
		if got := p.Read(ctx); len(got) != 1 || got[0].Err != "no whole answer in time" || time.Since(begin) != time.Second {
			t.Errorf("after %v: %+v", time.Since(begin), got)
		}
		begin = time.Now()
		got := p.After(t.Context(), begin)
		if took := time.Since(begin); len(got) != 1 || got[0].Err != "no whole answer in time" || took > 10*time.Second {
			t.Errorf("after %v: %+v", took, got)
		}
	})
}

// So does one that freezes while the load goes on.
func TestPrometheus_freezes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{interval: time.Second, born: time.Now(), series: 1}
		froze := false
		p, err := scrape.NewPrometheusOver(roundTrip(func(r *http.Request) (*http.Response, error) {
			if froze {
				return frozen{}.RoundTrip(r)
			}
			return s.RoundTrip(r)
		}), `job="near"`, scrape.Keep{})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Second)
		if got := p.After(t.Context(), time.Now()); got[len(got)-1].Err != "" {
			t.Fatalf("%+v", got)
		}
		froze = true
		begin := time.Now()
		got := p.After(t.Context(), begin)
		if took := time.Since(begin); len(got) != 1 || got[0].Err != "no whole answer in time" || took > 10*time.Second {
			t.Errorf("after %v: %+v", took, got)
		}
	})
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

type frozen struct{}

func (frozen) RoundTrip(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

func TestNewPrometheus_match(t *testing.T) {
	for _, match := range []string{"", "{}", " { } "} {
		if _, err := scrape.NewPrometheus(scrape.Address{URL: "http://127.0.0.1:9090"}, match, scrape.Keep{}); err == nil {
			t.Errorf("%q selects everything that the server has", match)
		}
	}
}

// Whatever an answer says: no panic, and what is read is finite, in the order of time
// and later than what was given.
func FuzzPrometheusAnswer(f *testing.F) {
	for _, name := range []string{"matrix.json", "scalar.json", "vector.json", "error.json"} {
		f.Add(recorded(f, name), int64(1796066262919))
	}
	f.Add([]byte(`{"status":"success","data":{"resultType":"matrix","result":[{"metric":{"__name__":"up"},"values":[[1,"0"]]},{"metric":{"__name__":"a\n","exported_job":""},"values":[[0.5,"1e400"],[1,"-0"]]}]}}`), int64(0))
	f.Fuzz(func(t *testing.T, text []byte, after int64) {
		if v, err := scrape.DecodeNumber(text); err == nil && (math.IsNaN(v) || math.IsInf(v, 0)) {
			t.Fatalf("%v", v)
		}
		scrapes, err := scrape.DecodeScrapes(text, after)
		if err != nil {
			return
		}
		for i, s := range scrapes {
			if s.At() <= after || i > 0 && s.At() <= scrapes[i-1].At() || s.Took() < 0 {
				t.Fatalf("scrape %d of %d is at %d", i, len(scrapes), s.At())
			}
			if _, err := json.Marshal(s.Series()); err != nil {
				t.Fatal(err)
			}
		}
	})
}
