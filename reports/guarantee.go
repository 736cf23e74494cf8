package reports

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lockchaos/simrun/internal/check"
	"github.com/lockchaos/simrun/internal/results"
	"github.com/lockchaos/simrun/internal/strategy"
	"github.com/lockchaos/simrun/internal/text"
)

// levels name what a breach does to the lock's users, by its severity.
var levels = map[check.Severity]string{
	check.Corruption: "corrupted", check.Exclusion: "intruded", check.Blockage: "blocked",
	check.Delay: "blocked", check.Misinformation: "misled", check.Leftover: "misled",
}

// level is the worst that a lock let happen: "holds", "unknown" or one of levels.
// A lock that misbehaved as a program blocks its client.
func level(s results.Strategy) string {
	if s.Guarantee != results.Broken {
		return string(s.Guarantee)
	}
	if p, ok := check.Lookup(s.Harm); ok {
		return levels[p.Severity]
	}
	return "blocked"
}

func guaranteeCell(g results.Guarantee) cell {
	c := guaranteeSign(g)
	return cell{c.text + " " + string(g), c.tone}
}

// guaranteeSign shows a guarantee in one character.
func guaranteeSign(g results.Guarantee) cell {
	switch g {
	case results.Holds:
		return cell{"✓", good}
	case results.Broken:
		return cell{"✗", harm}
	default:
		return cell{"?", warn}
	}
}

// expectationText answers whether a lock did what was expected.
func expectationText(s results.Strategy) string {
	switch {
	case s.Expectation == results.AsExpected:
		return "yes"
	case s.Expectation == results.Changed:
		return "no"
	case len(s.Expected) > 0: // but there is too little evidence
		return "not judged"
	default:
		return "not asked"
	}
}

// remedyText says what would avoid a broken lock's harm; "" if that is not known.
func remedyText(s results.Strategy) string {
	if s.AvoidableBy != "" {
		return "avoidable: " + s.AvoidableBy + " holds"
	}
	return s.Inherent
}

// remedy is what would avoid the harm of some locks.
type remedy struct {
	names []string
	text  string
}

// remedies groups the locks of a scenario by what would avoid their harm.
func remedies(sc results.Scenario) (all []remedy) {
	for _, s := range sc.Strategies {
		what := remedyText(s)
		if what == "" {
			continue
		}
		i := slices.IndexFunc(all, func(r remedy) bool { return r.text == what })
		if i < 0 {
			i, all = len(all), append(all, remedy{text: what})
		}
		all[i].names = append(all[i].names, s.Name)
	}
	return all
}

// standing sums up one lock in all scenarios that it ran in.
type standing struct{ Cells, Broken, Avoidable, Unknown int }

func standingOf(r Results, name string) (t standing, one results.Strategy) {
	for _, sc := range r.Scenarios {
		s := findStrategy(sc, name)
		if s == nil {
			continue
		}
		one = *s
		t.Cells++
		switch {
		case s.Guarantee == results.Broken && s.AvoidableBy != "":
			t.Avoidable++
			fallthrough
		case s.Guarantee == results.Broken:
			t.Broken++
		case s.Guarantee != results.Holds:
			t.Unknown++
		}
	}
	for _, n := range r.NotRun {
		if n.Strategy == name && !slices.ContainsFunc(r.Scenarios, func(sc results.Scenario) bool { return sc.Name == n.Scenario }) {
			t.Cells++
			t.Unknown++
		}
	}
	return t, one
}

// guarantee returns the guarantee of the lock as a whole.
func (t standing) guarantee() results.Guarantee {
	switch {
	case t.Broken > 0:
		return results.Broken
	case t.Unknown > 0 || t.Cells == 0:
		return results.Unclear
	default:
		return results.Holds
	}
}

