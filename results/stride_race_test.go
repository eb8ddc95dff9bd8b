//go:build race

package results_test

// stride is wide here: tearing files is slow under the race detector, which has
// nothing to find in one goroutine.
const stride = 17
