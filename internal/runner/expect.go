package runner

import (
	"fmt"

	"github.com/lockchaos/simrun/internal/text"
	"github.com/lockchaos/simrun/scenarios"
)

// enoughForNever is how many runs must all lack what some run is expected to show
// before that counts against the strategy.
const enoughForNever = 20

// evidence is what a cell's runs showed of one property or observation.
type evidence struct {
	runs         int
	with         int    // runs that showed it
	total        int    // how often they showed it
	first        uint64 // smallest seed
	firstWith    uint64 // smallest seed that showed it
	firstWithout uint64 // smallest seed that did not
}

// add adds a run that showed it amount times.
func (e *evidence) add(seed uint64, amount int) {
	e.runs++
	e.total += amount
	earlier(&e.first, seed)
	if amount > 0 {
		e.with++
		earlier(&e.firstWith, seed)
	} else {
		earlier(&e.firstWithout, seed)
	}
}

// earlier replaces the first of several seeds by one that is smaller, and reports
// whether it did. First is 0 before there is any.
func earlier(first *uint64, seed uint64) bool {
	if *first != 0 && *first <= seed {
		return false
	}
	*first = seed
	return true
}

// ruling is the judgement of one expectation.
type ruling uint8

const (
	undecided ruling = iota // too little evidence
	holds
	broken
)

// rule judges one expectation. whole reports that every seed of a run over many
// seeds is in: only then can the absence of a property or observation break one.
func rule(want scenarios.Expectation, e evidence, whole bool) ruling {
	switch {
	case e.runs == 0:
		return undecided
	case want == scenarios.None && e.with > 0, want == scenarios.Every && e.with < e.runs:
		return broken
	case want == scenarios.None, want == scenarios.Every, want == scenarios.Some && e.with > 0:
		return holds
	case want == scenarios.Some && whole && e.runs >= enoughForNever:
		return broken
	default:
		return undecided
	}
}

// got summarizes the evidence: "12 in 5 of 100 runs".
func (e evidence) got() string {
	if e.with == 0 {
		return "none in " + text.Count(e.runs, "run")
	}
	return fmt.Sprintf("%d in %d of %s", e.total, e.with, text.Count(e.runs, "run"))
}

// brokenBy returns the seed that best shows that an expectation is broken, and a
// sentence about it.
func brokenBy(e evidence, property string, want scenarios.Expectation) (seed uint64, sentence string) {
	runs := text.Count(e.runs, "run")
	switch want {
	case scenarios.None:
		return e.firstWith, fmt.Sprintf("%s must not happen, but did in %d of %s, first with seed %d", property, e.with, runs, e.firstWith)
	case scenarios.Every:
		return e.firstWithout, fmt.Sprintf("%s is expected in every run, but seed %d went without it (%d of %s showed it)", property, e.firstWithout, e.with, runs)
	default:
		return e.first, fmt.Sprintf("%s is expected in some run, but none of %s showed it, from seed %d on", property, runs, e.first)
	}
}

// undecidedText says why an expectation could not be judged.
func undecidedText(e evidence, property string, replay bool) string {
	switch {
	case e.runs == 0:
		return fmt.Sprintf("no run was evidence for or against %s", property)
	case replay:
		return fmt.Sprintf("%s is expected of some run: one seed alone does not show that it never happens", property)
	default:
		return fmt.Sprintf("%s is expected of some run and was not seen in %s: too few to tell", property, text.Count(e.runs, "run"))
	}
}
