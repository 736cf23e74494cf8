package app

import (
	"context"
	"fmt"

	"github.com/lockchaos/simrun/sim/live"
	"github.com/lockchaos/simrun/sim/live/worker"
	"github.com/lockchaos/simrun/sim/runner"
)

const (
	// liveProcs is how many live runs go on at once: their processes mostly wait.
	liveProcs = 6
	// fewSeeds are too few to judge what only some runs must show.
	fewSeeds = 20
)

// planLive sets what differs in live mode: a seed takes seconds, so there is one
// if nothing else is asked.
func planLive(f *flags, p *runner.Plan, o *runner.Options) {
	if !f.given("seeds") && !f.given("seed") {
		p.Count = 1
	}
	p.Replay = p.Count < fewSeeds
	if !f.given("procs") {
		o.Procs = liveProcs
	}
	o.Program = program() + " -mode live"
}

// openLab opens what live runs are made of, before anything else is touched.
func openLab(ctx context.Context, e *env, o *runner.Options) (*live.Lab, error) {
	f := e.flags
	lo := live.Options{Scale: f.scale, Redis: f.redis, Shared: f.shared, Toxiproxy: f.toxiproxy}
	if f.worker != "" {
		var err error
		if lo.Worker, err = worker.ParseCommand(f.worker); err != nil {
			return nil, usagef("-worker: %v", err)
		}
	}
	lab, err := live.Open(ctx, lo)
	if err != nil {
		return nil, usageError{fmt.Sprintf("live mode: %v", err)}
	}
	o.Live = lab.Run
	return lab, nil
}