// standingText says where a lock is broken, where it holds, and what it was held to:
// "broken in 15 of 17 scenarios, 11 avoidable".
func standingText(r Results, name string) string {
	t, one := standingOf(r, name)
	many := text.Count(t.Cells, "scenario")
	var out string
	switch t.guarantee() {
	case results.Broken:
		out = "broken"
		if t.Cells > 1 {
			avoidable := "none"
			if t.Avoidable > 0 {
				avoidable = text.Number(t.Avoidable)
			}
			out = fmt.Sprintf("broken in %d of %s, %s avoidable", t.Broken, many, avoidable)
			if t.Unknown > 0 {
				out += fmt.Sprintf("; unknown in %d", t.Unknown)
			}
		} else if remedy := remedyText(one); remedy != "" {
			out += ": " + one.Harm + "; " + remedy
		}
	case results.Holds:
		out = "holds"
		if t.Cells > 1 {
			out = "holds in all " + many
		}
	default:
		out = "unknown"
		if t.Cells > 1 {
			out = fmt.Sprintf("unknown in %d of %s, holds in the others", t.Unknown, many)
		}
	}
	if one.HeldTo != "" {
		out += " (held to " + one.HeldTo + ")"
	}
	return out
}

// avoidableText lists the scenarios in which a rung of the ladder holds and the lock
// does not, by rung: "watchdog holds in expiry, overrun; guarded in partition".
func avoidableText(r Results, name string) string {
	var rungs []string
	where := map[string][]string{}
	for _, sc := range r.Scenarios {
		if s := findStrategy(sc, name); s != nil && s.AvoidableBy != "" {
			if where[s.AvoidableBy] == nil {
				rungs = append(rungs, s.AvoidableBy)
			}
			where[s.AvoidableBy] = append(where[s.AvoidableBy], sc.Name)
		}
	}
	for i, rung := range rungs {
		rungs[i] = rung + " holds in " + strings.Join(where[rung], ", ")
	}
	return strings.Join(rungs, "; ")
}

// headline answers first whether the locks are safe. One lock beside those of the
// ladder is what the run is about: the others are there to compare it with.
func headline(r Results) (g results.Guarantee, sentence string) {
	names := strategyNames(r)
	if own := broughtLocks(names); len(own) == 1 {
		names = own
	}
	count := map[results.Guarantee]int{}
	for _, name := range names {
		t, _ := standingOf(r, name)
		count[t.guarantee()]++
	}
	switch {
	case len(names) == 1:
		t, _ := standingOf(r, names[0])
		return t.guarantee(), names[0] + " " + map[results.Guarantee]string{
			results.Holds: "holds", results.Broken: "is broken", results.Unclear: "is not known to hold",
		}[t.guarantee()]
	case count[results.Broken] > 0:
		return results.Broken, fmt.Sprintf("%d of %d locks are broken", count[results.Broken], len(names))
	case count[results.Unclear] > 0 || len(names) == 0:
		return results.Unclear, "Too little evidence"
	case len(names) == 2:
		return results.Holds, "Both locks hold"
	default:
		return results.Holds, fmt.Sprintf("All %d locks hold", len(names))
	}
}

// leadNames lists the locks in the order in which their standing is told: those that
// the run is about first.
func leadNames(r Results) []string {
	names := strategyNames(r)
	own := broughtLocks(names)
	return append(own, slices.DeleteFunc(names, func(n string) bool { return slices.Contains(own, n) })...)
}

// broughtLocks lists the names that are not of the ladder.
func broughtLocks(names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(n string) bool { return slices.Contains(strategy.Ladder(), n) })
}

// outcome says what the exit code says: whether everything was as expected.
func outcome(r Results) string {
	asked := slices.ContainsFunc(r.Scenarios, func(sc results.Scenario) bool {
		return slices.ContainsFunc(sc.Strategies, func(s results.Strategy) bool { return s.Expectation != results.NotAsked })
	})
	guarantee, _ := headline(r)
	switch {
	case r.Verdict == results.Unknown && r.Interrupted:
		return "interrupted"
	case r.Verdict == results.Unknown:
		return "too little evidence"
	case !asked:
		return "no expectation"
	case r.Verdict == results.Pass && guarantee == results.Broken:
		return "as expected, which does not mean safe"
	case r.Verdict == results.Pass:
		return "as expected"
	default:
		return "not as expected"
	}
}
