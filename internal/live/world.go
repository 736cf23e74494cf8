package live

import (
	"context"
	"errors"
	"fmt"
	"slices"
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

// world is one run: a Redis of its own, or a prefix of its own on a shared one.
type world struct {
	lab      *Lab
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
	once     sync.Once

	replicas  sync.WaitGroup // that are being made
	replicaMu sync.Mutex
	lag       time.Duration // of the server's replica; 0: there is none
	enough    bool          // no replica is to be made any more
}

// client is one process with its way to Redis.
type client struct {
	*engine.Life
	w     *world
	tap   *tap.Tap
	proxy *proxy
	proc  *worker.Process
	actor *engine.Actor
}

var _ chaos.World = (*world)(nil)

func (l *Lab) newWorld(ctx context.Context, j engine.Job) (_ *world, err error) {
	w := &world{lab: l, job: j, header: j.Header("live"), stop: make(chan struct{})}
	allow(w.header, l.o.Scale)
	defer func() {
		if err != nil {
			w.close()
		}
	}()
	if w.redis, err = l.server(ctx); err != nil {
		return nil, err
	}
	w.admin = redis.NewClient(w.redis.Options())
	w.key = w.redis.Prefix() + "lock:item"
	for _, name := range w.header.Clients {
		c := &client{Life: engine.NewLife(name), w: w}
		if c.proc, err = worker.Start(ctx, l.o.Worker, worker.Options{Bound: l.o.Bound, Reaper: l.reaper}); err != nil {
			return nil, fmt.Errorf("client %s: %w", name, err)
		}
		w.clients = append(w.clients, c)
	}
	if err := w.connect(ctx); err != nil {
		return nil, err
	}
	return w, nil
}

// connect starts the clock and gives each process its way to Redis, and its lock.
func (w *world) connect(ctx context.Context) error {
	w.clock = engine.NewClock(w.lab.o.Scale)
	w.rec = engine.NewRecorder(w.clock, w.header, w.job.Record)
	s := w.job.Scenario
	w.observer = newObserver(w.admin, w.key, w.clock.Real(s.Renew), w.clock, w.rec.Emit)
	w.resource = engine.NewResource(w.clock, s.Stock, s.WriteTimeout, w.rec.Emit)
	for _, c := range w.clients {
		var err error
		if c.tap, err = tap.New(c.Name, w.redis.Addr, w.observer.options()); err != nil {
			return err
		}
		if c.proxy, err = w.lab.proxies.open(c.Name, c.tap.Addr()); err != nil {
			return err
		}
		c.actor = engine.NewActor(c.Name, w.job.Seed, s, w.resource, &hands{c: c, ctx: ctx}, c.emit)
	}
	w.nemesis = engine.NewNemesis(w.clock, w, w.header.Clients, w.job.Seed, s.Faults, w.rec.Emit)
	w.rec.Notify = w.nemesis.Observe
	return w.makeLocks(ctx)
}

// allow lengthens the bounds by what a real machine may dawdle.
func allow(h history.Header, scale float64) {
	for _, p := range check.Properties {
		if p.Bound == 0 {
			continue
		}
		if _, set := h.Bounds[p.Name]; !set {
			h.Bounds[p.Name] = int64(p.Bound)
		}
		h.Bounds[p.Name] += int64(float64(dawdle) * scale)
	}
}

// run lets the clients work until they are done or the limit is reached. It
// reports whether the machine stood still meanwhile.
func (w *world) run(ctx context.Context) (spoilt bool) {
	begun := time.Now()
	w.nemesis.Begin()
	var working sync.WaitGroup
	for _, c := range w.clients {
		working.Go(c.actor.Run)
	}
	done := make(chan struct{})
	go func() { working.Wait(); close(done) }()
	limit := time.NewTimer(w.clock.Real(w.job.Scenario.Limit))
	defer limit.Stop()
	select {
	case <-done:
	case <-limit.C:
		w.end()
		w.nemesis.Stop() // nobody waits for a fault to end
	case <-ctx.Done():
		w.end()
		w.nemesis.Stop()
		w.kill()
	}
	<-done // every request to a worker is bounded
	if !w.settle(ctx) {
		return false
	}
	w.reportResidue()
	still := w.lab.pulse.longest(begun, time.Now())
	w.conclude(begun, still)
	return still > 0
}

// end tells the actors to go no further.
func (w *world) end() { w.once.Do(func() { close(w.stop) }) }

// settle waits for what is under way. It reports false where ctx ended it.
func (w *world) settle(ctx context.Context) bool {
	return w.sleep(ctx, engine.Settling) && (!w.nemesis.Stop() || w.sleep(ctx, engine.Settling))
}

// sleep lets d of the run pass. It reports false where ctx ended it.
func (w *world) sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(w.clock.Real(d))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	return ctx.Err() == nil
}

