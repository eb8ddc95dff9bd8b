package near

import (
	"net/http"

	"volley/internal/jsonrpc"
)

// Pages are /status, /health and /network_info. Where their method fails they
// answer 503 without a body.
func (d *Dialect) Pages() map[string]http.HandlerFunc {
	status := page(d.status)
	return map[string]http.HandlerFunc{
		"/status": func(w http.ResponseWriter, r *http.Request) {
			d.counters.statusPage.Inc()
			status(w, r)
		},
		"/health":       page(d.health),
		"/network_info": page(d.networkInfo),
	}
}

func page(method func(dst []byte) ([]byte, *jsonrpc.Error)) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		body, err := method(nil)
		if err != nil {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		// What cannot be written has nobody left to read it.
		_, _ = w.Write(body)
	}
}
