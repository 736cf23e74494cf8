package results

import (
	"maps"
	"slices"
)

// Agreement holds a virtual and a live run of the same scenarios side by side.
type Agreement struct {
	Cells []AgreementCell `json:"cells"`
}

// AgreementCell is one property of one strategy in one scenario.
type AgreementCell struct {
	Scenario    string `json:"scenario"`
	Strategy    string `json:"strategy"`
	Property    string `json:"property"`
	Virtual     int    `json:"virtual"`      // runs that breached it
	VirtualRuns int    `json:"virtual_runs"` // of so many
	Live        int    `json:"live"`
	LiveRuns    int    `json:"live_runs"`
	Agree       bool   `json:"agree"`
	Why         string `json:"why,omitempty"` // why it may differ
}

// Agree compares two results, cell by cell. The properties of a cell are those
// that the scenario asks of the strategy and those that either run breached.
func Agree(virtual, live Results) Agreement {
	var a Agreement
	for _, s := range virtual.Scenarios {
		for _, v := range s.Strategies {
			l := find(live, s.Name, v.Name)
			if l == nil {
				continue
			}
			asked := maps.Clone(v.Expected)
			if asked == nil {
				asked = map[string]string{}
			}
			for _, breached := range []map[string]Breach{v.Violations, l.Violations} {
				for name := range breached {
					asked[name] = ""
				}
			}
			for _, name := range slices.Sorted(maps.Keys(asked)) {
				c := AgreementCell{
					Scenario: s.Name, Strategy: v.Name, Property: name,
					Virtual: v.shown(name), VirtualRuns: v.told(),
					Live: l.shown(name), LiveRuns: l.told(),
				}
				c.Agree, c.Why = c.judge()
				a.Cells = append(a.Cells, c)
			}
		}
	}
	return a
}

// judge says whether the live runs could have been among the virtual ones.
func (c AgreementCell) judge() (agree bool, why string) {
	switch {
	case c.LiveRuns == 0 || c.VirtualRuns == 0:
		return false, "one side has no run that is evidence"
	case c.Live > 0 && c.Virtual == 0:
		return false, "seen live only: the timing of a real machine, or a fault of simrun; read the live history"
	case c.Live == 0 && c.Virtual == c.VirtualRuns:
		return false, "in each virtual run, but not live: a real machine was faster or slower than the scenario's network"
	case c.Live < c.LiveRuns && c.Virtual == c.VirtualRuns, c.Live == c.LiveRuns && c.Virtual < c.VirtualRuns, c.Virtual > 0 && c.Virtual < c.VirtualRuns:
		return true, "it depends on the timing"
	}
	return true, ""
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

func find(r Results, scenario, strategy string) *Strategy {
	for _, s := range r.Scenarios {
		if s.Name != scenario {
			continue
		}
		for i := range s.Strategies {
			if s.Strategies[i].Name == strategy {
				return &s.Strategies[i]
			}
		}
	}
	return nil
}

// told is how many runs a cell has, none of them if all are too little evidence.
// A breach in such a run is one all the same.
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
