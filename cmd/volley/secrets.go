package main

import (
	"fmt"
	"net/http"
	"net/url"
	"os"

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

// besides gives the address of another page of the same server.
func besides(address, path string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	u.Path, u.RawPath, u.RawQuery, u.Fragment = path, "", "", ""
	return u.String()
}
