package reports

import (
	"github.com/lockchaos/simrun/internal/check"
	"github.com/lockchaos/simrun/internal/results"
)

// nextStep says what a reader of the results is likely to want to do.
func nextStep(r Results) string {
	g, _ := headline(r)
	replay := worstReplay(r, r.Verdict == results.Fail)
	switch {
	case r.Interrupted && r.Verdict == results.Unknown:
		return "" // it is said there already
	case r.Verdict == results.Unknown:
		return "remove what the ? lines name: a longer limit or a smaller require in the scenario, or more -seeds"
	case replay != "":
		return "see the worst, step by step: " + replay
	case g == results.Holds && len(r.Scenarios) == 1:
		return "-scenario all shows where a lock breaks that holds here"
	}
	return ""
}

// worstReplay is the command that shows the most severe violation, of the cells that
// failed if there are any; "" if there is no violation.
func worstReplay(r Results, failed bool) (replay string) {
	worst := ""
	for _, sc := range r.Scenarios {
		for _, s := range sc.Strategies {
			f := s.FirstViolation
			if f == nil || failed && !fails(s) {
				continue
			}
			if worst == "" || check.Compare(f.Property, worst) < 0 {
				worst, replay = f.Property, f.Replay
			}
		}
	}
	return replay
}
