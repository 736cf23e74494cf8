package cli

import (
	"context"
	"os/signal"

	"github.com/lockchaos/simrun/internal/live"
)

var runFlags = append([]string{"scenario", "strategy", "out", "seeds", "seed", "procs", "v", "q", "mode"}, liveFlags...)

// run runs seeds of scenarios under strategies and reports what happened.
func run(e *env) (int, error) {
	p, o, err := plan(e)
	if err != nil {
		return 0, err
	}
	ctx, stop := signal.NotifyContext(context.Background(), interrupts()...)
	defer stop()
	// A second Ctrl-C ends the process at once, whatever it is doing.
	context.AfterFunc(ctx, stop)
	var session *live.Session
	if e.flags.mode != modeSim {
		if err := checkScale(e.flags, p); err != nil {
			return 0, err
		}
		if session, err = openSession(ctx, e.flags); err != nil && ctx.Err() != nil {
			return 0, errInterrupted
		} else if err != nil {
			return 0, err
		}
		defer func() { _ = session.Close() }()
	}
	dir, err := openDir(e.flags.out, e.flags.scenario, written(p, e.flags.mode))
	if err != nil {
		return 0, err
	}
	if e.flags.mode == modeBoth {
		return runBoth(ctx, e, p, o, session, dir)
	}
	if session != nil {
		planLive(e.flags, &p, &o, session)
	}
	r, err := runInto(ctx, e, p, o, dir.path)
	if err != nil {
		return 0, err
	}
	dir.linkOrWarn(e.err)
	return codeOf(r.Verdict), nil
}
