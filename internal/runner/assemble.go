package runner

import (
	"slices"

	"github.com/lockchaos/simrun/internal/results"
)

// results puts the cells together, in the order of the plan. Of an interrupted
// run it leaves out the scenarios that never began.
func (q *queue) results(p Plan, interrupted bool) results.Results {
	q.mu.Lock()
	defer q.mu.Unlock()
	r := results.Results{Version: results.SchemaVersion, Mode: "sim", Verdict: results.Pass, Interrupted: interrupted}
	if q.opt.Live != nil {
		r.Mode, r.Setup = "live", q.opt.Setup
	}
	for i, in := range p.Scenarios {
		if interrupted && !q.began(i) {
			continue
		}
		s := scenarioOf(in)
		for _, c := range q.cells {
			if c.scenario != i {
				continue
			}
			cell := c.result()
			s.Verdict = s.Verdict.Worse(cell.Verdict)
			r.VirtualSeconds += cell.VirtualSeconds
			s.Strategies = append(s.Strategies, cell)
		}
		if len(s.Strategies) == 0 {
			s.Verdict = results.Unknown
		}
		r.Verdict = r.Verdict.Worse(s.Verdict)
		r.Scenarios = append(r.Scenarios, s)
	}
	if len(r.Scenarios) == 0 || interrupted {
		r.Verdict = r.Verdict.Worse(results.Unknown)
	}
	return r
}

func (q *queue) began(scenario int) bool {
	return slices.ContainsFunc(q.cells, func(c *cell) bool { return c.scenario == scenario && c.sum.runs > 0 })
}

func scenarioOf(in Input) results.Scenario {
	sc := in.Scenario
	s := results.Scenario{
		Name: sc.Name, Summary: sc.Summary, Source: sc.Source, Verdict: results.Pass,
		Clients: sc.Clients, LeaseMS: ms(int64(sc.Lease)),
	}
	if in.Source != nil {
		s.File = sc.File
	}
	for _, f := range sc.Faults {
		s.Faults = append(s.Faults, f.Text)
	}
	return s
}
