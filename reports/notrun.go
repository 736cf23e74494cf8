package reports

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lockchaos/simrun/internal/results"
)

// notRunTexts name what an early end left out: the scenarios that were not begun, and
// the cells that lack runs.
func notRunTexts(r Results) (texts []string) {
	var names, idle, short []string
	begun := func(name string) bool {
		return slices.ContainsFunc(r.NotRun, func(n results.NotRun) bool { return n.Scenario == name && n.Runs > 0 }) ||
			slices.ContainsFunc(r.Scenarios, func(sc results.Scenario) bool { return sc.Name == name })
	}
	for _, n := range r.NotRun {
		if !slices.Contains(names, n.Scenario) {
			names = append(names, n.Scenario)
		}
	}
	for _, name := range names {
		if !begun(name) {
			idle = append(idle, name)
			continue
		}
		var cells []string
		for _, n := range r.NotRun {
			if n.Scenario == name {
				cells = append(cells, n.Strategy+" "+outOf(n.Runs, n.PlannedRuns))
			}
		}
		short = append(short, name+" ("+strings.Join(cells, ", ")+")")
	}
	if len(idle) > 0 {
		texts = append(texts, "Not begun: "+strings.Join(idle, ", "))
	}
	if len(short) > 0 {
		texts = append(texts, "Not all runs: "+strings.Join(short, "; "))
	}
	return texts
}

// notRunText is how many of its runs a cell lacks; "" if it lacks none.
func notRunText(r Results, scenario, strategy string) string {
	for _, n := range r.NotRun {
		if n.Scenario == scenario && n.Strategy == strategy {
			return fmt.Sprintf("only %s runs were done", outOf(n.Runs, n.PlannedRuns))
		}
	}
	return ""
}
