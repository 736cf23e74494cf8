package live

import (
	"context"
	"sync"

	"github.com/lockchaos/simrun/internal/engine"
	"github.com/lockchaos/simrun/internal/live/worker"
)

// makeLocks lets all workers make their locks, at once: a silent one must not
// keep the others waiting. One that does not is a finding, and its client dead.
func (w *world) makeLocks(ctx context.Context) error {
	var starting sync.WaitGroup
	for _, c := range w.clients {
		starting.Go(func() {
			if err := c.proc.Start(ctx, c.config()); err != nil && ctx.Err() == nil {
				c.failed("start", err)
			}
		})
	}
	starting.Wait()
	return ctx.Err()
}

// config is what the client's worker is told of its lock.
func (c *client) config() worker.Config {
	w := c.w
	s := w.job.Scenario
	return worker.Config{
		Redis: c.proxy.addr(), Password: w.redis.Options().Password,
		Key: w.key, Owner: c.Name, Strategy: w.job.Strategy.Name,
		LeaseMS: worker.Millis(w.clock.Real(s.Lease)), RenewMS: worker.Millis(w.clock.Real(s.Renew)), Cap: s.Cap,
		Scale:      w.lab.o.Scale,
		JitterSeed: engine.Generator(w.job.Seed, "lock "+c.Name).Uint64() >> 11,
	}
}
