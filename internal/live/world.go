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
	"github.com/lockchaos/simrun/internal/proc"
)

// Options configure live runs.
type Options struct {
	Scale     float64        // seconds of the scenario per real second; 0: DefaultScale
	Redis     string         // as redisserver.Open takes it; "": an embedded miniredis
	Shared    bool           // permit a server that holds other keys
	Toxiproxy string         // host:port of a Toxiproxy's API; "": an embedded one
	Worker    worker.Command // a zero Command: this program itself
	Bound     time.Duration  // how long a worker may take to answer beyond what the request takes; 0: 30 s
}

// shared is what the runs of a session share.
type shared struct {
	options Options
	proxies *proxyServer
	stalls  *stallDetector
	reaper  *proc.Reaper
}

func (s *shared) openServer(ctx context.Context) (redisserver.Server, error) {
	ctx, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	return redisserver.Open(ctx, s.options.Redis, redisserver.Options{Shared: s.options.Shared, Reaper: s.reaper})
}

// world is one run: a Redis of its own, or a key prefix of its own on a shared
// one.
type world struct {
	*shared
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
	stop     chan struct{} // closed when the run must end
	stopOnce sync.Once

	replicas   sync.WaitGroup // being made
	replicaMu  sync.Mutex
	lag        time.Duration // of the server's replica; 0: there is none
	noReplicas bool          // no more replicas may be made
}

var _ chaos.World = (*world)(nil)

func newWorld(ctx context.Context, s *shared, j engine.Job) (_ *world, err error) {
	w := &world{shared: s, job: j, header: j.Header("live"), stop: make(chan struct{})}
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
	w.clock = engine.NewClock(w.options.Scale)
	w.rec = engine.NewRecorder(w.clock, w.header, w.job.Record)
	s := w.job.Scenario
	w.observer = newObserver(w.admin, w.key, w.clock.Real(s.Renew), w.clock, w.rec.Emit)
	w.resource = engine.NewResource(w.clock, s.Stock, s.WriteTimeout, w.rec.Emit)
	for _, c := range w.clients {
		var err error
		if c.tap, err = tap.New(c.Name, w.redis.Addr, w.observer.options()); err != nil {
			return err
		}
		if c.proxy, err = w.proxies.open(c.Name, c.tap.Addr()); err != nil {
			return err
		}
		c.record = w.rec.Emit
		c.actor = engine.NewActor(c.Name, w.job.Seed, s, w.resource, &driver{c: c, clock: w.clock, ctx: ctx, stop: w.stop}, c.emit)
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
		Redis: c.proxy.addr(), Password: w.redis.Options().Password,
		Key: w.key, Owner: c.Name, Strategy: w.job.Strategy.Name,
		LeaseMS: worker.Millis(w.clock.Real(s.Lease)), RenewMS: worker.Millis(w.clock.Real(s.Renew)), Cap: s.Cap,
		Scale:      w.options.Scale,
		JitterSeed: engine.Generator(w.job.Seed, "lock "+c.Name).Uint64() >> 11,
	}
}

// end tells the actors to stop.
func (w *world) end() { w.stopOnce.Do(func() { close(w.stop) }) }

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
	w.stopReplicas()
	for _, c := range w.clients {
		_ = c.proc.Resume() // a stopped process would not see that it is closed
		c.proc.Close()
		if c.proxy != nil {
			_ = c.proxy.close()
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

// stopReplicas forbids further replicas and waits for the one being made.
func (w *world) stopReplicas() {
	w.replicaMu.Lock()
	w.noReplicas = true
	w.replicaMu.Unlock()
	w.replicas.Wait()
}
