package results

import (
	"maps"
	"path"
	"slices"

	"github.com/lockchaos/simrun/sim/check"
)

// Agreement holds virtual and live runs of the same scenarios side by side.
type Agreement struct {
	Setup *Setup          `json:"setup,omitempty"` // of the live runs
	Cells []AgreementCell `json:"cells"`
}

// AgreementCell is one property, or observation, of one strategy in one scenario.
type AgreementCell struct {
	Scenario    string `json:"scenario"`
	Strategy    string `json:"strategy"`
	Property    string `json:"property"`
	Virtual     int    `json:"virtual"`      // runs that breached it
	VirtualRuns int    `json:"virtual_runs"` // of so many
	Live        int    `json:"live"`
	LiveRuns    int    `json:"live_runs"`
	Agree       bool   `json:"agree"`
	Why         string `json:"why,omitempty"`     // why it may differ
	History     string `json:"history,omitempty"` // of a live run of a cell that does not agree, in the result folder
}

// Side is the results of live runs and where they are.
type Side struct {
	Folder string // in the result folder
	Results
}

// Agree compares virtual results with one or more of live runs of the same
// scenarios, cell by cell. The properties of a cell are those that the scenario
// asks of the strategy and those that any run breached.
func Agree(virtual Results, live ...Side) Agreement {
	var a Agreement
	if len(live) > 0 {
		a.Setup = live[0].Setup
	}
	for _, s := range virtual.Scenarios {
		for _, v := range s.Strategies {
			var runs []*Strategy
			for _, side := range live {
				if l := find(side, s.Name, v.Name); l != nil {
					runs = append(runs, l)
				}
			}
			if len(runs) == 0 {
				continue
			}
			for _, name := range asked(v, runs) {
				c := AgreementCell{
					Scenario: s.Name, Strategy: v.Name, Property: name,
					Virtual: v.shown(name), VirtualRuns: v.told(),
				}
				for _, l := range runs {
					c.Live += l.shown(name)
					c.LiveRuns += l.told()
				}
				c.Agree, c.Why = c.judge()
				if !c.Agree {
					c.History = history(name, runs)
				}
				a.Cells = append(a.Cells, c)
			}
		}
	}
	return a
}

// asked names what a cell is compared by.
func asked(v Strategy, live []*Strategy) []string {
	names := maps.Clone(v.Expected)
	if names == nil {
		names = map[string]string{}
	}
	for _, s := range append([]*Strategy{&v}, live...) {
		for name := range s.Violations {
			names[name] = ""
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// history is that of a live run with a breach, else of any.
func history(name string, live []*Strategy) string {
	for _, l := range live {
		if l.Violations[name].Runs > 0 && l.History != "" {
			return l.History
		}
	}
	return live[0].History
}

// judge says whether the live runs could have been among the virtual ones, and
// otherwise, or where not every run is alike, why.
func (c AgreementCell) judge() (agree bool, why string) {
	varies := check.Varies(c.Property)
	switch {
	case c.LiveRuns == 0:
		return false, "no live run is evidence: see the live report"
	case c.VirtualRuns == 0:
		return false, "no virtual run is evidence: see the virtual report"
	case c.Live > 0 && c.Virtual == 0:
		return false, "never in virtual time. It turns on " + varies
	case c.Live == 0 && c.Virtual == c.VirtualRuns:
		return false, "always in virtual time. It turns on " + varies
	case c.Live == c.LiveRuns && c.Virtual == c.VirtualRuns, c.Live == 0 && c.Virtual == 0:
		return true, ""
	}
	return true, "not in every run: it turns on " + varies
}

// Share is the part of the cells that agree, from 0 to 1; 0 where there are none.
func (a Agreement) Share() float64 {
	n := 0
	for _, c := range a.Cells {
		if c.Agree {
			n++
		}
	}
	if len(a.Cells) == 0 {
		return 0
	}
	return float64(n) / float64(len(a.Cells))
}

// Differ reports whether a cell of the strategy in the scenario does not agree.
func (a Agreement) Differ(scenario, strategy string) bool {
	return slices.ContainsFunc(a.Cells, func(c AgreementCell) bool {
		return c.Scenario == scenario && c.Strategy == strategy && !c.Agree
	})
}

// find returns a copy of a cell of the side, whose history is told from the
// result folder.
func find(side Side, scenario, strategy string) *Strategy {
	for _, s := range side.Scenarios {
		if s.Name != scenario {
			continue
		}
		for _, found := range s.Strategies {
			if found.Name == strategy {
				if found.History != "" {
					found.History = path.Join(side.Folder, found.History)
				}
				return &found
			}
		}
	}
	return nil
}

// told is how many runs of a cell are evidence. A breach in one that is too
// little evidence is a breach all the same.
func (s *Strategy) told() int {
	if s.UnknownRuns == s.Runs {
		return 0
	}
	return s.Runs
}

// shown is in how many runs a property was breached, or an observation made.
// An observation that is only counted over all runs is taken to be in each.
func (s *Strategy) shown(name string) int {
	some := func(n int) int {
		if n > 0 {
			return s.told()
		}
		return 0
	}
	switch name {
	case "aborted":
		return some(s.Aborted)
	case "rejected":
		return some(s.RejectedWrites)
	case "sold-out":
		return s.SoldOutRuns
	}
	return s.Violations[name].Runs
}
