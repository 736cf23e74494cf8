// Package engine is what the virtual and the live world share: the clock, the
// recorder of events, the nemesis that times the faults, the protected resource,
// and what a client does in its critical sections.
//
// Goals: a scenario means the same in both worlds, since the same code plays it.
// Non-goals: what a client is and how a fault is injected (packages virtual and
// live).
package engine

import (
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/lockchaos/simrun/internal/history"
	"github.com/lockchaos/simrun/scenarios"
)

// Driver drives one client's lock and process. Durations are in the run's time.
// While the process is stopped, each method waits.
type Driver interface {
	// Alive reports whether the client has not crashed.
	Alive() bool
	// Over reports whether the run is at its end: no section begins, and one in
	// progress is broken off.
	Over() bool
	// Acquire asks for the lock, for at most wait. The class of its error is
	// empty if the lock is held.
	Acquire(wait time.Duration) (fence int64, class string)
	// Release releases the lock and returns the class of its error.
	Release() (class string)
	// Lost reports whether the lock has signalled the loss of its lease, and why.
	Lost() (cause string, lost bool)
	// Work works for d, or less if the lease is lost. Time in which the process is
	// stopped does not count.
	Work(d time.Duration)
	// Spend is Work that does not end with the lease.
	Spend(d time.Duration)
	// Ready returns when the process can send and receive messages.
	Ready()
	// ReadyToSend returns when the section can send, too: it may hang.
	ReadyToSend()
}

// Actor plays one client: it enters its critical sections through the lock.
type Actor struct {
	name     string
	scenario *scenarios.Scenario
	resource *Resource
	driver   Driver
	record   func(history.Event)
	rng      *rand.Rand // durations of the sections
	net      *rand.Rand // latencies to the resource
	section  atomic.Int64
}

// NewActor makes a client's actor.
func NewActor(name string, seed uint64, s *scenarios.Scenario, r *Resource, d Driver, emit func(history.Event)) *Actor {
	return &Actor{
		name: name, scenario: s, resource: r, driver: d, record: emit,
		rng: Generator(seed, "worker "+name),
		net: Generator(seed, "resource "+name),
	}
}

// Section counts the client's critical sections from 1; it is 0 before the first and
// after the last.
func (a *Actor) Section() int { return int(a.section.Load()) }

func (a *Actor) latency() time.Duration { return Draw(a.net, a.scenario.Network) }

func (a *Actor) emit(e history.Event) {
	e.Client = a.name
	e.Section = a.Section()
	a.record(e)
}

// Run plays all sections.
func (a *Actor) Run() {
	a.driver.Spend(time.Duration(a.rng.Int64N(int64(time.Millisecond))))
	for a.Section() < a.scenario.Sections && a.goesOn() {
		a.driver.Spend(Draw(a.rng, a.scenario.Think))
		a.section.Add(1)
		fence, held := a.acquire()
		if !held {
			return
		}
		more := false
		if !a.driver.Over() { // or else it got the lock too late to use it
			more = a.inside(fence)
			if !a.driver.Alive() {
				return
			}
			a.emit(history.Event{Kind: history.Left})
		}
		a.release()
		if !more {
			break
		}
	}
	a.section.Store(0)
	a.emit(history.Event{Kind: history.Done})
}

func (a *Actor) goesOn() bool { return a.driver.Alive() && !a.driver.Over() }

// acquire tries until it holds the lock or the run ends.
func (a *Actor) acquire() (fence int64, held bool) {
	for a.goesOn() {
		a.driver.Ready()
		a.emit(history.Event{Kind: history.Waiting})
		fence, class := a.driver.Acquire(a.scenario.Wait)
		a.driver.Ready()
		if class == "" {
			a.emit(history.Event{Kind: history.Acquired, Fence: fence})
			return fence, true
		}
		a.emit(history.Event{Kind: history.Refused, Detail: class})
		a.driver.Spend(10*time.Millisecond + time.Duration(a.rng.Int64N(int64(90*time.Millisecond))))
	}
	return 0, false
}

// inside is the critical section. It reports whether there may be stock left.
func (a *Actor) inside(fence int64) (more bool) {
	a.emit(history.Event{Kind: history.Entered, Fence: fence})
	a.driver.Ready()
	got := a.read(fence)
	a.driver.Ready()
	if got.stock == 0 {
		a.emit(history.Event{Kind: history.SoldOut})
		return false
	}
	a.driver.Work(Draw(a.rng, a.scenario.Work))
	if !a.goesOn() {
		return false
	}
	if cause, lost := a.driver.Lost(); lost {
		a.rollBack(cause)
		return true
	}
	a.emit(history.Event{Kind: history.Checked})
	a.driver.ReadyToSend()
	if !a.goesOn() {
		return false
	}
	answered := a.write(got, fence)
	a.driver.Ready()
	if !answered {
		a.emit(history.Event{Kind: history.Unanswered})
	}
	return true
}

// read reads the stock. The request and its answer each take a latency.
func (a *Actor) read(fence int64) reading {
	a.resource.clock.Sleep(a.latency())
	got := a.resource.read(fence)
	a.emit(history.Event{Kind: history.Read, Value: got.stock, Version: got.version, Fence: fence})
	a.resource.clock.Sleep(a.latency())
	return got
}

// write sells one item of a stock that was read, and reports whether the resource
// answered in time. The request may be held up in the network for longer than the
// client waits, and be applied later.
func (a *Actor) write(from reading, fence int64) (answered bool) {
	r := a.resource
	answer := make(chan struct{})
	request := history.Event{Client: a.name, Section: a.Section(), Value: from.stock - 1, Version: from.version, Fence: fence}
	travel := a.latency() + r.takeDelay(a.name)
	back := a.latency()
	r.clock.AfterFunc(travel, func() {
		r.apply(request)
		r.clock.AfterFunc(back, func() { close(answer) })
	})
	giveUp := time.NewTimer(r.clock.Real(r.timeout))
	defer giveUp.Stop()
	select {
	case <-answer:
		return true
	case <-giveUp.C:
		return false
	}
}

// rollBack undoes a section whose lease is lost. That takes time, during which the
// client is still inside.
func (a *Actor) rollBack(cause string) {
	a.emit(history.Event{Kind: history.Noticed, Detail: cause})
	a.driver.Spend(Draw(a.rng, a.scenario.Rollback))
	a.emit(history.Event{Kind: history.Aborted})
}

func (a *Actor) release() {
	a.emit(history.Event{Kind: history.Releasing})
	class := a.driver.Release()
	a.driver.Ready()
	a.emit(history.Event{Kind: history.Released, Detail: class})
}
