package virtual_test

import (
	"testing"

	"github.com/lockchaos/simrun/internal/bubble"
	"github.com/lockchaos/simrun/internal/check"
	"github.com/lockchaos/simrun/internal/engine"
	"github.com/lockchaos/simrun/internal/strategy"
	"github.com/lockchaos/simrun/internal/virtual"
	"github.com/lockchaos/simrun/scenarios"
)

// Every cell of every built-in scenario is as the scenario says, in both
// directions, and every run is enough evidence: its faults fired.
func TestLibraryHolds(t *testing.T) {
	for _, s := range scenarios.Builtin() {
		t.Run(s.Name, func(t *testing.T) {
			for _, st := range strategy.All() {
				if len(st.Expected(s)) == 0 {
					t.Errorf("%s: nothing is expected of %s, nor of the strategy that it is Like: add it under expect in scenarios/library/%s.yaml", s.Name, st.Name, s.Name)
				}
				t.Run(st.Name, func(t *testing.T) { cell(t, s, st) })
			}
		})
	}
}

func cell(t *testing.T, s *scenarios.Scenario, st strategy.Strategy) {
	runs := map[string]int{} // property or observation → runs that showed it
	for seed := uint64(1); seed <= librarySeeds; seed++ {
		r := virtual.Run(bubble.In(t), engine.Job{Scenario: s, Strategy: st, Seed: seed}).Report
		if r.Unknown != "" {
			t.Errorf("seed %d is too little evidence: %s", seed, r.Unknown)
		}
		for _, f := range r.Findings {
			t.Errorf("seed %d: %s: %s\n%s", seed, f.Class, f.Detail, f.Stack)
		}
		shown := map[string]bool{}
		for _, o := range check.Observations {
			shown[o.Name] = o.Count(r.Counters) > 0
		}
		for _, v := range r.Violations {
			shown[v.Property] = true
		}
		for what, yes := range shown {
			if yes {
				runs[what]++
			}
		}
	}
	for what, want := range st.Expected(s) {
		got := runs[what]
		switch {
		case want == scenarios.None && got > 0,
			want == scenarios.Some && got == 0,
			want == scenarios.Every && got < librarySeeds:
			t.Errorf("%s in %d of %d runs, want %s", what, got, librarySeeds, want)
		}
	}
}
