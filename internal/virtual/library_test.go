//go:build !race

package virtual_test

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
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
				if len(st.Terms(s, false).Expected) == 0 {
					t.Errorf("%s: nothing is expected of %s, nor of the strategy that it is Like: add it under expect in scenarios/library/%s.yaml", s.Name, st.Name, s.Name)
				}
				t.Run(st.Name, func(t *testing.T) { cell(t, s, st) })
			}
		})
	}
}

func cell(t *testing.T, s *scenarios.Scenario, st strategy.Strategy) {
	runs := map[string]int{}        // property or observation → runs that showed it
	breached := map[string]uint64{} // property → first seed that showed it
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
			if breached[v.Property] == 0 {
				breached[v.Property] = seed
			}
		}
		for what, yes := range shown {
			if yes {
				runs[what]++
			}
		}
	}
	checkKnown(t, s, st, breached)
	for what, want := range st.Terms(s, false).Expected {
		got := runs[what]
		switch {
		case want == scenarios.None && got > 0,
			want == scenarios.Some && got == 0,
			want == scenarios.Every && got < librarySeeds:
			t.Errorf("%s in %d of %d runs, want %s", what, got, librarySeeds, want)
		}
	}
}

// checkKnown compares what a cell breached, with the first seed of each property,
// with what is known of it.
func checkKnown(t *testing.T, s *scenarios.Scenario, st strategy.Strategy, breached map[string]uint64) {
	known, ok := strategy.KnownBreaches(s.Name, st.Name)
	if !ok {
		t.Errorf("it is not known what %s breaches in %s: %s", st.Name, s.Name, remedy(s))
	}
	for property, seed := range breached {
		if known[property] != seed {
			t.Errorf("%s is first breached with seed %d, known is seed %d: %s", property, seed, known[property], remedy(s))
		}
	}
	for property, seed := range known {
		if breached[property] == 0 && (seed <= librarySeeds || firstBreaches(t, s, st, seed, seed)[property] == 0) {
			t.Errorf("%s is not breached with seed %d, as is known: %s", property, seed, remedy(s))
		}
	}
}

func remedy(s *scenarios.Scenario) string {
	return "go test ./internal/virtual -run TestKnownBreaches/" + s.Name + " -update"
}

// With -update, TestKnownBreaches looks at so many seeds of each cell.
const knownSeeds = 100

// What is known of the reference locks in the built-in scenarios is written here
// and checked by TestLibraryHolds.
func TestKnownBreaches(t *testing.T) {
	if !*update {
		return
	}
	var out strings.Builder
	for _, s := range scenarios.Builtin() {
		for _, st := range strategy.All() {
			breached, _ := strategy.KnownBreaches(s.Name, st.Name)
			t.Run(s.Name+"/"+st.Name, func(t *testing.T) { breached = firstBreaches(t, s, st, 1, knownSeeds) })
			fmt.Fprint(&out, s.Name, " ", st.Name)
			for _, property := range slices.SortedFunc(maps.Keys(breached), check.Compare) {
				fmt.Fprintf(&out, " %s=%d", property, breached[property])
			}
			fmt.Fprintln(&out)
		}
	}
	if err := os.WriteFile("../strategy/known.txt", []byte(out.String()), 0o666); err != nil {
		t.Fatal(err)
	}
}

// firstBreaches maps each property that is breached to the first of the seeds
// that shows it.
func firstBreaches(t *testing.T, s *scenarios.Scenario, st strategy.Strategy, from, to uint64) map[string]uint64 {
	breached := map[string]uint64{}
	for seed := from; seed <= to; seed++ {
		for _, v := range virtual.Run(bubble.In(t), engine.Job{Scenario: s, Strategy: st, Seed: seed}).Report.Violations {
			if breached[v.Property] == 0 {
				breached[v.Property] = seed
			}
		}
	}
	return breached
}
