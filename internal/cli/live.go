package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/redis/go-redis/v9/logging"

	"github.com/lockchaos/simrun/internal/live"
	"github.com/lockchaos/simrun/internal/live/redisserver"
	"github.com/lockchaos/simrun/internal/live/worker"
	"github.com/lockchaos/simrun/internal/runner"
)

const (
	// liveProcs is how many live runs go on at once: their processes mostly wait.
	liveProcs = 6
	// fewSeeds are too few to judge what only some runs must show.
	fewSeeds = 20
)

// patience is how long a worker may take to answer; no flag sets it.
var patience time.Duration

// leastLease is how long a lease must last for a live run to say anything of the
// lock: a client of Redis waits 50 ms for an answer at the least, and a machine
// may dawdle as long.
const leastLease = 200 * time.Millisecond

// checkScale refuses a scale at which the shortest lease is over too soon.
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
	return usagef("-scale %v: the lease of scenario %s, %v, would last %v, and one of less than %v says nothing of a lock; %s",
		f.scale, shortest.Name, shortest.Lease, lasts.Round(time.Microsecond), leastLease, remedy)
}

// openSession opens what live runs share, before anything else is touched.
func openSession(ctx context.Context, f *flags) (*live.Session, error) {
	// What the harness's own connections meet with is told in the results.
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
			return nil, usagef("-worker: say with -strategy by which lock it is to be judged, as -strategy token")
		}
	}
	session, err := live.Open(ctx, o)
	if err != nil {
		return nil, usageError{fmt.Sprintf("live mode: %v", err)}
	}
	return session, nil
}

// planLive turns a plan into one of live runs. A seed takes seconds, so there is
// one if nothing else is asked.
func planLive(f *flags, p *runner.Plan, o *runner.Options, session *live.Session) {
	if f.mode == modeBoth || !f.given("seeds") && !f.given("seed") {
		p.Count = 1
	}
	p.Replay = p.Count < fewSeeds
	if !f.given("procs") {
		o.Procs = liveProcs
	}
	o.Program = program() + " -mode live" + liveArguments(f)
	o.Live, o.Setup = session.Run, session.Setup()
}

// liveArguments repeats the flags of live mode that were given, for who replays
// a run. A password is not told.
func liveArguments(f *flags) string {
	var b strings.Builder
	for _, name := range liveFlags {
		if !f.given(name) {
			continue
		}
		b.WriteString(" -" + name)
		switch name {
		case "scale":
			fmt.Fprintf(&b, " %v", f.scale)
		case "redis":
			b.WriteString(" " + runner.Quote(redisserver.Redacted(f.redis)))
		case "toxiproxy":
			b.WriteString(" " + runner.Quote(f.toxiproxy))
		case "worker":
			b.WriteString(" " + runner.Quote(f.worker))
		}
	}
	return b.String()
}
