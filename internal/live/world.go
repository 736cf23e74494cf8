package live

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockchaos/simrun/chaos"
	"github.com/lockchaos/simrun/internal/check"
	"github.com/lockchaos/simrun/internal/engine"
	"github.com/lockchaos/simrun/internal/history"
	"github.com/lockchaos/simrun/internal/live/redisserver"
	"github.com/lockchaos/simrun/internal/live/tap"
	"github.com/lockchaos/simrun/internal/live/worker"
)

// world is one run: a Redis of its own, or a key prefix of its own on a shared
// one.
type world struct {
	session  *Session
	job      engine.Job
	header   history.Header
	clock    engine.Clock
	key      string
	redis    redisserver.Server
	admin    *redis.Client
	observer *observer
	rec      *engine.Recorder
	resource *engine.Resource
	nemesis  *engine.Nemesis
	clients  []*client
	over     context.Context // until the run must end
	end      func()          // ends over: the actors stop, and no more replicas are made

	replicas  sync.WaitGroup // being made
	replicaMu sync.Mutex
	lag       time.Duration // of the server's replica; 0: there is none
}

var _ chaos.World = (*world)(nil)

func newWorld(ctx context.Context, s *Session, j engine.Job) (_ *world, err error) {
	w := &world{session: s, job: j, header: j.Header("live")}
	w.over, w.end = context.WithCancel(ctx)
	widenBounds(w.header, s.options.Scale)
	defer func() {
		if err != nil {
			w.close()
		}
	}()
	if w.redis, err = s.openServer(ctx); err != nil {
		return nil, err
	}
	w.admin = redis.NewClient(w.redis.Options())
	w.key = w.redis.Prefix() + "lock:item"
	for _, name := range w.header.Clients {
		c := &client{Life: engine.NewLife(name)}
		if c.proc, err = worker.Start(ctx, s.options.Worker, worker.Options{Bound: s.options.Bound, Reaper: s.reaper}); err != nil {
			return nil, fmt.Errorf("client %s: %w", name, err)
		}
		w.clients = append(w.clients, c)
	}
	if err := w.connect(ctx); err != nil {
		return nil, err
	}
	return w, nil
}

// widenBounds adds to the bounds what a real machine may delay.
func widenBounds(h history.Header, scale float64) {
	for _, p := range check.Properties {
		if p.Bound == 0 {
			continue
		}
		if _, set := h.Bounds[p.Name]; !set {
			h.Bounds[p.Name] = int64(p.Bound)
		}
		h.Bounds[p.Name] += int64(float64(maxSchedulerDelay) * scale)
	}
}

// connect starts the clock and gives each process its path to Redis and its lock.
func (w *world) connect(ctx context.Context) error {
	w.clock = engine.NewClock(w.session.options.Scale)
	w.rec = engine.NewRecorder(w.clock, w.header, w.job.Record)
	s := w.job.Scenario
	w.observer = newObserver(w.admin, w.key, w.clock.Real(s.Renew), w.clock, w.rec.Emit)
	w.resource = engine.NewResource(w.clock, s.Stock, s.WriteTimeout, w.rec.Emit)
	for _, c := range w.clients {
		var err error
		if c.tap, err = tap.New(c.Name, w.redis.Addr, w.observer.options()); err != nil {
			return err
		}
		if c.proxy, err = w.session.proxies.open(c.Name, c.tap.Addr()); err != nil {
			return err
		}
		c.record = w.rec.Emit
		c.actor = engine.NewActor(c.Name, w.job.Seed, s, w.resource, &driver{c: c, clock: w.clock, ctx: ctx, over: w.over.Done()}, c.emit)
	}
	w.nemesis = engine.NewNemesis(w.clock, w, w.header.Clients, w.job.Seed, s.Faults, w.rec.Emit)
	w.rec.Notify = w.nemesis.Observe
	return w.makeLocks(ctx)
}

// makeLocks has all workers make their locks at once, so that a silent one does
// not delay the others. A failure is a finding, and kills the client.
func (w *world) makeLocks(ctx context.Context) error {
	var starting sync.WaitGroup
	for _, c := range w.clients {
		starting.Go(func() {
			if err := c.proc.Start(ctx, w.config(c)); err != nil && ctx.Err() == nil {
				c.failed("start", err)
			}
		})
	}
	starting.Wait()
	return ctx.Err()
}

// config is what a client's worker has to know about its lock.
func (w *world) config(c *client) worker.Config {
	s := w.job.Scenario
	return worker.Config{
		Redis: c.proxy.Addr(), Password: w.redis.Options().Password,
		Key: w.key, Owner: c.Name, Strategy: w.job.Strategy.Name,
		LeaseMS: worker.Millis(w.clock.Real(s.Lease)), RenewMS: worker.Millis(w.clock.Real(s.Renew)), Cap: s.Cap,
		Scale:      w.session.options.Scale,
		JitterSeed: engine.Generator(w.job.Seed, "lock "+c.Name).Uint64() >> 11,
	}
}

// kill kills all processes.
func (w *world) kill() {
	for _, c := range w.clients {
		c.MarkDead()
		_, _ = c.proc.Kill()
	}
}

// close takes the world down, in the reverse order of its making.
func (w *world) close() {
	w.end()
	if w.nemesis != nil {
		w.nemesis.Stop()
	}
	w.replicaMu.Lock() // a failover that has begun may still start one
	w.replicas.Wait()
	w.replicaMu.Unlock()
	for _, c := range w.clients {
		_ = c.proc.Resume() // a stopped process would not see that it is closed
		c.proc.Close()
		if c.proxy != nil {
			_ = c.proxy.Close()
		}
		if c.tap != nil {
			_ = c.tap.Close()
		}
	}
	if w.observer != nil {
		w.observer.watch.Stop()
	}
	if w.admin != nil {
		_ = w.admin.Close()
	}
	if w.redis != nil {
		_ = w.redis.Close()
	}
}
