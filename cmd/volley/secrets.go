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

// headers resolves a plan's headers and its authorization. The values go to the node
// and nowhere else.
func headers(t *scenario.Target) (http.Header, error) {
	h, err := headerOf("target", t.Headers, t.Auth)
	if err == nil && t.Connections.CloseEach {
		h.Set("Connection", "close")
	}
	return h, err
}

// headerOf gives the headers of requests by the settings at a place of the plan.
func headerOf(place string, headers map[string]scenario.Header, auth *scenario.Auth) (http.Header, error) {
	h := http.Header{}
	for name, value := range headers {
		text, err := secretValue(place+".headers."+name, value)
		if err != nil {
			return nil, err
		}
		h.Set(name, text)
	}
	if auth == nil {
		return h, nil
	}
	text, err := secretValue(place+".auth", auth.Secret)
	if err != nil {
		return nil, err
	}
	if auth.User != "" {
		h.Set("Authorization", "Basic "+basicToken(auth.User, text))
	} else {
		h.Set("Authorization", "Bearer "+text)
	}
	return h, nil
}

// secretValue gives what a plan's setting stands for.
func secretValue(setting string, h scenario.Header) (string, error) {
	if h.Env == "" {
		return h.Value, nil
	}
	return environmentSecret(setting, h.Env)
}

func environmentSecret(setting, variable string) (string, error) {
	text, ok := os.LookupEnv(variable)
	if !ok {
		return "", fmt.Errorf("%s: the environment variable %s is not set", setting, variable)
	}
	return text, nil
}

// basicToken is what stands for a name and password, RFC 7617 section 2.
func basicToken(user, password string) string {
	return base64.StdEncoding.EncodeToString([]byte(user + ":" + password))
}

// secrets are the texts of a plan that a node might say back: header values, whole
// and without their scheme, what authorises, and what stands in its addresses. What
// is shorter than four characters cannot be told from ordinary text and is left out.
func secrets(plan *scenario.Plan) []string {
	var found []string
	add := func(text string) {
		if len(text) >= 4 {
			found = append(found, text)
		}
	}
	metrics := &plan.Target.Metrics
	for _, headers := range []map[string]scenario.Header{plan.Target.Headers, metrics.Headers} {
		for _, h := range headers {
			text, _ := secretValue("", h) // what is not set was refused before
			add(text)
			if _, credentials, ok := strings.Cut(text, " "); ok {
				add(credentials)
			}
		}
	}
	for _, a := range []*scenario.Auth{plan.Target.Auth, metrics.Auth} {
		if a == nil {
			continue
		}
		text, _ := secretValue("", a.Secret)
		add(text)
		if a.User != "" {
			add(basicToken(a.User, text))
		}
	}
	addresses := []string{plan.Target.URL, metrics.URL}
	if metrics.Prometheus != nil {
		addresses = append(addresses, metrics.Prometheus.URL)
	}
	for _, address := range addresses {
		u, err := url.Parse(address)
		if err != nil {
			continue
		}
		if password, ok := u.User.Password(); ok {
			add(password)
			add(basicToken(u.User.Username(), password))
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

// besides gives the address of another page of the same server; "" where a page has
// no address.
func besides(address, path string) string {
	if socket, ok := strings.CutPrefix(address, "unix:"); ok {
		return "http+unix://" + url.PathEscape(strings.TrimPrefix(socket, "//")) + path
	}
	if socket, ok := strings.CutPrefix(address, "http+unix://"); ok {
		if i := strings.IndexAny(socket, "/?"); i >= 0 {
			socket = socket[:i]
		}
		return "http+unix://" + socket + path
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return ""
	}
	switch u.Scheme {
	case "ws":
		u.Scheme = "http"
	case "wss":
		u.Scheme = "https"
	}
	u.Path, u.RawPath, u.RawQuery, u.Fragment = path, "", "", ""
	return u.String()
}
