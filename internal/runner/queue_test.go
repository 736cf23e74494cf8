package runner

import (
	"slices"
	"testing"

	"github.com/lockchaos/simrun/internal/check"
	"github.com/lockchaos/simrun/internal/results"
	"github.com/lockchaos/simrun/scenarios"
)

func TestQueueHandsOutEachSeedOnce(t *testing.T) {
	q := newQueue(planOf(t, 103, nil, "steady", "moody"), Options{Procs: 2}.withDefaults())
	seen := make(map[string][]uint64)
	for {
		b, ok := q.take()
		if !ok {
			break
		}
		for i := range b.count {
			seen[b.cell.strategy.Name] = append(seen[b.cell.strategy.Name], b.first+uint64(i))
		}
	}
	for _, name := range []string{"steady", "moody"} {
		if n := len(seen[name]); n != 103 || !slices.IsSorted(seen[name]) || seen[name][0] != 1 || seen[name][102] != 103 {
			t.Errorf("%s: %v", name, seen[name])
		}
	}
}

func TestStrategiesOfAScenarioAdvanceTogether(t *testing.T) {
	p := planOf(t, 100, nil, "steady", "moody")
	p.Scenarios = append(p.Scenarios, p.Scenarios[0])
	q := newQueue(p, Options{Procs: 1}.withDefaults())
	for range 3 {
		if _, ok := q.take(); !ok {
			t.Fatal("nothing to do")
		}
	}
	var got []int
	for _, c := range q.cells {
		got = append(got, c.next/q.batch)
	}
	if want := []int{2, 1, 0, 0}; !slices.Equal(got, want) {
		t.Errorf("batches handed out: %v, want %v", got, want)
	}
}

func TestACellThatKeepsStallingIsGivenUp(t *testing.T) {
	q := newQueue(planOf(t, 1000, nil, "spins"), Options{Procs: 1, Dir: t.TempDir()}.withDefaults())
	stall := check.Report{Findings: []check.Finding{{Class: classSpin}}, Unknown: "a spin"}
	b, _ := q.take()
	rest := task{cell: b.cell, count: b.count - maxStalls}
	for i := range maxStalls {
		if q.skip(rest) {
			t.Fatalf("given up after %d stalls", i)
		}
		q.add(b.cell, summarize(uint64(i+1), stall), true, 0)
	}
	if !q.skip(rest) {
		t.Errorf("not given up after %d stalls", maxStalls)
	}
	if next, ok := q.take(); ok {
		t.Errorf("another task: %+v", next)
	}
	if r := b.cell.result(); r.Verdict != results.Fail || r.Runs != maxStalls {
		t.Errorf("%s after %d runs", r.Verdict, r.Runs)
	}
}

func TestReplayCommand(t *testing.T) {
	builtin := Input{Scenario: &scenarios.Scenario{Name: "expiry"}}
	file := Input{Scenario: &scenarios.Scenario{Name: "mine", File: "my scenarios/it's.yaml"}, Source: []byte("x")}
	if got, want := command("simrun", builtin, "naive"), "simrun -scenario expiry -strategy naive"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := command("simrun", file, "naive"), `simrun -scenario 'my scenarios/it'\''s.yaml' -strategy naive`; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestFirstViolationIsTheOneThatMattersMost(t *testing.T) {
	build := func(expect expectations) results.Strategy {
		sc := &scenarios.Scenario{Expect: map[string]expectations{"x": expect}}
		c := newCell(0, Input{Scenario: sc}, "x", Plan{Count: 3}, Options{})
		c.sum.add(summarize(1, check.Report{Violations: []check.Violation{{Property: "leak"}}}), false)
		c.sum.add(summarize(2, check.Report{Violations: []check.Violation{{Property: "overlap"}}}), false)
		c.sum.add(summarize(3, check.Report{Violations: []check.Violation{{Property: "stale-write"}}}), false)
		return c.result()
	}
	for _, tt := range []struct {
		name     string
		expect   expectations
		property string
		seed     uint64
	}{
		{"the worst harm", nil, "stale-write", 3},
		{"one that breaks an expectation", expectations{"leak": scenarios.None}, "leak", 1},
		{"the worst of several that do", expectations{"leak": scenarios.None, "overlap": scenarios.None}, "overlap", 2},
		{"an expectation of every run is not broken by a violation", expectations{"leak": scenarios.Every}, "stale-write", 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := build(tt.expect).FirstViolation
			if v.Property != tt.property || v.Seed != tt.seed {
				t.Errorf("%s with seed %d, want %s with seed %d", v.Property, v.Seed, tt.property, tt.seed)
			}
		})
	}
}
