package report

import "testing"

func TestManyCallsStayInTheirColumn(t *testing.T) {
	for n, want := range map[uint64]string{0: "0", 9_999_999: "9,999,999", 12_600_000: "12.6 M", 1_728_000_000: "1728.0 M"} {
		if got := callsShown(n); got != want {
			t.Errorf("%d is shown as %q, want %q", n, got, want)
		}
	}
}
