package main

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strings"

	"volley/loadgen/transport"
	"volley/scenario"
)

// openEndpoint gives the endpoint at an address, as the plan's target says.
func openEndpoint(plan *scenario.Plan, address string) (transport.Endpoint, error) {
	t := &plan.Target
	header, err := headers(t)
	if err != nil {
		return nil, err
	}
	keys, err := trust(t.TLS)
	if err != nil {
		return nil, err
	}
	c := transport.HTTPConfig{
		URL: address, Header: header, TLS: keys, Guard: guard(t.Authorised), ResolveOnce: !t.ResolveAlways,
		MaxAge: t.Connections.MaxAge, MaxRequests: t.Connections.MaxRequests, Expect: t.Connections.ExpectContinue,
	}
	var e transport.Endpoint
	switch t.Transport {
	case "h2":
		e, err = transport.NewHTTP2(c)
	case "websocket":
		e, err = transport.NewWebSocket(transport.WebSocketConfig{HTTPConfig: c, Route: firstID, Streams: t.Connections.Sockets})
	default:
		e, err = transport.NewHTTP(c)
	}
	if err != nil {
		return nil, err // and no endpoint of some type that is nil
	}
	return e, nil
}

// trust reads what a plan's TLS settings name. Nothing of it goes anywhere but into
// handshakes with the node.
func trust(t *scenario.TLS) (*transport.TLS, error) {
	if t == nil {
		return nil, nil
	}
	keys := &transport.TLS{ServerName: t.ServerName, Insecure: t.Insecure}
	for _, f := range []struct {
		key, path string
		into      *[]byte
	}{
		{"ca", t.CA, &keys.CA}, {"cert", t.Cert, &keys.Cert}, {"key", t.Key, &keys.Key},
	} {
		if f.path == "" {
			continue
		}
		text, err := os.ReadFile(f.path)
		if err != nil {
			return nil, fmt.Errorf("target.tls.%s: %w", f.key, err)
		}
		*f.into = text
	}
	if t.KeyEnv != "" {
		text, err := environmentSecret("target.tls.key", t.KeyEnv)
		if err != nil {
			return nil, err
		}
		keys.Key = []byte(text)
	}
	return keys, nil
}

// addresses looks the target's host up, for the run and for its record; "" for a
// target whose URL says its address itself, or that has none.
func addresses(ctx context.Context, e transport.Endpoint, t *scenario.Target) (string, error) {
	u, err := url.Parse(t.URL)
	named, ok := e.(interface {
		Addresses(context.Context) ([]netip.Addr, error)
	})
	if err != nil || u.Hostname() == "" || !ok {
		return "", nil
	}
	if _, err := netip.ParseAddr(u.Hostname()); err == nil {
		return "", nil
	}
	addrs, err := named.Addresses(ctx)
	if err != nil {
		var forbidden *transport.Error
		if errors.As(err, &forbidden) {
			return "", err
		}
		return "", &exit{exitUnreachable, err}
	}
	texts := make([]string, len(addrs))
	for i, a := range addrs {
		texts[i] = a.String()
	}
	slices.Sort(texts)
	text := strings.Join(texts, ", ")
	if t.ResolveAlways {
		text += " at the start, looked up again at every connect"
	}
	return text, nil
}
