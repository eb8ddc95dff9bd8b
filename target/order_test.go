package target_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestRefusalOrder breaks two rules at once: the earlier one answers. The order
// is that of the batching documentation.
func TestRefusalOrder(t *testing.T) {
	const (
		small    = `{"body_limit": 20}`
		disabled = `{"enable_batch_requests": false, "batch_size_limit": 2}`
		two      = `{"batch_size_limit": 2}`
	)
	disabledAnswer := failure(-32005, "batch requests are not supported by this server", "null")
	tooMany := `{"jsonrpc":"2.0","error":{"code":-32010,"message":"The batch request was too large","data":"Exceeded max limit of 2"},"id":null}`
	long := "[" + strings.Repeat("1,", 50) + "1]"
	for _, tt := range []struct {
		name, config              string
		method, path, media, body string
		want                      string
	}{
		{"path before method", "", "PUT", "/x", "text/plain", "nope", "404"},
		{"path before content type", "", "POST", "/x", "text/plain", "nope", "404"},
		{"method before content type", "", "PUT", "/", "text/plain", "nope", "405"},
		{"content type before size", small, "POST", "/", "text/plain", long, "415"},
		{"no content type before size", small, "POST", "/", "", long, "415"},
		{"content type before syntax", "", "POST", "/", "text/plain", "nope", "415"},
		{"size before syntax", small, "POST", "/", "application/json", strings.Repeat("nope", 20), "413"},
		{"size before too many", `{"body_limit": 20, "batch_size_limit": 2}`, "POST", "/", "application/json", long, "413"},
		{"syntax before empty", "", "POST", "/", "application/json", "[]x", "200 " + parseAnswer},
		{"syntax before singleton", "", "POST", "/", "application/json", `{"id":1}{`, "200 " + parseAnswer},
		{"syntax before disabled", disabled, "POST", "/", "application/json", "[1,2,3", "200 " + parseAnswer},
		{"empty before disabled", disabled, "POST", "/", "application/json", " [ ] ", "200 " + invalidAnswer},
		{"singleton before disabled", disabled, "POST", "/", "application/json", request("echo", "[1]", "1"), "200 " + result("[1]", "1")},
		{"disabled before too many", disabled, "POST", "/", "application/json", "[1,2,3]", "200 " + disabledAnswer},
		{"disabled before members", disabled, "POST", "/", "application/json", "[1]", "200 " + disabledAnswer},
		{"too many before members", two, "POST", "/", "application/json", "[1,2,3]", "200 " + tooMany},
		{"too many counts notifications", two, "POST", "/", "application/json",
			"[" + strings.Repeat(notification("echo", "[]")+",", 2) + notification("echo", "[]") + "]", "200 " + tooMany},
		{"at the limit", two, "POST", "/", "application/json", "[1,2]", "200 [" + invalidAnswer + "," + invalidAnswer + "]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := httptest.NewRequest(tt.method, tt.path, strings.NewReader(tt.body))
			if tt.media != "" {
				r.Header.Set("Content-Type", tt.media)
			}
			w := httptest.NewRecorder()
			generic(t, tt.config).Handler().ServeHTTP(w, r)
			status, body, rpc := strings.Cut(tt.want, " ")
			if status != itoa(w.Code) || rpc && body != w.Body.String() {
				t.Errorf("got  %d %s\nwant %s", w.Code, w.Body, tt.want)
			}
			if media := w.Header().Get("Content-Type"); rpc != (media == "application/json") {
				t.Errorf("content type %q", media)
			}
		})
	}
}

// TestTooManyRunsNothing: nothing of a batch over the limit reaches a method.
func TestTooManyRunsNothing(t *testing.T) {
	n := generic(t, `{"batch_size_limit": 1}`)
	post(n, "/", "["+request("echo", "[]", "1")+","+request("echo", "[]", "2")+"]")
	if page := get(n, "/metrics"); strings.Contains(page, `volley_rpc_total_count{`) {
		t.Error("a method has run")
	}
}

func get(n interface{ Handler() http.Handler }, path string) string {
	w := httptest.NewRecorder()
	n.Handler().ServeHTTP(w, httptest.NewRequest("GET", path, nil))
	return w.Body.String()
}

func TestContentTypes(t *testing.T) {
	for media, taken := range map[string]bool{
		"application/json":                        true,
		"application/json; charset=utf-8":         true,
		"Application/JSON":                        true,
		"application/json-rpc+json":               true,
		"application/vnd.x+json;a=b":              true,
		"":                                        false,
		"text/plain":                              false,
		"text/json":                               false,
		"text/x+json":                             false,
		"application/jsonp":                       false,
		"application/x-www-form-urlencoded":       false,
		"text/plain; x=application/json":          false,
		"multipart/form-data; boundary=something": false,
	} {
		r := httptest.NewRequest("POST", "/", strings.NewReader(request("echo", "[1]", "1")))
		r.Header["Content-Type"] = []string{media}
		w := httptest.NewRecorder()
		generic(t, "").Handler().ServeHTTP(w, r)
		if want := map[bool]int{true: 200, false: 415}[taken]; w.Code != want {
			t.Errorf("%q: status %d, want %d", media, w.Code, want)
		}
	}
}

// unread is a body that must not be read.
type unread struct{ t *testing.T }

func (u unread) Read([]byte) (int, error) {
	u.t.Error("a body that was declared too large is read")
	return 0, errors.New("read")
}

func TestBodyLimit(t *testing.T) {
	body := request("echo", `["0123456789"]`, "1")
	send := func(n interface{ Handler() http.Handler }, r *http.Request) *httptest.ResponseRecorder {
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		n.Handler().ServeHTTP(w, r)
		return w
	}
	exact := generic(t, `{"body_limit": `+itoa(len(body))+`}`)
	short := generic(t, `{"body_limit": `+itoa(len(body)-1)+`}`)
	chunked := func() *http.Request {
		r := httptest.NewRequest("POST", "/", strings.NewReader(body))
		r.ContentLength = -1
		return r
	}
	if w := send(exact, chunked()); w.Code != 200 {
		t.Errorf("a chunked body at the limit: %d %s", w.Code, w.Body)
	}
	if w := send(short, chunked()); w.Code != 413 {
		t.Errorf("a chunked body over the limit: %d %s", w.Code, w.Body)
	}
	if w := send(exact, httptest.NewRequest("POST", "/", strings.NewReader(body))); w.Code != 200 {
		t.Errorf("a body at the limit: %d %s", w.Code, w.Body)
	}
	r := httptest.NewRequest("POST", "/", unread{t})
	r.ContentLength = int64(len(body))
	if w := send(short, r); w.Code != 413 {
		t.Errorf("a body declared over the limit: %d %s", w.Code, w.Body)
	}
}
