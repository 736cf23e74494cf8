package live

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/lockchaos/simrun/internal/check"
	"github.com/lockchaos/simrun/internal/engine"
	"github.com/lockchaos/simrun/internal/history"
)

// attempts is how often a run is made at most if the machine stalls in it.
const attempts = 3

// Run runs one seed. A worker that dies, breaks the protocol or does not answer
// is a finding in the report. A run in which the machine stalled for longer than
// a run allows is repeated; if that does not help, the last one is returned, with
// a finding that makes it insufficient evidence. An error is the harness's, its
// environment's or the context's, and comes without an outcome.
func (s *Session) Run(ctx context.Context, j engine.Job) (engine.Outcome, error) {
	for attempt := 1; ; attempt++ {
		out, stalled, err := s.runOnce(ctx, j)
		if err != nil || !stalled || attempt == attempts {
			return out, err
		}
	}
}

// runOnce runs one seed once and reports whether the machine stalled in it.
func (s *Session) runOnce(ctx context.Context, j engine.Job) (out engine.Outcome, stalled bool, err error) {
	w, err := newWorld(ctx, s, j)
	if err != nil {
		return engine.Outcome{}, false, err
	}
	defer w.close()
	stalled = w.run(ctx)
	if err := ctx.Err(); err != nil {
		return engine.Outcome{}, false, err
	}
	return w.rec.Outcome(), stalled, nil
}

// run lets the clients work until they are done or the limit is reached. It
// reports whether the machine stalled meanwhile.
func (w *world) run(ctx context.Context) (stalled bool) {
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
		w.nemesis.Stop() // no one waits for a fault to end
	case <-ctx.Done(): // which ends w.over as well
		w.nemesis.Stop()
		w.kill()
	}
	<-done // every request to a worker is bounded
	if !w.settle(ctx) {
		return false
	}
	w.reportLeftovers()
	stall := w.session.stalls.longest(begun, time.Now()).length()
	w.conclude(begun, stall)
	return stall > 0
}

// settle waits for what is in flight. It reports false if ctx ended first.
func (w *world) settle(ctx context.Context) bool {
	return w.sleep(ctx, engine.Settling) && (!w.nemesis.Stop() || w.sleep(ctx, engine.Settling))
}

// sleep waits for d of the run's time. It reports false if ctx ended first.
func (w *world) sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(w.clock.Real(d))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	return ctx.Err() == nil
}

// conclude records what makes the whole run doubtful, and its end.
func (w *world) conclude(begun time.Time, stall time.Duration) {
	var used []*proxy
	for _, c := range w.clients {
		used = append(used, c.proxy)
	}
	for _, err := range []error{w.observer.err(), w.session.proxies.outageSince(begun, used...)} {
		if err != nil {
			w.rec.Emit(history.Event{Kind: history.Finding, Detail: check.Unwatched, Text: err.Error()})
		}
	}
	if stall > 0 {
		w.rec.Emit(history.Event{Kind: history.Finding, Detail: check.Standstill, Text: fmt.Sprintf(
			"for %v, that is %v of the scenario: run fewer at once (-procs), or slower (-scale)",
			stall.Round(time.Millisecond), w.clock.Told(stall).Round(time.Millisecond))})
	}
	if w.observer.watch.Unkept() {
		w.rec.Emit(history.Event{Kind: history.Unkept})
	}
	w.rec.Emit(history.Event{Kind: history.End, Value: w.resource.Stock()})
}

// reportLeftovers records subscriptions and keys without expiry. What a process
// has left inside itself cannot be seen from here.
func (w *world) reportLeftovers() {
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
