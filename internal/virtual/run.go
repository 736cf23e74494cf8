// Package virtual is the engine: it runs one seed of a scenario against one lock,
// with the real go-redis, miniredis and Toxiproxy toxics in virtual time, and
// records its history.
//
// Goals: a seed gives the same history to the byte; the lock under test needs
// no hook and no change.
// Non-goals: running many seeds (package runner), judging (package check).
package virtual

import (
	"io"
	"slices"
	"sync"
	"time"

	"github.com/lockchaos/simrun/internal/bubble"
	"github.com/lockchaos/simrun/internal/check"
	"github.com/lockchaos/simrun/internal/engine"
	"github.com/lockchaos/simrun/internal/history"
	"github.com/lockchaos/simrun/internal/strategy"
	"github.com/lockchaos/simrun/scenarios"
)

// Job is one run.
type Job struct {
	Scenario *scenarios.Scenario
	Strategy strategy.Strategy
	Seed     uint64
	Record   bool // keep the events in Outcome.Events

	viaToxics bool // go through Toxiproxy's links though no fault needs them
}

// Outcome is what one run gave.
type Outcome struct {
	Header history.Header
	Report check.Report
	Events []history.Event // if Record
}

// oneWorld keeps worlds apart: they share process-wide generators.
var oneWorld sync.Mutex

// Run runs one seed. A lock that panics, blocks or leaks is a finding in the
// report; a panic in a goroutine that the lock started ends the process, which
// is why package runner runs seeds in child processes.
func Run(h bubble.Host, j Job) Outcome {
	oneWorld.Lock()
	defer oneWorld.Unlock()
	out := Outcome{Header: Header(j)}
	var rec *engine.Recorder
	err := h.Run(func() {
		w, err := newWorld(j, out.Header)
		if err != nil {
			rec = engine.NewRecorder(engine.NewClock(1), out.Header, j.Record)
			rec.Emit(history.Event{Kind: history.Finding, Detail: "broken", Text: err.Error()})
			rec.Emit(history.Event{Kind: history.End, Value: j.Scenario.Stock})
			return
		}
		rec = w.rec
		w.run()
	})
	out.Report = rec.Report()
	if err != nil && !rec.Explained() {
		out.Report.Findings = append(out.Report.Findings, check.Finding{Class: "leak", Detail: err.Error()})
	}
	out.Events = rec.Events()
	return out
}

// Header is what a judge must know of the run. Its mode is "sim".
func Header(j Job) history.Header {
	s := j.Scenario
	h := history.Header{
		Version:     history.FormatVersion,
		Mode:        "sim",
		Scenario:    s.Name,
		Strategy:    j.Strategy.Name,
		Seed:        j.Seed,
		Clients:     s.ClientNames(),
		Sections:    s.Sections,
		MinSections: s.MinSections,
		Lease:       int64(s.Lease),
		Stock:       s.Stock,
		Bounds:      map[string]int64{},
	}
	for _, f := range s.Faults {
		h.Faults = append(h.Faults, f.ID)
	}
	for property, bound := range s.Bounds {
		h.Bounds[property] = int64(bound)
	}
	return h
}

// run lets the clients work until they are done or the scenario's limit is
// reached, and looks at what is left.
func (w *world) run() {
	w.nemesis.Begin()
	var working sync.WaitGroup
	for _, a := range w.hands {
		working.Add(1)
		go func() { // by hand: what WaitGroup.Go starts is taken for the lock's, see harness
			defer working.Done()
			a.run()
		}()
	}
	done := make(chan struct{})
	go func() { working.Wait(); close(done) }()

	limit := time.NewTimer(w.scenario.Limit)
	select {
	case <-done:
	case <-limit.C:
		close(w.stop)
		w.nemesis.Stop() // a client that a fault holds up is not the lock's doing
		// A call into the lock that respects its context ends within this.
		grace := time.NewTimer(w.scenario.Wait + releaseTimeout + time.Minute)
		select {
		case <-done:
		case <-grace.C:
			w.reportBlocked()
		}
		grace.Stop()
	}
	limit.Stop()
	w.settle()
}

// settle ends the run: it waits for what is still under way, records what was
// left behind, and takes the world down.
func (w *world) settle() {
	time.Sleep(engine.Settling)
	if w.nemesis.Stop() {
		time.Sleep(engine.Settling)
	}
	w.closeLocks()
	w.reportBypass()
	w.reportResidue()
	w.emit(history.Event{Kind: history.End, Value: w.resource.Stock()})
	w.takeDown()
}

// closeLocks closes the locks that can be closed. What they leave open is found
// afterwards; one whose Close does not return is a finding.
func (w *world) closeLocks() {
	for _, h := range w.hands {
		c, ok := h.lock.(io.Closer)
		if !ok || !h.p.Alive() {
			continue
		}
		done := make(chan struct{})
		go func() {
			defer close(done)
			_ = c.Close()
		}()
		bound := time.NewTimer(releaseTimeout)
		select {
		case <-done:
		case <-bound.C:
			w.emit(history.Event{
				Kind: history.Finding, Client: h.p.Name, Detail: "blocked",
				Text: "Close of client " + h.p.Name + " did not return",
			})
		}
		bound.Stop()
	}
}

// takeDown closes all connections and waits for their goroutines, and for slow
// toxics to be through with what was under way.
func (w *world) takeDown() {
	for _, p := range w.clients {
		_ = p.rdb.Close()
	}
	w.redis.close()
	for end := time.Now().Add(mostTakingDown); ; {
		time.Sleep(takingDown)
		if w.toxicsSettled() || time.Now().After(end) {
			return
		}
	}
}

func (w *world) toxicsSettled() bool {
	return !slices.ContainsFunc(w.clients, func(p *process) bool { return p.toxics != nil && !p.toxics.settled() })
}

const (
	// takingDown lets goroutines of closed connections end.
	takingDown = 10 * time.Second
	// mostTakingDown bounds what toxics may still take.
	mostTakingDown = time.Hour
)

// Progress grows with every event of every run in this process. Where it stands
// still while a run goes on, virtual time stands still, or a goroutine spins.
func Progress() uint64 { return engine.Progress() }
