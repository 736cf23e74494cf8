package runner

import (
	"slices"

	"github.com/lockchaos/simrun/internal/check"
	"github.com/lockchaos/simrun/internal/results"
	"github.com/lockchaos/simrun/scenarios"
)

// aggregate is the sum of a cell's runs. Adding is commutative: each field is a
// sum, a maximum, or belongs to the smallest seed.
type aggregate struct {
	runs, unknown  int
	broken         int // runs with a violation or misbehaviour, unknown runs too
	check.Counters     // of unknown runs only Virtual and Commands
	check.ObservedRuns
	waits         histogram
	unknownSeed   uint64 // of unknownReason
	unknownReason string
	evidence      map[string]*evidence        // by property and observation
	proof         map[string]*evidence        // the same, with the violations of unknown runs
	breaches      map[string]*breaches        // by property, those of unknown runs too
	findings      map[string]*results.Finding // by class; without Replay
	firstEvidence uint64                      // smallest seed that was not unknown
	firstAlive    uint64                      // smallest seed that did not end its process
}

// breaches sums the violations of one property.
type breaches struct {
	results.Breach                 // with the size in Worst, whatever its unit
	first          check.Violation // of FirstSeed
}

func newAggregate() *aggregate {
	a := &aggregate{
		evidence: make(map[string]*evidence),
		proof:    make(map[string]*evidence),
		breaches: make(map[string]*breaches),
		findings: make(map[string]*results.Finding),
	}
	for _, name := range check.Names() {
		a.evidence[name], a.proof[name] = &evidence{}, &evidence{}
	}
	return a
}

// add adds one run; dead reports that it ended its process. Only the violations of
// an unknown run count: their events prove them, whatever is missing.
func (a *aggregate) add(t *runSummary, dead bool) {
	a.runs++
	if !dead {
		earlier(&a.firstAlive, t.Seed)
	}
	if len(t.Breaches) > 0 || slices.ContainsFunc(t.Findings, func(f check.Finding) bool { return !check.OfSurroundings(f.Class) }) {
		a.broken++
	}
	a.addFindings(t)
	a.addBreaches(t)
	if t.Unknown != "" {
		a.Counters.Add(check.Counters{Virtual: t.Virtual, Commands: t.Commands})
		a.unknown++
		if earlier(&a.unknownSeed, t.Seed) {
			a.unknownReason = t.Unknown
		}
		for name, e := range a.proof {
			e.add(t.Seed, t.Breaches[name].Count)
		}
		return
	}
	earlier(&a.firstEvidence, t.Seed)
	a.Counters.Add(t.Counters)
	a.ObservedRuns.Add(t.Counters)
	a.waits.add(t.Waits...)
	for name, e := range a.evidence {
		amount := t.amount(name)
		e.add(t.Seed, amount)
		a.proof[name].add(t.Seed, amount)
	}
}

// evidenceFor returns the evidence for or against an expectation. A violation in
// any run disproves that it never happens; otherwise unknown runs do not count.
func (a *aggregate) evidenceFor(name string, want scenarios.Expectation) evidence {
	if proof := a.proof[name]; want == scenarios.None && proof.with > 0 {
		return *proof
	}
	return *a.evidence[name]
}

func (a *aggregate) addFindings(t *runSummary) {
	for i, f := range t.Findings {
		if slices.ContainsFunc(t.Findings[:i], func(g check.Finding) bool { return g.Class == f.Class }) {
			continue // Count is of runs
		}
		sum := a.findings[f.Class]
		if sum == nil {
			sum = &results.Finding{Class: f.Class}
			a.findings[f.Class] = sum
		}
		sum.Count++
		if earlier(&sum.Seed, t.Seed) {
			sum.Detail, sum.Stack = f.Detail, f.Stack
		}
	}
}

func (a *aggregate) addBreaches(t *runSummary) {
	for name, b := range t.Breaches {
		sum := a.breaches[name]
		if sum == nil {
			sum = &breaches{}
			a.breaches[name] = sum
		}
		sum.Count += b.Count
		sum.Runs++
		sum.Worst = max(sum.Worst, b.Worst)
		if earlier(&sum.FirstSeed, t.Seed) {
			sum.first = b.First
		}
	}
}

// amount is how often a run showed a property or an observation.
func (t *runSummary) amount(name string) int {
	if o, ok := check.Observed(name); ok {
		return o.Count(t.Counters)
	}
	return t.Breaches[name].Count
}
