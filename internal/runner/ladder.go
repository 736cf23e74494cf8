package runner

import (
	"fmt"
	"maps"
	"slices"

	"github.com/lockchaos/simrun/internal/check"
	"github.com/lockchaos/simrun/internal/results"
	"github.com/lockchaos/simrun/internal/strategy"
)

// explainHarm says of each broken cell of a scenario what would avoid it. The
// evidence is what is known of the ladder in a built-in scenario, or else the
// ladder's own cells beside it.
func explainHarm(s *results.Scenario) {
	for i := range s.Strategies {
		cell := &s.Strategies[i]
		if cell.Guarantee == results.Broken {
			cell.AvoidableBy, cell.Inherent = whatItTakes(s, cell)
		}
	}
}

func whatItTakes(s *results.Scenario, cell *results.Strategy) (rung, inherent string) {
	harm, isProperty := check.Lookup(cell.Harm)
	lessHarm := ""
	ladder := strategy.Ladder()
	top := ladder[len(ladder)-1]
	var breached []string // by the rung, and so by the top one in the end
	for _, name := range ladder {
		var known bool
		if breached, known = breachedBy(s, name); !known {
			return "", "" // a lower rung may hold, or this one
		}
		if len(breached) == 0 && name != cell.Name {
			return name, ""
		}
		if len(breached) > 0 && lessHarm == "" && name != top {
			worst := slices.MinFunc(breached, check.Compare)
			if p, _ := check.Lookup(worst); isProperty && p.Severity > harm.Severity {
				lessHarm = fmt.Sprintf("inherent to leases, but %s keeps it to %s", name, worst)
			}
		}
	}
	fenceHelps := !slices.ContainsFunc(breached, func(name string) bool {
		p, _ := check.Lookup(name)
		return p.DefeatsFence
	})
	switch {
	case lessHarm != "":
		return "", lessHarm
	case isProperty && harm.Severity == check.Exclusion && fenceHelps && (cell.Name == top || cell.HeldTo == top):
		return "", results.InherentButFenced
	case isProperty && harm.Severity <= check.Exclusion && fenceHelps:
		return "", results.InherentInLeases
	}
	return "", results.NoLockHolds
}

// breachedBy lists what a rung breaches in the scenario, if that is known.
func breachedBy(s *results.Scenario, rung string) (properties []string, known bool) {
	if s.File == "" {
		breached, known := strategy.KnownBreaches(s.Name, rung)
		return slices.Collect(maps.Keys(breached)), known
	}
	i := slices.IndexFunc(s.Strategies, func(c results.Strategy) bool { return c.Name == rung })
	if i < 0 || s.Strategies[i].Guarantee == results.Unclear {
		return nil, false
	}
	return slices.Collect(maps.Keys(s.Strategies[i].Violations)), true
}
