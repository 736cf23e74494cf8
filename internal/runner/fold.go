package runner

import (
	"slices"

	"github.com/lockchaos/simrun/internal/check"
	"github.com/lockchaos/simrun/scenarios"
)

// fold is the sum of a cell's tallies. Adding is commutative: each field is a
// sum, a largest value, or belongs to the smallest seed.
type fold struct {
	runs, unknown                         int
	sections, aborted, rejected, commands int
	abortedRuns, rejectedRuns, soldOut    int // runs
	virtual, inside, lost                 int64
	waits                                 histogram
	unknownWhy                            first[string]
	evidence                              map[string]*evidence // of each name that is expected
	proof                                 map[string]*evidence // the same, with the violations of unknown runs
	breaches                              map[string]*breaches // of unknown runs, too
	findings                              map[string]*findings
	firstEvidence                         first[struct{}] // smallest seed that was no unknown
	firstAlive                            first[struct{}] // smallest seed that can be run to its end
}

// first keeps what belongs to the smallest seed.
type first[T any] struct {
	seed  uint64 // 0: nothing yet
	value T
}

func (f *first[T]) offer(seed uint64, v T) {
	if f.seed == 0 || seed < f.seed {
		f.seed, f.value = seed, v
	}
}

type breaches struct {
	count, runs int
	worst       int64
	first       first[check.Violation]
}

type findings struct {
	runs  int
	first first[check.Finding]
}

func newFold(names []string) *fold {
	f := &fold{
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

// add folds one run in. dead says that the run ended the process. Of a run that
// is unknown only the violations count, which their events prove whatever else
// is missing.
func (f *fold) add(t *tally, dead bool) {
	f.runs++
	if !dead {
		f.firstAlive.offer(t.Seed, struct{}{})
	}
	f.addFindings(t)
	f.virtual += t.Virtual
	f.commands += t.Commands
	f.addBreaches(t)
	if t.Unknown != "" {
		f.unknown++
		f.unknownWhy.offer(t.Seed, t.Unknown)
		for name, e := range f.proof {
			e.add(t.Seed, t.Breaches[name].Count)
		}
		return
	}
	f.firstEvidence.offer(t.Seed, struct{}{})
	f.sections += t.Sections
	f.aborted += t.Aborted
	f.rejected += t.Rejected
	f.inside += t.Inside
	f.lost += t.Lost
	f.waits.merge(t.Waits)
	count(&f.abortedRuns, t.Aborted > 0)
	count(&f.rejectedRuns, t.Rejected > 0)
	count(&f.soldOut, t.SoldOut)
	for name, e := range f.evidence {
		e.add(t.Seed, t.amount(name))
		f.proof[name].add(t.Seed, t.amount(name))
	}
}

func count(n *int, shown bool) {
	if shown {
		*n++
	}
}

// evidenceFor is what speaks for or against an expectation. What must not happen
// is disproved by a violation in any run; for all else unknown runs say nothing.
func (f *fold) evidenceFor(name string, want scenarios.Expectation) evidence {
	if proof := f.proof[name]; want == scenarios.None && proof.with > 0 {
		return *proof
	}
	return *f.evidence[name]
}

func (f *fold) addFindings(t *tally) {
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

func (f *fold) addBreaches(t *tally) {
	for name, b := range t.Breaches {
		x := f.breaches[name]
		if x == nil {
			x = &breaches{}
			f.breaches[name] = x
		}
		x.count += b.Count
		x.runs++
		x.worst = max(x.worst, b.Worst)
		x.first.offer(t.Seed, b.First)
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
func (t *tally) amount(name string) int {
	switch name {
	case "aborted":
		return t.Aborted
	case "rejected":
		return t.Rejected
	case "sold-out":
		if t.SoldOut {
			return 1
		}
		return 0
	default:
		return t.Breaches[name].Count
	}
}
