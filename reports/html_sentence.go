package reports

import (
	"fmt"
	"strings"

	"github.com/lockchaos/simrun/internal/results"
)

// sentence says in one sentence or two what was found.
func sentence(r results.Results) string {
	if len(r.Scenarios) == 1 {
		return scenarioSentence(r.Scenarios[0])
	}
	cells, broken := 0, 0
	var odd []string
	for _, sc := range r.Scenarios {
		for _, s := range sc.Strategies {
			cells++
			if len(breached(s)) > 0 {
				broken++
			}
			if s.Verdict != results.Pass {
				name := s.Name + " under " + sc.Name
				if m := misdeeds(s); m != "" {
					name += " (" + m + ")"
				}
				odd = append(odd, name)
			}
		}
	}
	if cells == 0 {
		return "Nothing ran."
	}
	all := fmt.Sprintf("In %d of %d pairings of a scenario and a strategy the lock breached something", broken, cells)
	switch {
	case len(odd) == 0:
		return all + ", each time as the scenario expects."
	case len(odd) > 4:
		return fmt.Sprintf("%s. %d pairings are not as expected, such as %s.", all, len(odd), list(odd[:3]))
	default:
		return fmt.Sprintf("%s. Not as expected: %s.", all, list(odd))
	}
}

// scenarioSentence groups the strategies by what they breached.
func scenarioSentence(sc results.Scenario) string {
	type group struct {
		what  string
		names []string
		runs  int
	}
	var groups []group
	var odd []string
	for _, s := range sc.Strategies {
		if s.Verdict != results.Pass {
			odd = append(odd, s.Name)
		}
		// A count of runs is of one strategy alone.
		what, i := did(s), 0
		for i < len(groups) && (groups[i].what != what || len(s.Findings) > 0) {
			i++
		}
		if i == len(groups) {
			groups = append(groups, group{what: what})
		}
		groups[i].names = append(groups[i].names, s.Name)
		groups[i].runs += s.Runs
	}
	if len(groups) == 0 {
		return "Nothing ran."
	}
	var parts []string
	for _, g := range groups {
		if g.what == "" {
			parts = append(parts, fmt.Sprintf("%s breached nothing in %s", list(g.names), plural(g.runs, "run", "runs")))
			continue
		}
		parts = append(parts, fmt.Sprintf("%s %s", list(g.names), g.what))
	}
	text := strings.Join(parts, "; ") + "."
	if len(odd) > 0 {
		text += " Not as expected: " + list(odd) + "."
	}
	return text
}
