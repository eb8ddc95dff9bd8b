package near

import (
	"regexp"
	"strings"
	"testing"
)

func TestAccountIDRules(t *testing.T) {
	for _, id := range []string{
		"near", "test.near", "user0.near", "aa", "a1", "01", "ok-ok", "a_b.c-d.near", "100",
		"b-o_w_e-n", "app.a-b_c.near", strings.Repeat("a", 64), strings.Repeat("0f", 32),
	} {
		if !validAccountID([]byte(id)) {
			t.Errorf("%q is refused", id)
		}
	}
	for _, id := range []string{
		"", "a", "A", "Near", "test..near", ".near", "near.", "-a", "a-", "_a", "a_", "a--b", "a._b",
		"a b", "a@b", "some/near", "é.near", "near\n", "\x00\x00", strings.Repeat("a", 65),
	} {
		if validAccountID([]byte(id)) {
			t.Errorf("%q is taken", id)
		}
	}
}

// The pattern is the one that NEAR publishes for account ids.
var accountIDPattern = regexp.MustCompile(`^(([a-z\d]+[\-_])*[a-z\d]+\.)*([a-z\d]+[\-_])*[a-z\d]+$`)

func FuzzAccountID(f *testing.F) {
	for _, id := range []string{"near", "a..b", "a-_b", "user0.near", strings.Repeat("a", 65), "é"} {
		f.Add([]byte(id))
	}
	f.Fuzz(func(t *testing.T, id []byte) {
		want := len(id) >= 2 && len(id) <= 64 && accountIDPattern.Match(id)
		if got := validAccountID(id); got != want {
			t.Errorf("%q: %v, the pattern says %v", id, got, want)
		}
	})
}
