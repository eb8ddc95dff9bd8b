package loadgen

import (
	"strings"
	"testing"
)

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
