package results

import (
	"math"
	"testing"

	"github.com/lockchaos/simrun/internal/check"
)

func TestAgreement(t *testing.T) {
	tests := []struct {
		name                                 string
		virtual, virtualRuns, live, liveRuns int
		agree                                bool
	}{
		{"neither", 0, 100, 0, 1, true},
		{"both, always", 100, 100, 1, 1, true},
		{"both, now and then", 40, 100, 1, 1, true},
		{"now and then, and not this time", 40, 100, 0, 1, true},
		{"live only", 0, 100, 1, 1, false},
		{"always in virtual time, never live", 100, 100, 0, 1, false},
		{"nothing live", 100, 100, 0, 0, false},
		{"nothing virtual", 0, 0, 1, 1, false},
		{"mostly in virtual time, never in ten", 99, 100, 0, 10, false},
		{"hardly in virtual time, always in ten", 1, 100, 10, 10, false},
		{"always in virtual time, mostly live", 30, 30, 9, 10, true},
		{"in half of either", 50, 100, 5, 10, true},
	}
	for _, tt := range tests {
		c := AgreementCell{Virtual: tt.virtual, VirtualRuns: tt.virtualRuns, Live: tt.live, LiveRuns: tt.liveRuns}
		if agree, why := c.judge(); agree != tt.agree || !agree && why == "" {
			t.Errorf("%s: agree %v (%q), want %v", tt.name, agree, why, tt.agree)
		}
	}
}

func TestAgreeComparesWhatIsAskedAndWhatBroke(t *testing.T) {
	cell := func(runs int, broken map[string]Breach, aborted int) Results {
		return Results{Scenarios: []Scenario{{Name: "expiry", Strategies: []Strategy{{
			Name: "naive", Runs: runs, Violations: broken, Aborted: aborted, History: "expiry/naive/history.jsonl",
			Expected: map[string]string{"overlap": "every", "aborted": "none"},
		}}}}}
	}
	a := Agree(
		cell(100, map[string]Breach{"overlap": {Runs: 100}}, 0),
		Side{"live", cell(1, map[string]Breach{"overlap": {Runs: 1}, "orphan": {Runs: 1}}, 0)},
	)
	got := map[string]bool{}
	for _, c := range a.Cells {
		got[c.Property] = c.Agree
	}
	if len(got) != 3 || !got["overlap"] || !got["aborted"] || got["orphan"] {
		t.Errorf("cells %+v: want overlap and aborted to agree, orphan not to", a.Cells)
	}
	if !a.Doubtful("expiry", "naive") || a.Doubtful("expiry", "token") {
		t.Error("expiry/naive differs, and nothing else")
	}
	for _, c := range a.Cells {
		if want := map[bool]string{false: "live/expiry/naive/history.jsonl"}[c.Agree]; c.History != want {
			t.Errorf("%s: its history is %q, want %q", c.Property, c.History, want)
		}
	}
	if share := a.Share(); share < 0.66 || share > 0.67 {
		t.Errorf("share is %v, want two thirds", share)
	}
}

// Live runs that were added later count with the first.
func TestAgreeAddsLiveRunsUp(t *testing.T) {
	side := func(runs, broken int) Results {
		s := Strategy{Name: "naive", Runs: runs, Violations: map[string]Breach{}}
		if broken > 0 {
			s.Violations["stuck"] = Breach{Runs: broken}
		}
		return Results{Scenarios: []Scenario{{Name: "clock-jump", Strategies: []Strategy{s}}}}
	}
	virtual := side(30, 30)
	if a := Agree(virtual, Side{"live", side(1, 0)}); a.Share() != 0 {
		t.Errorf("%+v: want no agreement", a.Cells)
	}
	a := Agree(virtual, Side{"live", side(1, 0)}, Side{"again", side(9, 8)})
	if len(a.Cells) != 1 || a.Cells[0].Live != 8 || a.Cells[0].LiveRuns != 10 || !a.Cells[0].Agree {
		t.Errorf("%+v: want 8 of 10 live runs, in agreement", a.Cells)
	}
}

func TestChance(t *testing.T) {
	for _, tt := range []struct {
		virtual, virtualRuns, live, liveRuns int
		want                                 float64
	}{
		{1, 10, 11, 14, 0.0027594561852200836}, // the textbook's example
		{5, 10, 5, 10, 1},
		{100, 100, 0, 1, 1.0 / 101},
	} {
		c := AgreementCell{Virtual: tt.virtual, VirtualRuns: tt.virtualRuns, Live: tt.live, LiveRuns: tt.liveRuns}
		if got := c.chance(); math.Abs(got-tt.want) > 1e-9 {
			t.Errorf("%+v: %v, want %v", tt, got, tt.want)
		}
	}
}

// A run that is too little evidence counts for nothing, unless it shows a breach.
func TestAgreeCountsEvidenceOnly(t *testing.T) {
	s := Strategy{Runs: 100, UnknownRuns: 99, ObservedRuns: check.ObservedRuns{AbortedRuns: 1}, Violations: map[string]Breach{"overlap": {Runs: 3}}}
	for name, want := range map[string][2]int{"stuck": {0, 1}, "aborted": {1, 1}, "overlap": {3, 3}} {
		if got := [2]int{s.shown(name), s.evidence(name)}; got != want {
			t.Errorf("%s: %d of %d runs, want %d of %d", name, got[0], got[1], want[0], want[1])
		}
	}
}
