package sim_test

import (
	"testing"

	"github.com/lockchaos/simrun/scenarios"
	"github.com/lockchaos/simrun/sim"
	"github.com/lockchaos/simrun/sim/bubble"
	"github.com/lockchaos/simrun/sim/history"
)

// Same seed, same bytes: for every scenario and every strategy.
func TestSameSeedSameBytes(t *testing.T) {
	for _, s := range scenarios.Builtin() {
		for _, st := range sim.Strategies() {
			t.Run(s.Name+"/"+st.Name, func(t *testing.T) {
				seen := map[string]int{}
				for range replays {
					out := sim.Run(bubble.In(t), sim.Job{Scenario: s, Strategy: st, Seed: 7, Record: true})
					seen[history.Hash(out.Header, out.Events)]++
				}
				if len(seen) != 1 {
					t.Errorf("%d replays gave %d histories: %v", replays, len(seen), seen)
				}
			})
		}
	}
}

// Different seeds must differ, or the hash above proves nothing.
func TestOtherSeedOtherBytes(t *testing.T) {
	for _, s := range scenarios.Builtin() {
		st, _ := sim.Lookup("naive")
		seen := map[string]bool{}
		for seed := range uint64(3) {
			out := sim.Run(bubble.In(t), sim.Job{Scenario: s, Strategy: st, Seed: seed + 1, Record: true})
			seen[history.Hash(history.Header{}, out.Events)] = true
		}
		if len(seen) != 3 {
			t.Errorf("%s: 3 seeds gave %d histories", s.Name, len(seen))
		}
	}
}