// conclude records what is to be known of the run as a whole, and its end.
func (w *world) conclude(begun time.Time, still time.Duration) {
	var ways []*proxy
	for _, c := range w.clients {
		ways = append(ways, c.proxy)
	}
	for _, err := range []error{w.observer.err(), w.lab.proxies.failed(begun, ways...)} {
		if err == nil {
			continue
		}
		w.rec.Emit(history.Event{Kind: history.Finding, Detail: check.Unwatched, Text: err.Error()})
	}
	if still > 0 {
		w.rec.Emit(history.Event{Kind: history.Finding, Detail: check.Standstill, Text: fmt.Sprintf(
			"for %v, that is %v of the scenario: run fewer at once (-procs), or slower (-scale)",
			still.Round(time.Millisecond), w.clock.Told(still).Round(time.Millisecond))})
	}
	w.rec.Emit(history.Event{Kind: history.End, Value: w.resource.Stock()})
}

// reportResidue records subscriptions and keys without expiry. What a process
// has left inside itself cannot be seen from here.
func (w *world) reportResidue() {
	ctx, cancel := context.WithTimeout(context.Background(), lookTimeout)
	defer cancel()
	prefix := w.redis.Prefix()
	channels, _ := w.admin.PubSubChannels(ctx, "*"+prefix+"*").Result()
	slices.Sort(channels)
	for _, c := range channels {
		w.rec.Emit(history.Event{Kind: history.Residue, Detail: "subscription to " + c + " is still there"})
	}
	var keeps []string
	if w.job.Strategy.Keeps != nil {
		keeps = w.job.Strategy.Keeps(w.key)
	}
	var keys []string
	scan := w.admin.Scan(ctx, 0, "*"+prefix+"*", 100).Iterator()
	for scan.Next(ctx) {
		keys = append(keys, scan.Val())
	}
	slices.Sort(keys)
	for _, k := range keys {
		if left, err := w.admin.PTTL(ctx, k).Result(); err == nil && left == -1 && !slices.Contains(keeps, k) {
			w.rec.Emit(history.Event{Kind: history.Residue, Detail: "key " + k + " is left without expiry"})
		}
	}
}

// kill ends all processes at once.
func (w *world) kill() {
	for _, c := range w.clients {
		c.MarkDead()
		_, _ = c.proc.Kill()
	}
}

// close takes the world down; what was opened last goes first.
func (w *world) close() {
	w.end()
	if w.nemesis != nil {
		w.nemesis.Stop()
	}
	w.noMoreReplicas()
	for _, c := range w.clients {
		_ = c.proc.Resume() // a stopped process hears nothing
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

// emit records what a client does, unless it is dead.
func (c *client) emit(e history.Event) {
	if c.Alive() {
		c.w.rec.Emit(e)
	}
}

// failed records a worker that died, broke the protocol or did not answer.
func (c *client) failed(what string, err error) {
	if !c.Alive() || errors.Is(err, context.Canceled) {
		return
	}
	c.emit(history.Event{
		Kind: history.Finding, Client: c.Name, Section: c.actor.Section(), Detail: classOf(err),
		Text: fmt.Sprintf("%s of client %s: %v\n\n%s", what, c.Name, err, c.proc.Log()),
	})
	c.emit(history.Event{Kind: history.Crashed, Client: c.Name})
	c.MarkDead()
}

// classOf is the class of the finding that an error of a worker makes.
func classOf(err error) string {
	switch {
	case errors.Is(err, worker.ErrSilent):
		return "blocked"
	case errors.Is(err, proc.ErrDied):
		return "died"
	case errors.Is(err, worker.ErrRefused):
		return "refused"
	default:
		return "rubbish"
	}
}
