//go:build !race

package results_test

// stride is how many bytes lie between the ends at which files are torn.
const stride = 1
