package runner

import (
	"context"
	"slices"
	"time"

	"github.com/lockchaos/simrun/internal/results"
)

// Run runs the plan. Where ctx ends early the result holds the runs that were
// done and is marked as interrupted, without an error. A cell whose lock stalls
// in three runs is given up, since each stall costs Options.Stall of real time;
// how many of its other runs are in is then a matter of chance. An error is a
// fault of the harness, such as [ErrNotHooked], or of what live runs need, never of
// a lock; of live runs the result then holds those that were done before.
func Run(ctx context.Context, p Plan, o Options) (results.Results, error) {
	if IsChild() {
		return results.Results{}, ErrNotHooked
	}
	o = o.withDefaults()
	began := time.Now()
	q := newQueue(p, o)
	o.Progress.Start(len(q.cells)*p.Count, len(q.cells))
	work := q.work
	if o.Live != nil {
		work = q.workLive
	}
	err := work(ctx)
	o.Progress.Done()
	if err != nil && o.Live == nil {
		return results.Results{}, err
	}
	if o.Live != nil {
		q.keepUnfinished()
	}
	r := q.assemble(p, ctx.Err() != nil || err != nil)
	r.WallSeconds = time.Since(began).Seconds()
	return r, err
}

// assemble puts the cells together, in the order of the plan. Of an interrupted
// run it leaves out the scenarios that never began.
func (q *queue) assemble(p Plan, interrupted bool) results.Results {
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
