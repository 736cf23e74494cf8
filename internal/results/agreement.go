package results

import (
	"maps"
	"math"
	"path"
	"slices"

	"github.com/lockchaos/simrun/internal/check"
)

// Agreement compares virtual and live runs of the same scenarios.
type Agreement struct {
	Version     int             `json:"version"` // as of results.json; 0 in files of before there was one
	Made        *Made           `json:"made,omitempty"`
	Setup       *Setup          `json:"setup,omitempty"`       // of the live runs
	Interrupted bool            `json:"interrupted,omitempty"` // some cells were not run in both modes
	Cells       []AgreementCell `json:"cells"`
	Verdicts    []Verdicts      `json:"verdicts,omitempty"` // that differ
}

// Verdicts are the two verdicts on one strategy in one scenario. They may differ
// although all cells agree: a lock may misbehave as a program in one mode only.
type Verdicts struct {
	Scenario string  `json:"scenario"`
	Strategy string  `json:"strategy"`
	Virtual  Verdict `json:"virtual"`
	Live     Verdict `json:"live"` // the worst of all live runs
}

// AgreementCell is one property, or observation, of one strategy in one scenario.
type AgreementCell struct {
	Scenario    string `json:"scenario"`
	Strategy    string `json:"strategy"`
	Property    string `json:"property"`
	Virtual     int    `json:"virtual"`      // runs that breached it
	VirtualRuns int    `json:"virtual_runs"` // all runs
	Live        int    `json:"live"`
	LiveRuns    int    `json:"live_runs"`
	Agree       bool   `json:"agree"`
	Why         string `json:"why,omitempty"`     // why it may differ
	History     string `json:"history,omitempty"` // of a live run of a cell that does not agree, in the result folder
}

// Side holds the results of live runs and the folder that they are in.
type Side struct {
	Folder string // in the result folder
	Results
}

// Agree compares virtual results with those of one or more sets of live runs of the
// same scenarios, cell by cell. The properties of a cell are those that the scenario
// expects something of and those that any run breached.
func Agree(virtual Results, live ...Side) Agreement {
	a := Agreement{
		Version:     SchemaVersion,
		Cells:       []AgreementCell{},
		Setup:       live[0].Setup,
		Interrupted: virtual.Interrupted || slices.ContainsFunc(live, func(s Side) bool { return s.Interrupted }),
	}
	for _, s := range virtual.Scenarios {
		for _, v := range s.Strategies {
			var runs []Strategy
			for _, side := range live {
				runs = append(runs, side.find(s.Name, v.Name)...)
			}
			if len(runs) > 0 {
				a.compare(s.Name, v, runs)
			}
		}
	}
	return a
}

// compare adds the cells, and verdicts that differ, of one strategy in one scenario.
func (a *Agreement) compare(scenario string, v Strategy, live []Strategy) {
	verdicts := Verdicts{scenario, v.Name, v.Verdict, Pass}
	for _, l := range live {
		verdicts.Live = verdicts.Live.Worse(l.Verdict)
	}
	if verdicts.Live != verdicts.Virtual {
		a.Verdicts = append(a.Verdicts, verdicts)
	}
	names := slices.Collect(maps.Keys(v.Expected))
	for _, s := range append(live, v) {
		names = slices.AppendSeq(names, maps.Keys(s.Violations))
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		c := AgreementCell{
			Scenario: scenario, Strategy: v.Name, Property: name,
			Virtual: v.shown(name), VirtualRuns: v.evidence(name),
		}
		for _, l := range live {
			c.Live += l.shown(name)
			c.LiveRuns += l.evidence(name)
		}
		if c.Agree, c.Why = c.judge(); !c.Agree { // show a live run with a breach, or else any
			i := slices.IndexFunc(live, func(l Strategy) bool { return l.Violations[name].Runs > 0 && l.History != "" })
			c.History = live[max(i, 0)].History
		}
		a.Cells = append(a.Cells, c)
	}
}

// unlikely is the probability, if virtual and live runs were alike, of a difference
// so large that the two do not agree.
const unlikely = 0.01

// judge reports whether the live runs could have been among the virtual ones. If
// not, or if runs differ, it says why.
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

// chance is the probability, if all runs were alike, that the breaches are shared
// out between live and virtual runs as unevenly as they are: Fisher's exact test,
// two-sided.
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

func (a Agreement) count(f func(AgreementCell) bool) (n int) {
	for _, c := range a.Cells {
		if f(c) {
			n++
		}
	}
	return n
}

// Varying is the number of cells that agree although not all runs are alike.
func (a Agreement) Varying() int {
	return a.count(func(c AgreementCell) bool { return c.Agree && c.Why != "" })
}

// Share is the fraction of the cells that agree, from 0 to 1; 0 if there are none.
func (a Agreement) Share() float64 {
	agree := a.count(func(c AgreementCell) bool { return c.Agree })
	return float64(agree) / float64(max(len(a.Cells), 1))
}

// doubt is the probability, if virtual and live runs were alike, of a difference so
// large that more live runs are needed.
const doubt = 0.05

// Doubtful reports whether more live runs of the strategy in the scenario are worth
// while: one of its cells does not agree, or only just.
func (a Agreement) Doubtful(scenario, strategy string) bool {
	return slices.ContainsFunc(a.Cells, func(c AgreementCell) bool {
		return c.Scenario == scenario && c.Strategy == strategy &&
			c.LiveRuns > 0 && c.VirtualRuns > 0 && // or else more runs would not be evidence either
			(!c.Agree || c.Why != "" && c.chance() < doubt)
	})
}

// find returns the strategy's runs in the scenario, if there are any, with the path
// of their history in the result folder.
func (s Side) find(scenario, strategy string) (found []Strategy) {
	for _, sc := range s.Scenarios {
		for _, st := range sc.Strategies {
			if sc.Name != scenario || st.Name != strategy {
				continue
			}
			if st.History != "" {
				st.History = path.Join(s.Folder, st.History)
			}
			found = append(found, st)
		}
	}
	return found
}

// evidence is how many runs are evidence on a property or observation. An unknown
// run is, if it shows a breach.
func (s *Strategy) evidence(name string) int { return max(s.Runs-s.UnknownRuns, s.shown(name)) }

// shown is how many runs breached a property, or showed an observation.
func (s *Strategy) shown(name string) int {
	if o, ok := check.Observed(name); ok {
		return *o.Runs(&s.ObservedRuns)
	}
	return s.Violations[name].Runs
}
