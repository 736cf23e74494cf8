package runner

import (
	"slices"

	"github.com/lockchaos/simrun/internal/check"
	"github.com/lockchaos/simrun/scenarios"
)

// aggregate is the sum of a cell's runs. Adding is commutative: each field is a
// sum, a largest value, or belongs to the smallest seed.
type aggregate struct {
	runs, unknown  int
	check.Counters // of unknown runs only Virtual and Commands
	check.ObservedRuns
	waits         histogram
	unknownWhy    earliest[string]
	evidence      map[string]*evidence // of each name that is expected
	proof         map[string]*evidence // the same, with the violations of unknown runs
	breaches      map[string]*breaches // of unknown runs, too
	findings      map[string]*findings
	firstEvidence earliest[struct{}] // smallest seed that was no unknown
	firstAlive    earliest[struct{}] // smallest seed that can be run to its end
}

// earliest keeps what belongs to the smallest seed.
type earliest[T any] struct {
	seed  uint64 // 0: nothing yet
	value T
}

func (f *earliest[T]) offer(seed uint64, v T) {
	if f.seed == 0 || seed < f.seed {
		f.seed, f.value = seed, v
	}
}

type breaches struct {
	breach
	runs int
	seed uint64 // of First
}

type findings struct {
	runs  int
	first earliest[check.Finding]
}

func newAggregate(names []string) *aggregate {
	f := &aggregate{
		evidence: make(map[string]*evidence),
		proof:    make(map[string]*evidence),
		breaches: make(map[string]*breaches),
		findings: make(map[string]*findings),
	}
	for _, n := range names {
		f.evidence[n], f.proof[n] = &evidence{}, &evidence{}
	}
	return f
}

// add adds one run; dead reports that it ended its process. Of a run that
// is unknown only the violations count, which their events prove whatever else
// is missing.
func (f *aggregate) add(t *runSummary, dead bool) {
	f.runs++
	if !dead {
		f.firstAlive.offer(t.Seed, struct{}{})
	}
	f.addFindings(t)
	f.addBreaches(t)
	if t.Unknown != "" {
		f.Counters.Add(check.Counters{Virtual: t.Virtual, Commands: t.Commands})
		f.unknown++
		f.unknownWhy.offer(t.Seed, t.Unknown)
		for name, e := range f.proof {
			e.add(t.Seed, t.Breaches[name].Count)
		}
		return
	}
	f.firstEvidence.offer(t.Seed, struct{}{})
	f.Counters.Add(t.Counters)
	f.ObservedRuns.Add(t.Counters)
	f.waits.add(t.Waits...)
	for name, e := range f.evidence {
		e.add(t.Seed, t.amount(name))
		f.proof[name].add(t.Seed, t.amount(name))
	}
}

// evidenceFor is what speaks for or against an expectation. What must not happen
// is disproved by a violation in any run; for all else unknown runs say nothing.
func (f *aggregate) evidenceFor(name string, want scenarios.Expectation) evidence {
	if proof := f.proof[name]; want == scenarios.None && proof.with > 0 {
		return *proof
	}
	return *f.evidence[name]
}

func (f *aggregate) addFindings(t *runSummary) {
	var seen []string
	for _, x := range t.Findings {
		if slices.Contains(seen, x.Class) {
			continue
		}
		seen = append(seen, x.Class)
		if f.findings[x.Class] == nil {
			f.findings[x.Class] = &findings{}
		}
		f.findings[x.Class].runs++
		f.findings[x.Class].first.offer(t.Seed, x)
	}
}

func (f *aggregate) addBreaches(t *runSummary) {
	for name, b := range t.Breaches {
		x := f.breaches[name]
		if x == nil {
			x = &breaches{}
			f.breaches[name] = x
		}
		x.Count += b.Count
		x.runs++
		x.Worst = max(x.Worst, b.Worst)
		if x.seed == 0 || t.Seed < x.seed {
			x.seed, x.First = t.Seed, b.First
		}
	}
}

func (e *evidence) add(seed uint64, amount int) {
	e.runs++
	e.total += amount
	least(&e.first, seed)
	if amount > 0 {
		e.with++
		least(&e.firstWith, seed)
	} else {
		least(&e.firstWithout, seed)
	}
}

func least(at *uint64, seed uint64) {
	if *at == 0 || seed < *at {
		*at = seed
	}
}

// amount is how often a run showed a property or an observation.
func (t *runSummary) amount(name string) int {
	if o, ok := check.Observed(name); ok {
		return o.Count(t.Counters)
	}
	return t.Breaches[name].Count
}
