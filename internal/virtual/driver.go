package virtual

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"

	"github.com/lockchaos/simrun/internal/engine"
	"github.com/lockchaos/simrun/internal/errclass"
	"github.com/lockchaos/simrun/internal/history"
	"github.com/lockchaos/simrun/lock"
)

// releaseTimeout bounds a Release.
const releaseTimeout = 10 * time.Second

// hands are a virtual client's: they call the lock in this very process.
type hands struct {
	w      *world
	p      *process
	lock   lock.Locker
	lease  lock.Lease
	lost   <-chan struct{} // of the lease
	actor  *engine.Actor
	doing  atomic.Value // a string: the call into the lock that it is in
	tried  atomic.Bool  // an Acquire has returned
	astray atomic.Bool  // a call has failed at the address that only the own dialer reaches
}

func newHands(w *world, p *process, l lock.Locker) *hands {
	h := &hands{w: w, p: p, lock: l}
	h.actor = engine.NewActor(p.Name, w.seed, w.scenario, w.resource, h, h.emit)
	return h
}

// emit records what the client does, unless it is dead.
func (h *hands) emit(e history.Event) {
	if h.p.Alive() {
		h.w.emit(e)
	}
}

// run lets the client pass its sections. A panic in the lock's code is a finding.
func (h *hands) run() {
	returned := false
	defer func() {
		v := recover()
		if v == nil && returned {
			return
		}
		what := fmt.Sprintf("panic in %s: %v", h.call(), v)
		if v == nil {
			what = "runtime.Goexit in " + h.call() + " ended the client's goroutine"
		}
		h.emit(history.Event{
			Kind: history.Finding, Client: h.p.Name, Section: h.actor.Section(), Detail: "panic",
			Text: what + "\n\n" + string(debug.Stack()),
		})
		h.w.crash(h.p)
	}()
	h.actor.Run()
	returned = true
}

// call is the call into the lock that the client is in; empty for none.
func (h *hands) call() string {
	name, _ := h.doing.Load().(string)
	return name
}

func (h *hands) Alive() bool { return h.p.Alive() && !engine.Closed(h.w.stop) }

func (h *hands) Acquire(wait time.Duration) (fence int64, class string) {
	ctx, cancel := context.WithTimeout(context.Background(), wait)
	defer cancel()
	h.doing.Store("Acquire")
	lease, err := h.lock.Acquire(ctx)
	h.tried.Store(true)
	if err != nil {
		h.doing.Store("")
		return 0, h.class(err)
	}
	if lease == nil {
		panic("it returned no lease and no error")
	}
	h.doing.Store("Fence")
	fence = lease.Fence()
	h.doing.Store("Lost")
	h.lost = lease.Lost()
	h.doing.Store("")
	h.lease = lease
	return fence, ""
}

// Release has a context of its own, as good code does.
func (h *hands) Release() (class string) {
	ctx, cancel := context.WithTimeout(context.Background(), releaseTimeout)
	defer cancel()
	h.doing.Store("Release")
	err := h.lease.Release(ctx)
	h.doing.Store("")
	return h.class(err)
}

// class names the class of an error of a call into the lock.
func (h *hands) class(err error) string {
	if err != nil && strings.Contains(err.Error(), unreachable) {
		h.astray.Store(true)
	}
	return errclass.Of(err)
}

func (h *hands) Lost() (cause string, lost bool) {
	if !engine.Closed(h.lost) {
		return "", false
	}
	if c, ok := h.lease.(lock.Causer); ok {
		cause = errclass.Of(c.Cause())
	}
	return cause, true
}

func (h *hands) Work(d time.Duration)  { h.p.Spend(d, h.lost, h.w.stop) }
func (h *hands) Spend(d time.Duration) { h.p.Spend(d, nil, h.w.stop) }
func (h *hands) Ready()                { h.p.Stop.Pass() }

func (h *hands) ReadyToSend() {
	h.p.Hang.Pass()
	h.p.Stop.Pass()
}
