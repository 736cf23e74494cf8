//go:build race

package virtual_test

// The race detector makes a run many times slower, and finds a race in the first
// run or not at all; the full counts run without it.
const (
	replays      = 2
	librarySeeds = 2
)
