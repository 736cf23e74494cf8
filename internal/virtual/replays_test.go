//go:build !race

package sim_test

const (
	replays      = 20 // of each scenario and strategy under one seed
	librarySeeds = 10 // of each scenario and strategy
)
