package results

import (
	"maps"
	"math"
	"path"
	"slices"

	"github.com/lockchaos/simrun/internal/check"
)

// Agreement holds virtual and live runs of the same scenarios side by side.
type Agreement struct {
	Setup       *Setup          `json:"setup,omitempty"`       // of the live runs
	Interrupted bool            `json:"interrupted,omitempty"` // not all cells were run in both worlds
	Cells       []AgreementCell `json:"cells"`
	Verdicts    []Verdicts      `json:"verdicts,omitempty"` // that differ
}

// Verdicts are the two of one strategy in one scenario. They may differ where all
// cells agree: a lock may misbehave as a program in one world only.
type Verdicts struct {
	Scenario string  `json:"scenario"`
	Strategy string  `json:"strategy"`
	Virtual  Verdict `json:"virtual"`
	Live     Verdict `json:"live"` // the worst of all live runs'
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
	a.Interrupted = virtual.Interrupted
	for i, side := range live {
		if i == 0 {
			a.Setup = side.Setup
		}
		a.Interrupted = a.Interrupted || side.Interrupted
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
			verdicts := Verdicts{s.Name, v.Name, v.Verdict, Pass}
			for _, l := range runs {
				verdicts.Live = verdicts.Live.Worse(l.Verdict)
			}
			if verdicts.Live != verdicts.Virtual {
				a.Verdicts = append(a.Verdicts, verdicts)
			}
			for _, name := range asked(v, runs) {
				c := AgreementCell{
					Scenario: s.Name, Strategy: v.Name, Property: name,
					Virtual: v.shown(name), VirtualRuns: v.evidence(name),
				}
				for _, l := range runs {
					c.Live += l.shown(name)
					c.LiveRuns += l.evidence(name)
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

// unlikely is how seldom, if both worlds were alike, live runs would be so far off
// the virtual ones, for the two not to agree.
const unlikely = 0.01

// judge says whether the live runs could have been among the virtual ones, and
// otherwise, or where not every run is alike, why.
func (c AgreementCell) judge() (agree bool, why string) {
	depends := check.WhatDecides(c.Property)
	switch {
	case c.LiveRuns == 0:
		return false, "no live run is evidence: see the live report"
	case c.VirtualRuns == 0:
		return false, "no virtual run is evidence: see the virtual report"
	case c.Live == c.LiveRuns && c.Virtual == c.VirtualRuns, c.Live == 0 && c.Virtual == 0:
		return true, ""
	case c.Virtual == 0:
		return false, "never in virtual time. It turns on " + depends
	case c.Live == 0 && c.Virtual == c.VirtualRuns:
		return false, "always in virtual time. It turns on " + depends
	case c.chance() < unlikely:
		return false, "too far off for chance. It turns on " + depends
	}
	return true, "not in every run: it turns on " + depends
}

// chance is the probability, if all runs were alike, that live and virtual ones
// share the breaches out as unevenly as they do: Fisher's exact test, two-sided.
func (c AgreementCell) chance() float64 {
	breached := c.Live + c.Virtual
	choose := func(n, k int) float64 { // its logarithm
		a, _ := math.Lgamma(float64(n + 1))
		b, _ := math.Lgamma(float64(k + 1))
		d, _ := math.Lgamma(float64(n - k + 1))
		return a - b - d
	}
	all := choose(c.VirtualRuns+c.LiveRuns, c.LiveRuns)
	p := func(live int) float64 {
		return math.Exp(choose(breached, live) + choose(c.VirtualRuns+c.LiveRuns-breached, c.LiveRuns-live) - all)
	}
	seen, sum := p(c.Live), 0.0
	for live := max(0, breached-c.VirtualRuns); live <= min(breached, c.LiveRuns); live++ {
		if q := p(live); q <= seen*(1+1e-9) {
			sum += q
		}
	}
	return min(sum, 1)
}

// Varying is how many of the cells that agree not all runs showed alike.
func (a Agreement) Varying() int {
	n := 0
	for _, c := range a.Cells {
		if c.Agree && c.Why != "" {
			n++
		}
	}
	return n
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

// doubt is how seldom both worlds, if alike, would be so far apart, for more runs to
// be asked for.
const doubt = 0.05

// Doubtful reports whether more live runs of the strategy in the scenario are worth
// while: a cell of it does not agree, or only just.
func (a Agreement) Doubtful(scenario, strategy string) bool {
	return slices.ContainsFunc(a.Cells, func(c AgreementCell) bool {
		return c.Scenario == scenario && c.Strategy == strategy &&
			c.LiveRuns > 0 && c.VirtualRuns > 0 && // more of what is no evidence would be none
			(!c.Agree || c.Why != "" && c.chance() < doubt)
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

// evidence is how many runs of a cell are evidence. A run of too little evidence
// counts all the same where it shows a breach.
func (s *Strategy) evidence(name string) int { return max(s.Runs-s.UnknownRuns, s.shown(name)) }

// shown is how many runs breached a property, or showed an observation.
func (s *Strategy) shown(name string) int {
	if o, ok := check.Observed(name); ok {
		return *o.Runs(&s.ObservedRuns)
	}
	return s.Violations[name].Runs
}
