package runner

import (
	"context"
	"time"

	"github.com/lockchaos/simrun/internal/results"
)

// Run runs the plan. If ctx ends early, the result holds the runs that were done
// and is marked as interrupted, without an error. A cell whose lock stalls in three
// runs is given up, since each stall costs Options.Stall of real time; how many of
// its other runs are in is then a matter of chance. An error is a fault of the
// harness, such as [ErrNotHooked], or of the environment of live runs, never of a
// lock; after live runs, the result holds those that were done before.
func Run(ctx context.Context, p Plan, o Options) (results.Results, error) {
	if IsChild() {
		return results.Results{}, ErrNotHooked
	}
	o = o.withDefaults()
	began := time.Now()
	q := newQueue(p, o)
	err := q.work(ctx)
	q.progress.Done = true
	o.Progress(q.progress)
	if err != nil && o.Live == nil {
		return results.Results{}, err
	}
	r := q.assemble(ctx.Err() != nil || err != nil)
	r.WallSeconds = time.Since(began).Seconds()
	return r, err
}

// assemble puts the cells together, in the order of the plan, once all work has
// ended. Scenarios that an interrupted run has not begun are left out, and named in NotRun.
func (q *queue) assemble(interrupted bool) results.Results {
	r := results.Results{Version: results.SchemaVersion, Mode: "sim", Verdict: results.Pass, Interrupted: interrupted, Scenarios: []results.Scenario{}}
	if q.opt.Live != nil {
		r.Mode, r.Setup = "live", q.opt.Setup
	}
	for i, in := range q.plan.Scenarios {
		s := scenarioOf(in)
		runs := 0
		for _, c := range q.cells {
			if c.scenario != i {
				continue
			}
			if q.opt.Live != nil && !c.closed { // it was interrupted
				q.closeCell(c)
			}
			cell := c.result()
			if !c.complete() {
				r.NotRun = append(r.NotRun, results.NotRun{Scenario: s.Name, Strategy: cell.Name, Runs: cell.Runs, PlannedRuns: c.count})
			}
			runs += cell.Runs
			s.Verdict = s.Verdict.Worse(cell.Verdict)
			r.VirtualSeconds += cell.VirtualSeconds
			s.Strategies = append(s.Strategies, cell)
		}
		if interrupted && runs == 0 {
			continue
		}
		if len(s.Strategies) == 0 {
			s.Verdict = results.Unknown
		}
		explainHarm(&s)
		r.Verdict = r.Verdict.Worse(s.Verdict)
		r.Scenarios = append(r.Scenarios, s)
	}
	if len(r.Scenarios) == 0 || interrupted {
		r.Verdict = r.Verdict.Worse(results.Unknown)
	}
	return r
}

func scenarioOf(in Input) results.Scenario {
	sc := in.Scenario
	s := results.Scenario{
		Name: sc.Name, Summary: sc.Summary, Story: sc.Story, Source: sc.Source, Verdict: results.Pass,
		Clients: sc.Clients, LeaseMS: ms(int64(sc.Lease)), Strategies: []results.Strategy{},
	}
	if in.Source != nil {
		s.File = sc.File
	}
	for _, f := range sc.Faults {
		s.Faults = append(s.Faults, f.Text)
	}
	return s
}
