package runner

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lockchaos/simrun/internal/check"
	"github.com/lockchaos/simrun/scenarios"
)

func TestAggregateDoesNotDependOnTheOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var all []*runSummary
	for seed := uint64(1); seed <= 50; seed++ {
		r := check.Report{Waits: []int64{rng.Int64N(1e9)}}
		r.Sections, r.Aborted = 3, rng.IntN(2)
		if seed%4 == 0 {
			r.SoldOut = 1
		}
		if seed%3 == 0 {
			r.Violations = []check.Violation{{Property: "overlap", Size: rng.Int64N(100)}, {Property: "overlap", Size: rng.Int64N(100)}}
		}
		if seed%10 == 7 {
			r.Unknown = "too few sections"
		}
		if seed%10 == 9 {
			r.Findings = []check.Finding{{Class: "leak", Detail: "one"}, {Class: "leak", Detail: "two"}}
		}
		all = append(all, summarize(seed, r))
	}
	sum := func() *aggregate {
		f := newAggregate()
		for _, x := range all {
			f.add(x, x.Seed%25 == 0)
		}
		return f
	}
	want := sum()
	unexported := cmp.AllowUnexported(aggregate{}, histogram{}, evidence{}, breaches{})
	for range 20 {
		rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		if diff := cmp.Diff(want, sum(), unexported); diff != "" {
			t.Fatal(diff)
		}
	}
}

func TestAggregateKeepsOnlyTheViolationsOfUnknownRuns(t *testing.T) {
	f := newAggregate()
	breach := []check.Violation{{Property: "overlap"}}
	f.add(summarize(1, check.Report{Counters: check.Counters{Sections: 9, Aborted: 1}, Unknown: "thin", Violations: breach}), false)
	f.add(summarize(2, check.Report{Counters: check.Counters{Sections: 9}}), false)
	e := f.evidence["overlap"]
	if f.runs != 2 || f.unknown != 1 || f.Sections != 9 || f.Aborted != 0 || e.runs != 1 || e.with != 0 || f.breaches["overlap"].Runs != 1 {
		t.Errorf("%+v, %+v", f, e)
	}
	for _, tt := range []struct {
		name       string
		want       scenarios.Expectation
		with, runs int
	}{
		{"overlap", scenarios.None, 1, 2},
		{"overlap", scenarios.Some, 0, 1},
		{"overlap", scenarios.Every, 0, 1},
		{"aborted", scenarios.None, 0, 1},
	} {
		if e := f.evidenceFor(tt.name, tt.want); e.with != tt.with || e.runs != tt.runs {
			t.Errorf("%s, %s: %+v", tt.name, tt.want, e)
		}
	}
	if f.firstEvidence != 2 || f.firstAlive != 1 {
		t.Errorf("first evidence %d, first alive %d", f.firstEvidence, f.firstAlive)
	}
}

func TestAggregateCountsBrokenRuns(t *testing.T) {
	twice := []check.Violation{{Property: "overlap"}, {Property: "stale-write"}}
	a := newAggregate()
	for seed, r := range []check.Report{
		{},
		{Violations: twice},
		{Violations: twice[1:], Findings: []check.Finding{{Class: "panic"}}},
		{Findings: []check.Finding{{Class: "leak"}}},
		{Findings: []check.Finding{{Class: check.Standstill}}},
		{Violations: twice[:1], Unknown: "too few sections"},
	} {
		a.add(summarize(uint64(seed+1), r), false)
	}
	if a.broken != 4 {
		t.Errorf("%d broken runs, want 4: each counts once, and a machine that stood still is none", a.broken)
	}
}
