//go:build !race

package virtual_test

const (
	replays      = 5  // of each scenario and strategy under one seed
	librarySeeds = 10 // of each scenario and strategy
)
