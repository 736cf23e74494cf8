package results

import (
	"testing"

	"github.com/lockchaos/simrun/internal/check"
)

func TestGuarantee(t *testing.T) {
	breached := map[string]Breach{"overlap": {Runs: 1}, "leak": {Runs: 9}}
	for _, tt := range []struct {
		name     string
		s        Strategy
		complete bool
		want     Guarantee
		harm     string
	}{
		{"every run without a breach", Strategy{Runs: 3}, true, Holds, ""},
		{"one breach, the worst first", Strategy{Runs: 3, Violations: breached}, true, Broken, "overlap"},
		{"a breach in too little evidence", Strategy{Runs: 3, UnknownRuns: 3, Violations: breached}, false, Broken, "overlap"},
		{"a panic", Strategy{Runs: 3, Findings: []Finding{{Class: "panic"}}}, true, Broken, "panic"},
		{"a machine that stood still", Strategy{Runs: 3, UnknownRuns: 1, Findings: []Finding{{Class: check.Standstill}}}, true, Unclear, ""},
		{"an unknown run", Strategy{Runs: 3, UnknownRuns: 1}, true, Unclear, ""},
		{"not every seed", Strategy{Runs: 3}, false, Unclear, ""},
		{"no run", Strategy{}, true, Unclear, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.s.JudgeGuarantee(tt.complete); tt.s.Guarantee != tt.want || tt.s.Harm != tt.harm {
				t.Errorf("%s by %q, want %s by %q", tt.s.Guarantee, tt.s.Harm, tt.want, tt.harm)
			}
		})
	}
}

func TestBroke(t *testing.T) {
	breached := map[string]Breach{"overlap": {Runs: 3}, "leak": {Runs: 2}}
	for _, tt := range []struct {
		name string
		s    Strategy
		want int
	}{
		{"counted", Strategy{Runs: 9, BrokenRuns: 5, Violations: breached}, 5},
		{"an older file", Strategy{Runs: 9, Violations: breached}, 3},
		{"an older file with a panic", Strategy{Runs: 9, Violations: breached, Findings: []Finding{{Class: "panic", Count: 4}}}, 4},
		{"an older file, of a bad machine", Strategy{Runs: 9, Findings: []Finding{{Class: check.Standstill, Count: 4}}}, 0},
		{"nothing", Strategy{Runs: 9}, 0},
	} {
		if got := tt.s.Broke(); got != tt.want {
			t.Errorf("%s: %d runs, want %d", tt.name, got, tt.want)
		}
	}
}
