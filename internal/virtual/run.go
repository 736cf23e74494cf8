// Package virtual runs one seed of a scenario against one lock, with the real
// go-redis, miniredis and Toxiproxy toxics in virtual time, and records its history.
//
// Goals: a seed gives the same history to the byte; the lock under test needs
// no hook and no change; a panic of simrun's own is never blamed on the lock.
// Non-goals: running many seeds (package runner), judging (package check).
package virtual

import (
	"errors"
	"fmt"
	"io"
	"math/rand"
	"slices"
	"sync"
	"time"

	"github.com/lockchaos/simrun/chaos"
	"github.com/lockchaos/simrun/internal/bubble"
	"github.com/lockchaos/simrun/internal/check"
	"github.com/lockchaos/simrun/internal/engine"
	"github.com/lockchaos/simrun/internal/history"
	"github.com/lockchaos/simrun/internal/strategy"
	"github.com/lockchaos/simrun/lock"
)

// oneWorld serializes worlds: they share process-wide generators.
var oneWorld sync.Mutex

// Run runs one seed. A lock that panics, blocks or leaks is a finding in the
// report. A panic in a goroutine that the lock started ends the process, as one of
// simrun's own does, which is why package runner runs seeds in child processes.
func Run(h bubble.Host, j engine.Job) engine.Outcome {
	return runVia(h, j, slices.ContainsFunc(j.Scenario.Faults, func(p chaos.Plan) bool { return p.Spec.NeedsToxics }))
}

// runVia runs one seed. The clients' connections go through Toxiproxy's links if
// viaToxics is set.
func runVia(h bubble.Host, j engine.Job, viaToxics bool) engine.Outcome {
	oneWorld.Lock()
	defer oneWorld.Unlock()
	header := j.Header("sim")
	var rec *engine.Recorder
	err := h.Run(func() {
		w, err := newWorld(j, header, viaToxics)
		if err != nil {
			rec = engine.NewRecorder(engine.NewClock(1), header, j.Record)
			rec.Emit(history.Event{Kind: history.Finding, Detail: "broken", Text: err.Error()})
			rec.Emit(history.Event{Kind: history.End, Value: j.Scenario.Stock})
			return
		}
		rec = w.rec
		w.run()
	})
	out := rec.Outcome()
	if err != nil && !rec.Explained() {
		out.Report.Findings = append(out.Report.Findings, check.Finding{Class: "leak", Detail: err.Error()})
	}
	return out
}

// errNoLock: a strategy's constructor returned neither a lock nor an error.
var errNoLock = errors.New("its constructor returned no lock and no error")

func newWorld(j engine.Job, h history.Header, viaToxics bool) (*world, error) {
	clock := engine.NewClock(1)
	s := j.Scenario
	w := &world{scenario: s, strategy: j.Strategy, rec: engine.NewRecorder(clock, h, j.Record), stop: make(chan struct{})}
	// Toxiproxy's jitter and slicer, and locks that draw from the process-wide
	// generator, follow the seed too: one world at a time.
	rand.Seed(int64(engine.Generator(j.Seed, "process-wide").Uint64())) //lint:ignore SA1019 see the godebug line in go.mod
	var err error
	if w.redis, err = newRedisServer(w.emit); err != nil {
		return nil, err
	}
	w.resource = engine.NewResource(clock, s.Stock, s.WriteTimeout, w.emit)
	for i, name := range h.Clients {
		p := newProcess(name, i, j.Seed, s, w.redis)
		if viaToxics {
			p.toxics = newToxicLinks(j.Seed)
		}
		w.clients = append(w.clients, p)
		l, err := newLock(j, p)
		if err != nil {
			w.takeDown()
			return nil, fmt.Errorf("strategy %s: %w", j.Strategy.Name, err)
		}
		d := &driver{p: p, stop: w.stop, record: w.emit, lock: l}
		d.actor = engine.NewActor(name, j.Seed, s, w.resource, d, d.emit)
		w.drivers = append(w.drivers, d)
	}
	w.nemesis = engine.NewNemesis(clock, w, h.Clients, j.Seed, s.Faults, w.emit)
	w.rec.Notify = w.nemesis.Observe
	return w, nil
}

// newLock makes a client's lock.
func newLock(j engine.Job, p *process) (lock.Locker, error) {
	jitter := engine.Generator(j.Seed, "lock "+p.Name)
	var mu sync.Mutex
	l, err := j.Strategy.New(strategy.Env{
		Redis: p.rdb,
		Key:   lockKey,
		Owner: p.Name,
		Lease: j.Scenario.Lease,
		Renew: j.Scenario.Renew,
		Cap:   j.Scenario.Cap,
		Jitter: func() float64 {
			mu.Lock()
			defer mu.Unlock()
			return jitter.Float64()
		},
	})
	if err == nil && l == nil {
		err = errNoLock
	}
	return l, err
}

// run lets the clients work until they are done or the scenario's limit is
// reached, and then settles.
func (w *world) run() {
	w.nemesis.Begin()
	var working sync.WaitGroup
	for _, d := range w.drivers {
		working.Add(1)
		go func() { // not WaitGroup.Go, whose goroutines startedByHarness takes for the lock's
			defer working.Done()
			d.run(func() { w.crash(d.p) })
		}()
	}
	done := make(chan struct{})
	go func() { working.Wait(); close(done) }()

	if !within(w.scenario.Limit, done) {
		close(w.stop)
		w.nemesis.Stop() // a client that a fault holds up is not blocked by the lock
		// A call into the lock that respects its context ends within this time.
		if !within(w.scenario.Wait+releaseTimeout+time.Minute, done) {
			w.reportBlocked()
		}
	}
	w.settle()
}

// within reports whether done is closed within d.
func within(d time.Duration, done <-chan struct{}) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	}
}

// settle ends the run: it waits for what is in flight, records what was left
// behind, and takes the world down.
func (w *world) settle() {
	time.Sleep(engine.Settling)
	if w.nemesis.Stop() {
		time.Sleep(engine.Settling)
	}
	w.closeLocks()
	w.reportBypass()
	w.reportLeftovers()
	if w.redis.watch.Unkept() {
		w.emit(history.Event{Kind: history.Unkept})
	}
	w.emit(history.Event{Kind: history.End, Value: w.resource.Stock()})
	w.takeDown()
}

// closeLocks closes the locks that can be closed. A Close that does not return is a
// finding; what a lock leaves open is reported afterwards.
func (w *world) closeLocks() {
	for _, d := range w.drivers {
		c, ok := d.lock.(io.Closer)
		if !ok || !d.p.Alive() {
			continue
		}
		done := make(chan struct{})
		go func() {
			defer close(done)
			_ = c.Close()
		}()
		if !within(releaseTimeout, done) {
			w.emit(history.Event{
				Kind: history.Finding, Client: d.p.Name, Detail: "blocked",
				Text: "Close of client " + d.p.Name + " did not return",
			})
		}
	}
}
