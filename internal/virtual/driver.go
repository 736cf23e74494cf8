package virtual

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/lockchaos/simrun/internal/engine"
	"github.com/lockchaos/simrun/internal/errclass"
	"github.com/lockchaos/simrun/internal/history"
	"github.com/lockchaos/simrun/internal/stack"
	"github.com/lockchaos/simrun/lock"
)

// releaseTimeout bounds a Release.
const releaseTimeout = 10 * time.Second

// driver drives a virtual client's lock in-process. It is an [engine.Driver].
type driver struct {
	p       *process
	stop    <-chan struct{}     // closed when the run must end
	record  func(history.Event) // of a client that is alive
	lock    lock.Locker
	lease   lock.Lease
	lost    <-chan struct{} // of the lease
	actor   *engine.Actor
	noLease bool // Acquire has returned neither a lease nor an error

	calling  atomic.Value // a string: the call into the lock in progress
	returned atomic.Bool  // an Acquire has returned
	bypassed atomic.Bool  // a call has failed at the address that only the client's own dialer reaches
}

// emit records what the client does, unless it is dead.
func (d *driver) emit(e history.Event) {
	if d.p.Alive() {
		d.record(e)
	}
}

// run lets the client pass its sections. Where the lock panics or ends the
// goroutine, that is a finding, and died is called. A panic of simrun's own code
// is not recovered: it must end the process, with its stack, and not be blamed on
// the lock.
func (d *driver) run(died func()) {
	returned := false
	defer func() {
		if returned || d.call() == "" || !d.noLease && panickedInSimrun() {
			return
		}
		what := "runtime.Goexit in " + d.call() + " ended the client's goroutine"
		if v := recover(); v != nil {
			what = fmt.Sprintf("panic in %s: %v", d.call(), v)
		}
		d.emit(history.Event{
			Kind: history.Finding, Client: d.p.Name, Section: d.actor.Section(), Detail: "panic",
			Text: what + "\n\n" + string(debug.Stack()),
		})
		died()
	}()
	d.actor.Run()
	returned = true
}

// panickedInSimrun reports whether the goroutine, which runs its deferred
// functions, panics and simrun's own code is to blame.
func panickedInSimrun() bool {
	g := stack.Goroutine{Frames: stack.Frames(string(debug.Stack()))}
	panics := slices.ContainsFunc(g.Frames, func(f stack.Frame) bool { return f.Func == "panic" })
	return panics && g.Culprit().Owner() == stack.Simrun
}

// call is the call into the lock in progress; empty for none.
func (d *driver) call() string {
	name, _ := d.calling.Load().(string)
	return name
}

func (d *driver) Alive() bool { return d.p.Alive() }
func (d *driver) Over() bool  { return engine.Closed(d.stop) }

func (d *driver) Acquire(wait time.Duration) (fence int64, class string) {
	ctx, cancel := context.WithTimeout(context.Background(), wait)
	defer cancel()
	d.calling.Store("Acquire")
	lease, err := d.lock.Acquire(ctx)
	d.returned.Store(true)
	if err != nil {
		d.calling.Store("")
		return 0, d.class(err)
	}
	if lease == nil {
		d.noLease = true
		panic("it returned no lease and no error")
	}
	d.calling.Store("Fence")
	fence = lease.Fence()
	d.calling.Store("Lost")
	d.lost = lease.Lost()
	d.calling.Store("")
	d.lease = lease
	return fence, ""
}

// Release has a context of its own, as good code does.
func (d *driver) Release() (class string) {
	ctx, cancel := context.WithTimeout(context.Background(), releaseTimeout)
	defer cancel()
	d.calling.Store("Release")
	err := d.lease.Release(ctx)
	d.calling.Store("")
	return d.class(err)
}

// class returns the class of an error from a call into the lock.
func (d *driver) class(err error) string {
	if err != nil && strings.Contains(err.Error(), unreachable) {
		d.bypassed.Store(true)
	}
	return errclass.Of(err)
}

func (d *driver) Lost() (cause string, lost bool) {
	if !engine.Closed(d.lost) {
		return "", false
	}
	if c, ok := d.lease.(lock.Causer); ok {
		d.calling.Store("Cause")
		cause = errclass.Of(c.Cause())
		d.calling.Store("")
	}
	return cause, true
}

func (d *driver) Work(t time.Duration)  { d.p.Spend(t, d.lost, d.stop) }
func (d *driver) Spend(t time.Duration) { d.p.Spend(t, nil, d.stop) }
func (d *driver) Ready()                { d.p.Stop.Pass() }

func (d *driver) ReadyToSend() {
	d.p.Hang.Pass()
	d.p.Stop.Pass()
}
