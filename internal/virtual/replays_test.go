//go:build !race

package virtual_test

const (
	replays      = 20 // of each scenario and strategy under one seed
	librarySeeds = 10 // of each scenario and strategy
)
