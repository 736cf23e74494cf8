package sim

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"time"

	"github.com/lockchaos/simrun/lock"
	"github.com/lockchaos/simrun/sim/errclass"
	"github.com/lockchaos/simrun/sim/history"
)

// worker is what a client does: it passes its sections through the lock.
type worker struct {
	w       *world
	p       *process
	lock    lock.Locker
	rng     *rand.Rand // times of the worker
	net     *rand.Rand // latencies to the resource
	section int
	doing   string // the call into the lock that it is in
}

func newWorker(w *world, p *process, l lock.Locker) *worker {
	return &worker{
		w: w, p: p, lock: l,
		rng: generator(w.seed, "worker "+p.name),
		net: generator(w.seed, "resource "+p.name),
	}
}

func (a *worker) latency() time.Duration { return a.w.travel(a.net) }

func (a *worker) emit(e history.Event) {
	if a.p.isDead() {
		return
	}
	e.Client = a.p.name
	e.Section = a.section
	a.w.emit(e)
}

// run passes all sections. A panic in the lock's code is a finding.
func (a *worker) run() {
	defer func() {
		if v := recover(); v != nil {
			a.emit(history.Event{
				Kind: history.Finding, Detail: "panic",
				Text: fmt.Sprintf("panic in %s: %v\n\n%s", a.doing, v, debug.Stack()),
			})
			a.w.crash(a.p)
		}
	}()
	time.Sleep(time.Duration(a.rng.Int64N(int64(time.Millisecond))))
	for a.section < a.w.scenario.Sections && a.alive() {
		a.idle(draw(a.rng, a.w.scenario.Think))
		a.section++
		lease := a.acquire()
		if lease == nil {
			return
		}
		more := a.inside(lease)
		if !a.alive() {
			return
		}
		a.emit(history.Event{Kind: history.Left})
		a.release(lease)
		if !more {
			break
		}
	}
	a.section = 0
	a.emit(history.Event{Kind: history.Done})
}

// alive reports whether the worker should go on.
func (a *worker) alive() bool { return !a.p.isDead() && !a.w.stopped() }

// acquire tries until it has the lock. It returns nil where the run ends first.
func (a *worker) acquire() lock.Lease {
	for a.alive() {
		a.p.stop.pass()
		a.emit(history.Event{Kind: history.Waiting})
		ctx, cancel := context.WithTimeout(context.Background(), a.w.scenario.Wait)
		a.doing = "Acquire"
		lease, err := a.lock.Acquire(ctx)
		a.doing = ""
		cancel()
		a.p.stop.pass()
		if err == nil {
			a.emit(history.Event{Kind: history.Acquired, Fence: lease.Fence()})
			return lease
		}
		a.emit(history.Event{Kind: history.Refused, Detail: errclass.Of(err)})
		a.idle(10*time.Millisecond + time.Duration(a.rng.Int64N(int64(90*time.Millisecond))))
	}
	return nil
}

// inside is the critical section. It reports whether there may be more to sell.
func (a *worker) inside(lease lock.Lease) (more bool) {
	lost := lease.Lost()
	a.emit(history.Event{Kind: history.Entered, Fence: lease.Fence()})
	a.p.stop.pass()
	got := a.w.resource.read(a, lease.Fence())
	a.p.stop.pass()
	if got.stock == 0 {
		a.emit(history.Event{Kind: history.SoldOut})
		return false
	}
	a.busy(draw(a.rng, a.w.scenario.Work), lost)
	if !a.alive() {
		return false
	}
	if closed(lost) {
		a.rollBack(lease)
		return true
	}
	a.emit(history.Event{Kind: history.Checked})
	a.p.hang.pass()
	a.p.stop.pass()
	if !a.alive() {
		return false
	}
	err := a.w.resource.write(a, got.stock-1, got, lease.Fence())
	a.p.stop.pass()
	if errors.Is(err, errUnanswered) {
		a.emit(history.Event{Kind: history.Unanswered})
	}
	return true
}

// rollBack undoes a section whose lease is lost. It takes time, in which the
// client is still inside.
func (a *worker) rollBack(lease lock.Lease) {
	cause := ""
	if c, ok := lease.(lock.Causer); ok {
		cause = errclass.Of(c.Cause())
	}
	a.emit(history.Event{Kind: history.Noticed, Detail: cause})
	a.busy(draw(a.rng, a.w.scenario.Rollback), nil)
	a.emit(history.Event{Kind: history.Aborted})
}

// release gives the lock up, with a context of its own as good code does.
func (a *worker) release(lease lock.Lease) {
	ctx, cancel := context.WithTimeout(context.Background(), releaseTimeout)
	defer cancel()
	a.emit(history.Event{Kind: history.Releasing})
	a.doing = "Release"
	err := lease.Release(ctx)
	a.doing = ""
	a.p.stop.pass()
	a.emit(history.Event{Kind: history.Released, Detail: errclass.Of(err)})
}

const releaseTimeout = 10 * time.Second

// idle waits between sections. A stopped process waits longer.
func (a *worker) idle(d time.Duration) {
	a.busy(d, nil)
}

// busy spends d working, or less where the lease is lost. Work does not go on
// while the process is stopped or its section hangs, and such a worker hears
// of nothing.
func (a *worker) busy(d time.Duration, lost <-chan struct{}) {
	for a.alive() {
		a.p.stop.pass()
		a.p.hang.pass()
		if closed(lost) || d <= 0 {
			return
		}
		begun := time.Now()
		timer := time.NewTimer(d)
		select {
		case <-timer.C:
		case <-lost:
		case <-a.p.stop.stopped():
		case <-a.p.hang.stopped():
		case <-a.p.dead:
		case <-a.w.stop:
		}
		timer.Stop()
		d -= time.Since(begun)
	}
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
