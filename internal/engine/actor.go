// Package engine is what the virtual and the live world have in common: the
// clock, the record of events, the faults' timing, the protected resource, and
// what a client does in its sections.
//
// Goals: a scenario means the same in both worlds, since the same code plays it.
// Non-goals: what a client is, and how a fault is done to it (packages sim and
// live).
package engine

import (
	"errors"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/lockchaos/simrun/internal/history"
	"github.com/lockchaos/simrun/scenarios"
)

// Hands are what a client's process does for its sections. Durations are in the
// run's time. While the process is stopped, each of them waits.
type Hands interface {
	// Alive says that the client has not crashed and the run goes on.
	Alive() bool
	// Acquire asks for the lock, for at most wait. The class of its error is
	// empty where the lock is held.
	Acquire(wait time.Duration) (fence int64, class string)
	// Release gives the lock up and returns the class of its error.
	Release() (class string)
	// Lost says whether the lock has told of its loss, and why it was lost.
	Lost() (cause string, lost bool)
	// Work spends time at work, or less where the lock tells of its loss. Time
	// in which the process is stopped is not spent.
	Work(d time.Duration)
	// Spend spends time, whatever the lock tells.
	Spend(d time.Duration)
	// Ready returns when the process can send and take messages.
	Ready()
	// ReadyToSend returns when the section can, too: it may hang.
	ReadyToSend()
}

// Actor is what a client does: it passes its sections through the lock.
type Actor struct {
	name     string
	scenario *scenarios.Scenario
	resource *Resource
	hands    Hands
	record   func(history.Event)
	rng      *rand.Rand // times of the sections
	net      *rand.Rand // latencies to the resource
	section  atomic.Int64
}

// NewActor makes a client's actor.
func NewActor(name string, seed uint64, s *scenarios.Scenario, r *Resource, h Hands, emit func(history.Event)) *Actor {
	return &Actor{
		name: name, scenario: s, resource: r, hands: h, record: emit,
		rng: Generator(seed, "worker "+name),
		net: Generator(seed, "resource "+name),
	}
}

// Travel draws how long a message is under way.
func Travel(r *rand.Rand, s *scenarios.Scenario) time.Duration { return Draw(r, s.Network) }

// Name is the client's.
func (a *Actor) Name() string { return a.name }

// Section is which pass the client is in, from 1.
func (a *Actor) Section() int { return int(a.section.Load()) }

func (a *Actor) latency() time.Duration { return Travel(a.net, a.scenario) }

func (a *Actor) emit(e history.Event) {
	e.Client = a.name
	e.Section = a.Section()
	a.record(e)
}

// Run passes all sections.
func (a *Actor) Run() {
	a.hands.Spend(time.Duration(a.rng.Int64N(int64(time.Millisecond))))
	for a.Section() < a.scenario.Sections && a.hands.Alive() {
		a.hands.Spend(Draw(a.rng, a.scenario.Think))
		a.section.Add(1)
		fence, held := a.acquire()
		if !held {
			return
		}
		more := a.inside(fence)
		if !a.hands.Alive() {
			return
		}
		a.emit(history.Event{Kind: history.Left})
		a.release()
		if !more {
			break
		}
	}
	a.section.Store(0)
	a.emit(history.Event{Kind: history.Done})
}

// acquire tries until it has the lock, or the run ends.
func (a *Actor) acquire() (fence int64, held bool) {
	for a.hands.Alive() {
		a.hands.Ready()
		a.emit(history.Event{Kind: history.Waiting})
		fence, class := a.hands.Acquire(a.scenario.Wait)
		a.hands.Ready()
		if class == "" {
			a.emit(history.Event{Kind: history.Acquired, Fence: fence})
			return fence, true
		}
		a.emit(history.Event{Kind: history.Refused, Detail: class})
		a.hands.Spend(10*time.Millisecond + time.Duration(a.rng.Int64N(int64(90*time.Millisecond))))
	}
	return 0, false
}

// inside is the critical section. It reports whether there may be more to sell.
func (a *Actor) inside(fence int64) (more bool) {
	a.emit(history.Event{Kind: history.Entered, Fence: fence})
	a.hands.Ready()
	got := a.resource.read(a, fence)
	a.hands.Ready()
	if got.stock == 0 {
		a.emit(history.Event{Kind: history.SoldOut})
		return false
	}
	a.hands.Work(Draw(a.rng, a.scenario.Work))
	if !a.hands.Alive() {
		return false
	}
	if cause, lost := a.hands.Lost(); lost {
		a.rollBack(cause)
		return true
	}
	a.emit(history.Event{Kind: history.Checked})
	a.hands.ReadyToSend()
	if !a.hands.Alive() {
		return false
	}
	err := a.resource.write(a, got.stock-1, got, fence)
	a.hands.Ready()
	if errors.Is(err, errUnanswered) {
		a.emit(history.Event{Kind: history.Unanswered})
	}
	return true
}

// rollBack undoes a section whose lease is lost. It takes time, in which the
// client is still inside.
func (a *Actor) rollBack(cause string) {
	a.emit(history.Event{Kind: history.Noticed, Detail: cause})
	a.hands.Spend(Draw(a.rng, a.scenario.Rollback))
	a.emit(history.Event{Kind: history.Aborted})
}

func (a *Actor) release() {
	a.emit(history.Event{Kind: history.Releasing})
	class := a.hands.Release()
	a.hands.Ready()
	a.emit(history.Event{Kind: history.Released, Detail: class})
}
