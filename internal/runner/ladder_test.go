package runner

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/lockchaos/simrun/internal/results"
	"github.com/lockchaos/simrun/internal/strategy"
	"github.com/lockchaos/simrun/scenarios"
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

// Of a lock that gives fences it is not said that a fence would be better.
func TestWhatItTakesOfALockWithAFence(t *testing.T) {
	overlap := []string{"overlap"}
	s := cells(map[string][]string{"own": overlap, "naive": overlap, "token": overlap, "watchdog": overlap, "capped": overlap, "guarded": overlap, "fenced": overlap})
	s.Strategies[0].HeldTo = "fenced"
	explainHarm(s)
	for _, c := range s.Strategies {
		want := results.InherentInLeases
		if c.Name == "own" || c.Name == "fenced" {
			want = results.InherentButFenced
		}
		if c.Inherent != want {
			t.Errorf("%s: %q, want %q", c.Name, c.Inherent, want)
		}
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

var update = flag.Bool("update", false, "write docs/guarantees.md anew")

// docs/guarantees.md says of every reference lock in every built-in scenario
// whether it holds, and what would avoid its harm.
func TestTheTableOfGuarantees(t *testing.T) {
	const path = "../../docs/guarantees.md"
	var out strings.Builder
	out.WriteString(`# What each reference lock guarantees

Generated from what the locks are known to breach in the built-in scenarios: ` + "`go test ./internal/runner -run TestTheTableOfGuarantees -update`" + `.
Below the worst property that is breached stands what would avoid it: the lowest rung of the ladder that holds there; or, where none does, that
the harm is inherent to leases, or that no lock on this Redis holds.

`)
	ladder := strategy.Ladder()
	fmt.Fprintf(&out, "| scenario | %s |\n|%s\n", strings.Join(ladder, " | "), strings.Repeat(" --- |", 1+len(ladder)))
	for _, s := range scenarios.Builtin() {
		breaches := map[string][]string{}
		for _, name := range ladder {
			known, _ := strategy.KnownBreaches(s.Name, name)
			breaches[name] = slices.Collect(maps.Keys(known))
		}
		sc := cells(breaches)
		sc.Name, sc.File = s.Name, ""
		explainHarm(sc)
		fmt.Fprintf(&out, "| `%s` |", s.Name)
		for _, c := range sc.Strategies {
			what := string(c.Guarantee)
			if c.Guarantee == results.Broken {
				what = fmt.Sprintf("**%s**<br>%s", c.Harm, c.Inherent)
				if c.AvoidableBy != "" {
					what = fmt.Sprintf("**%s**<br>avoidable: %s holds", c.Harm, c.AvoidableBy)
				}
			}
			fmt.Fprintf(&out, " %s |", what)
		}
		out.WriteString("\n")
	}
	was, err := os.ReadFile(path)
	switch {
	case *update:
		err = os.WriteFile(path, []byte(out.String()), 0o644)
	case err == nil && string(was) != out.String():
		t.Errorf("%s is out of date: -update writes it anew", path)
	}
	if err != nil {
		t.Fatal(err)
	}
}
