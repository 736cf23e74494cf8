//go:build race

package sim_test

// replays under the race detector, which is many times slower: the full count
// runs without it.
const replays = 2
