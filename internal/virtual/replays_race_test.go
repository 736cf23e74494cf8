//go:build race

package virtual_test

// The race detector makes a run many times slower. What it looks for is there
// in the first run; the full counts run without it.
const (
	replays      = 2
	librarySeeds = 2
)
