//go:build race

package virtual_test

// The race detector makes a run many times slower, and finds a race in the first
// run of a cell or not at all. So every cell runs once under it; what the cells show,
// and whether they show it again, is tested without it.
const (
	replays      = 1
	librarySeeds = 2
)
