//go:build !race

package sim_test

// replays of each scenario and strategy under one seed.
const replays = 20
