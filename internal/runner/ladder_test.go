package runner

import (
	"testing"

	"github.com/lockchaos/simrun/internal/results"
)

// cells makes a scenario from a file in which the locks breach what is given.
func cells(breaches map[string][]string) *results.Scenario {
	s := &results.Scenario{Name: "mine", File: "mine.yaml"}
	for _, name := range []string{"own", "naive", "token", "watchdog", "capped", "guarded", "fenced"} {
		properties, ran := breaches[name]
		if !ran {
			continue
		}
		c := results.Strategy{Name: name, Runs: 1, Violations: map[string]results.Breach{}}
		for _, p := range properties {
			c.Violations[p] = results.Breach{Count: 1, Runs: 1}
		}
		c.JudgeGuarantee(true)
		s.Strategies = append(s.Strategies, c)
	}
	return s
}

func TestWhatItTakes(t *testing.T) {
	all := func(own, upToGuarded, fenced []string) map[string][]string {
		return map[string][]string{"own": own, "naive": own, "token": own, "watchdog": upToGuarded, "capped": upToGuarded, "guarded": upToGuarded, "fenced": fenced}
	}
	overlap, corrupt := []string{"overlap"}, []string{"overlap", "stale-write"}
	for _, tt := range []struct {
		name           string
		breaches       map[string][]string
		rung, inherent string // of own
	}{
		{"the lowest rung that holds", all(corrupt, nil, nil), "watchdog", ""},
		{"the fence alone holds", all(corrupt, corrupt, nil), "fenced", ""},
		{"a lower rung lessens the harm", all(corrupt, overlap, overlap), "", "inherent to leases, but watchdog keeps it to overlap"},
		{"only the fence prevents the harm", all(corrupt, corrupt, overlap), "", results.InherentInLeases},
		{"the overlap is inherent", all(overlap, overlap, overlap), "", results.InherentInLeases},
		{"even the fence fails", all(corrupt, corrupt, []string{"stale-write", "old-fence"}), "", results.NoLockHolds},
		{"nobody gets in", all([]string{"stuck"}, []string{"stuck"}, []string{"stuck"}), "", results.NoLockHolds},
		{"the ladder did not run", map[string][]string{"own": corrupt}, "", ""},
		{"a part of the ladder did not run", map[string][]string{"own": corrupt, "watchdog": nil}, "", ""},
		{"it holds", all(nil, nil, nil), "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := cells(tt.breaches)
			explainHarm(s)
			if got := s.Strategies[0]; got.AvoidableBy != tt.rung || got.Inherent != tt.inherent {
				t.Errorf("avoidable by %q, inherent %q; want %q, %q", got.AvoidableBy, got.Inherent, tt.rung, tt.inherent)
			}
		})
	}
}

func TestWhatItTakesInABuiltInScenario(t *testing.T) {
	s := cells(map[string][]string{"own": {"overlap"}})
	s.Name, s.File = "partition", ""
	explainHarm(s)
	if got := s.Strategies[0].AvoidableBy; got != "guarded" {
		t.Errorf("avoidable by %q, want guarded, which is known to hold", got)
	}
}
