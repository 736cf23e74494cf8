package live

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/lockchaos/simrun/internal/engine"
	"github.com/lockchaos/simrun/internal/errclass"
	"github.com/lockchaos/simrun/internal/history"
	"github.com/lockchaos/simrun/internal/live/tap"
	"github.com/lockchaos/simrun/internal/live/worker"
	"github.com/lockchaos/simrun/internal/proc"
)

// client is one worker process with its own path to Redis.
type client struct {
	*engine.Life
	proc   *worker.Process
	tap    *tap.Tap
	proxy  *proxy
	actor  *engine.Actor
	record func(history.Event)
}

// emit records what the client does, unless it is dead.
func (c *client) emit(e history.Event) {
	if c.Alive() {
		c.record(e)
	}
}

// failed records that the worker died, broke the protocol or did not answer.
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

// classOf is the class of the finding for an error of a worker.
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

// driver drives the lock in a client's worker process.
type driver struct {
	c     *client
	clock engine.Clock
	ctx   context.Context
	over  <-chan struct{} // closed when the run ends
	cause string          // why the lease is lost, once the process has said so
}

func (d *driver) Alive() bool { return d.c.Alive() }
func (d *driver) Over() bool  { return engine.Closed(d.over) }

// checked returns the answer to a request. One that fails is a finding, and kills
// the client.
func (d *driver) checked(what string) func(worker.Answer, error) (a worker.Answer, ok bool) {
	return func(a worker.Answer, err error) (worker.Answer, bool) {
		if err != nil {
			d.c.failed(what, err)
		}
		return a, err == nil
	}
}

func (d *driver) Acquire(wait time.Duration) (fence int64, class string) {
	d.cause = ""
	a, ok := d.checked("acquire")(d.c.proc.Acquire(d.ctx, d.clock.Real(wait)))
	switch {
	case !ok:
		return 0, errclass.Other
	case !a.OK:
		return 0, a.Error
	}
	return a.Fence, ""
}

func (d *driver) Release() (class string) {
	a, ok := d.checked("release")(d.c.proc.Release(d.ctx))
	switch {
	case !ok:
		return errclass.Other
	case !a.OK:
		return a.Error
	}
	return ""
}

// Lost asks the lock, unless work has ended early and given the answer.
func (d *driver) Lost() (cause string, lost bool) {
	if d.cause != "" {
		return d.cause, true
	}
	a, ok := d.checked("check")(d.c.proc.Check(d.ctx))
	if !ok || a.OK {
		return "", false
	}
	d.cause = a.Lost
	return a.Lost, true
}

func (d *driver) Work(t time.Duration) {
	a, ok := d.checked("work")(d.c.proc.Work(d.ctx, d.clock.Real(t)))
	if ok && !a.OK {
		d.cause = a.Lost
	}
	d.c.Stop.Pass()
	d.c.Hang.Pass()
}

// Spend is time in which the client does nothing that involves its process.
func (d *driver) Spend(t time.Duration) { d.c.Spend(d.clock.Real(t), nil, d.over) }

func (d *driver) Ready() { d.c.Stop.Pass() }

// ReadyToSend returns once the process has said that it is about to send, which a
// stopped process does not.
func (d *driver) ReadyToSend() {
	d.c.Hang.Pass()
	if err := d.c.proc.Send(d.ctx); err != nil {
		d.c.failed("send", err)
	}
	d.c.Stop.Pass()
}
