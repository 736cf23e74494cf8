package runner

import (
	"testing"

	"github.com/lockchaos/simrun/scenarios"
)

func TestRule(t *testing.T) {
	none := evidence{runs: 100, first: 1, firstWithout: 1}
	few := evidence{runs: 100, with: 5, total: 12, first: 1, firstWith: 17, firstWithout: 1}
	all := evidence{runs: 100, with: 100, total: 250, first: 1, firstWith: 1}
	thin := evidence{runs: enoughForNever - 1, first: 1, firstWithout: 1}
	enough := evidence{runs: enoughForNever, first: 1, firstWithout: 1}
	for _, tt := range []struct {
		name  string
		want  scenarios.Expectation
		seen  evidence
		whole bool
		rules ruling
		seed  uint64
	}{
		{"no run at all shows nothing", scenarios.None, evidence{}, true, undecided, 0},
		{"no run at all is not every run", scenarios.Every, evidence{}, true, undecided, 0},
		{"none, never seen", scenarios.None, none, true, holds, 0},
		{"none, seen", scenarios.None, few, true, broken, 17},
		{"none, seen before an interrupt", scenarios.None, few, false, broken, 17},
		{"some, seen", scenarios.Some, few, true, holds, 0},
		{"some, seen in all", scenarios.Some, all, true, holds, 0},
		{"some, never seen", scenarios.Some, none, true, broken, 1},
		{"some, never seen before an interrupt", scenarios.Some, none, false, undecided, 0},
		{"some, never seen in too few runs", scenarios.Some, thin, true, undecided, 0},
		{"some, never seen in just enough runs", scenarios.Some, enough, true, broken, 1},
		{"every, seen in all", scenarios.Every, all, true, holds, 0},
		{"every, seen in few", scenarios.Every, few, true, broken, 1},
		{"every, never seen", scenarios.Every, none, true, broken, 1},
		{"an unknown expectation", "often", all, true, undecided, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := rule(tt.want, tt.seen, tt.whole)
			if got != tt.rules {
				t.Fatalf("ruling is %d, want %d", got, tt.rules)
			}
			if seed, _ := brokenBy(tt.seen, "overlap", tt.want); got == broken && seed != tt.seed {
				t.Errorf("broken by seed %d, want %d", seed, tt.seed)
			}
		})
	}
}

func TestBrokenText(t *testing.T) {
	few := evidence{runs: 100, with: 5, total: 12, first: 1, firstWith: 17, firstWithout: 1}
	none := evidence{runs: 1, first: 4, firstWithout: 4}
	for _, tt := range []struct {
		want      scenarios.Expectation
		seen      evidence
		got, text string
	}{
		{scenarios.None, few, "12 in 5 of 100 runs", "overlap must not happen, but did in 5 of 100 runs, first with seed 17"},
		{scenarios.Every, few, "12 in 5 of 100 runs", "overlap is expected in every run, but seed 1 went without it (5 of 100 runs showed it)"},
		{scenarios.Some, none, "none in 1 run", "overlap is expected in some run, but none of 1 run showed it, from seed 4 on"},
	} {
		if s := tt.seen.got(); s != tt.got {
			t.Errorf("got is %q, want %q", s, tt.got)
		}
		if _, s := brokenBy(tt.seen, "overlap", tt.want); s != tt.text {
			t.Errorf("text is %q, want %q", s, tt.text)
		}
	}
}

func TestBrokenByASeedThatShowsIt(t *testing.T) {
	e := evidence{runs: 3, with: 1, first: 1, firstWith: 2, firstWithout: 3}
	for want, seed := range map[scenarios.Expectation]uint64{scenarios.None: 2, scenarios.Every: 3, scenarios.Some: 1} {
		if got, _ := brokenBy(e, "overlap", want); got != seed {
			t.Errorf("%s: seed %d, want %d", want, got, seed)
		}
	}
}
