package runner

import (
	"fmt"

	"github.com/lockchaos/simrun/scenarios"
)

// enoughForNever is how many runs must go without a thing that some run is
// expected to show before that counts against the strategy.
const enoughForNever = 20

// evidence is what a cell's runs showed of one property or observation. A run
// that was unknown is counted here only where its violation disproves what must
// not happen.
type evidence struct {
	runs         int    // all
	with         int    // those that showed it
	total        int    // how often they showed it
	first        uint64 // smallest seed of all
	firstWith    uint64 // smallest seed that showed it
	firstWithout uint64 // smallest seed that did not
}

// ruling says how an expectation stands.
type ruling uint8

const (
	undecided ruling = iota // too little evidence
	holds
	broken
)

// rule judges one expectation. whole says that all the seeds of a run over many
// seeds are in: only then can a thing that was never seen be held against it.
func rule(want scenarios.Expectation, e evidence, whole bool) ruling {
	if e.runs == 0 {
		return undecided
	}
	switch want {
	case scenarios.None:
		if e.with > 0 {
			return broken
		}
		return holds
	case scenarios.Every:
		if e.with < e.runs {
			return broken
		}
		return holds
	case scenarios.Some:
		if e.with > 0 {
			return holds
		}
		if whole && e.runs >= enoughForNever {
			return broken
		}
		return undecided
	default:
		return undecided
	}
}

// culprit is the seed that shows best that an expectation is broken.
func culprit(want scenarios.Expectation, e evidence) uint64 {
	switch want {
	case scenarios.None:
		return e.firstWith
	case scenarios.Every:
		return e.firstWithout
	default:
		return e.first
	}
}

// got tells what was seen, as "12 in 5 of 100 runs".
func got(e evidence) string {
	if e.with == 0 {
		return fmt.Sprintf("none in %s", runs(e.runs))
	}
	return fmt.Sprintf("%d in %d of %s", e.total, e.with, runs(e.runs))
}

// brokenText tells a broken expectation in a sentence.
func brokenText(strategy, property string, want scenarios.Expectation, e evidence) string {
	switch want {
	case scenarios.None:
		return fmt.Sprintf("%s: %s must not happen, but it did in %d of %s, first with seed %d", strategy, property, e.with, runs(e.runs), e.firstWith)
	case scenarios.Every:
		return fmt.Sprintf("%s: %s is expected in every run, but seed %d went without it (%d of %s showed it)", strategy, property, e.firstWithout, e.with, runs(e.runs))
	default:
		return fmt.Sprintf("%s: %s is expected in some run, but none of %s showed it, from seed %d on", strategy, property, runs(e.runs), e.first)
	}
}

// undecidedText tells why an expectation could not be judged.
func undecidedText(property string, want scenarios.Expectation, e evidence, replay bool) string {
	switch {
	case e.runs == 0:
		return fmt.Sprintf("no run was evidence for or against %s", property)
	case replay:
		return fmt.Sprintf("%s is expected of some run: one seed alone does not show that it never happens", property)
	default:
		return fmt.Sprintf("%s is expected of some run and was not seen in %s: too few to say", property, runs(e.runs))
	}
}

func runs(n int) string {
	if n == 1 {
		return "1 run"
	}
	return fmt.Sprintf("%d runs", n)
}
