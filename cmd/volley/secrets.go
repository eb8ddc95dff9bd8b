package main

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"

	"volley/scenario"
)

// headers resolves a plan's headers. The values go to the node and nowhere else.
func headers(wanted map[string]scenario.Header) (http.Header, error) {
	h := http.Header{}
	for name, value := range wanted {
		text := value.Value
		if value.Env != "" {
			var ok bool
			if text, ok = os.LookupEnv(value.Env); !ok {
				return nil, fmt.Errorf("target.headers.%s: the environment variable %s is not set", name, value.Env)
			}
		}
		h.Set(name, text)
	}
	return h, nil
}

// secrets are the texts of a plan that a node might say back: header values, whole
// and without their scheme, and what stands in its addresses. What is shorter than
// four characters cannot be told from ordinary text and is left out.
func secrets(plan *scenario.Plan) []string {
	var found []string
	add := func(text string) {
		if len(text) >= 4 {
			found = append(found, text)
		}
	}
	for _, h := range plan.Target.Headers {
		text := h.Value
		if h.Env != "" {
			text = os.Getenv(h.Env)
		}
		add(text)
		if _, credentials, ok := strings.Cut(text, " "); ok {
			add(credentials)
		}
	}
	for _, address := range []string{plan.Target.URL, plan.Target.Metrics.URL} {
		u, err := url.Parse(address)
		if err != nil {
			continue
		}
		if password, ok := u.User.Password(); ok {
			add(password)
			add(base64.StdEncoding.EncodeToString([]byte(u.User.Username() + ":" + password)))
		}
		for _, values := range u.Query() {
			for _, v := range values {
				add(v)
			}
		}
	}
	// The longest first, so that none is struck out in part.
	slices.SortFunc(found, func(a, b string) int { return len(b) - len(a) })
	return slices.Compact(found)
}

// besides gives the address of another page of the same server.
func besides(address, path string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	u.Path, u.RawPath, u.RawQuery, u.Fragment = path, "", "", ""
	return u.String()
}
