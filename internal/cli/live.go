package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/redis/go-redis/v9/logging"

	"github.com/lockchaos/simrun/internal/live"
	"github.com/lockchaos/simrun/internal/live/worker"
	"github.com/lockchaos/simrun/internal/runner"
)

// fewSeeds are too few to judge what only some runs must show.
const fewSeeds = 20

// patience is how long a worker may take to answer; no flag sets it.
var patience time.Duration

// leastLease is the shortest lease, in real time, that a live run can judge a lock
// by: a Redis client waits at least 50 ms for an answer, and a machine may stall
// that long.
const leastLease = 200 * time.Millisecond

// checkScale rejects a scale at which the shortest lease is too short.
func checkScale(f *flags, p runner.Plan) error {
	shortest := slices.MinFunc(p.Scenarios, func(a, b runner.Input) int { return cmp.Compare(a.Scenario.Lease, b.Scenario.Lease) }).Scenario
	lasts := time.Duration(float64(shortest.Lease) / f.scale)
	if lasts >= leastLease {
		return nil
	}
	remedy := fmt.Sprintf("-scale %d is the highest that works", shortest.Lease/leastLease)
	if shortest.Lease < leastLease {
		remedy = "no -scale is low enough"
	}
	return usagef("-scale %v: the lease of scenario %s, %v, would last %v, and less than %v is too short to judge a lock by; %s",
		f.scale, shortest.Name, shortest.Lease, lasts.Round(time.Microsecond), leastLease, remedy)
}

// openSession opens what live runs share, before anything else is touched.
func openSession(ctx context.Context, f *flags) (*live.Session, error) {
	// The results report what happens to the harness's own connections.
	logging.Disable()
	o := live.Options{Scale: f.scale, Redis: f.redis, Shared: f.shared, Toxiproxy: f.toxiproxy, Bound: patience}
	if f.worker != "" {
		var err error
		if o.Worker, err = worker.ParseCommand(f.worker); err == nil {
			err = o.Worker.Check()
		}
		if err != nil {
			return nil, usagef("-worker: %v", err)
		}
		if !f.given("strategy") {
			return nil, usagef("-worker needs -strategy, such as -strategy token: a worker is judged by what is expected of that lock")
		}
	}
	session, err := live.Open(ctx, o)
	if err != nil {
		return nil, usagef("live mode: %w", err)
	}
	return session, nil
}

// planLive turns a plan into one of live runs. A seed takes seconds, so the default
// is one.
func planLive(f *flags, p *runner.Plan, o *runner.Options, session *live.Session) {
	if f.mode == modeBoth || !f.given("seeds") && !f.given("seed") {
		p.Count = 1
	}
	p.Replay = p.Count < fewSeeds
	if !f.given("procs") {
		o.Procs = liveProcs
	}
	o.Program = program() + " -mode live" + f.liveArguments()
	o.Live, o.Setup = session.Run, session.Setup()
}
