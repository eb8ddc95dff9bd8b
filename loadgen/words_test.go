package loadgen

import (
	"strings"
	"testing"

	"volley/loadgen/transport"
	"volley/results"
)

func TestRepliesThatHoldNoAnswer(t *testing.T) {
	for _, tt := range []struct {
		reply transport.Reply
		class results.Class
		words string
	}{
		{transport.Reply{Status: 308, Location: "https://node/x"}, results.HTTPError,
			"HTTP 308: a redirect to https://node/x, which is not followed: aim at it if that is the node"},
		{transport.Reply{Status: 302, Location: "/login", Body: []byte("<html>")}, results.HTTPError,
			"HTTP 302: a redirect to /login, which is not followed: aim at it if that is the node"},
		{transport.Reply{Status: 200, Encoding: "gzip", Body: []byte("\x1f\x8b\x08")}, results.MalformedResponse,
			"HTTP 200: the body is encoded (gzip), which nobody asked for"},
		{transport.Reply{Status: 502, Encoding: "br", Body: []byte("\x0b")}, results.HTTPError,
			"HTTP 502: the body is encoded (br), which nobody asked for"},
		{transport.Reply{Status: 200, Encoding: "identity", Body: []byte("no")}, results.MalformedResponse, "HTTP 200: no"},
	} {
		var o results.Outcome
		newCorrelator().judge(sent("[rr]"), tt.reply, nil, &o)
		if o.Class != tt.class || o.ByClass[tt.class] != 2 || o.Detail != tt.words {
			t.Errorf("%+v: %s, %q, want %s, %q", tt.reply, o.Class, o.Detail, tt.class, tt.words)
		}
	}
}

func TestSecretsAreStruckOut(t *testing.T) {
	r := runner{Config: Config{Secrets: []string{"Bearer tok-12345", "tok-12345"}}}
	for in, want := range map[string]string{
		"invalid token tok-12345, sorry":                           "invalid token [secret], sorry",
		"you sent Bearer tok-12345":                                "you sent [secret]",
		"\x1b[31mtok-12345":                                        `\x1b[31m[secret]`,
		strings.Repeat("x", longestWords-6) + "tok-12345 is wrong": strings.Repeat("x", longestWords-6) + "[secr", // cut anywhere but within the secret
		"nothing to hide":                                          "nothing to hide",
	} {
		if got := r.printable(in); strings.Contains(got, "tok-1") || !strings.HasPrefix(got, want[:min(len(want), len(got))]) {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
	// A text that somebody else has cut within the secret.
	if got := r.printable("wrong: tok-12"); got != "wrong: [secret]" {
		t.Errorf("got %q", got)
	}
}
