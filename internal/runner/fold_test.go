package runner

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lockchaos/simrun/internal/check"
	"github.com/lockchaos/simrun/scenarios"
)

func TestFoldDoesNotDependOnTheOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var all []*tally
	for seed := uint64(1); seed <= 50; seed++ {
		r := check.Report{Sections: 3, Waits: []int64{rng.Int64N(1e9)}, Aborted: rng.IntN(2), SoldOut: seed%4 == 0}
		if seed%3 == 0 {
			r.Violations = []check.Violation{{Property: "overlap", Size: rng.Int64N(100)}, {Property: "overlap", Size: rng.Int64N(100)}}
		}
		if seed%10 == 7 {
			r.Unknown = "too few sections"
		}
		if seed%10 == 9 {
			r.Findings = []check.Finding{{Class: "leak", Detail: "one"}, {Class: "leak", Detail: "two"}}
		}
		all = append(all, tallyOf(seed, r))
	}
	sum := func() *fold {
		f := newFold([]string{"overlap", "aborted", "sold-out", "stuck"})
		for _, x := range all {
			f.add(x, x.Seed%25 == 0)
		}
		return f
	}
	want := sum()
	unexported := cmp.AllowUnexported(fold{}, histogram{}, evidence{}, breaches{}, findings{},
		first[string]{}, first[check.Violation]{}, first[check.Finding]{}, first[struct{}]{})
	for range 20 {
		rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		if diff := cmp.Diff(want, sum(), unexported); diff != "" {
			t.Fatal(diff)
		}
	}
}

func TestFoldKeepsOnlyTheViolationsOfUnknownRuns(t *testing.T) {
	f := newFold([]string{"overlap", "aborted"})
	breach := []check.Violation{{Property: "overlap"}}
	f.add(tallyOf(1, check.Report{Unknown: "thin", Sections: 9, Aborted: 1, Violations: breach}), false)
	f.add(tallyOf(2, check.Report{Sections: 9}), false)
	e := f.evidence["overlap"]
	if f.runs != 2 || f.unknown != 1 || f.sections != 9 || f.aborted != 0 || e.runs != 1 || e.with != 0 || f.breaches["overlap"].runs != 1 {
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
	if f.firstEvidence.seed != 2 || f.firstAlive.seed != 1 {
		t.Errorf("first evidence %d, first alive %d", f.firstEvidence.seed, f.firstAlive.seed)
	}
}
