package live

import (
	"context"
	"time"

	"github.com/lockchaos/simrun/sim/errclass"
	"github.com/lockchaos/simrun/sim/live/worker"
)

// hands are a live client's: its process has the lock and does the work.
type hands struct {
	c     *client
	ctx   context.Context
	cause string // why the lease is lost, once the process has said so
}

func (h *hands) Alive() bool {
	select {
	case <-h.c.w.stop:
		return false
	default:
		return h.c.alive()
	}
}

// ask sends one request. A process that does not answer it as it should is a
// finding, and dead.
func (h *hands) ask(what string, request func() (worker.Answer, error)) (worker.Answer, bool) {
	a, err := request()
	if err != nil {
		h.c.failed(what, err)
		return worker.Answer{}, false
	}
	return a, true
}

func (h *hands) Acquire(wait time.Duration) (fence int64, class string) {
	h.cause = ""
	a, ok := h.ask("acquire", func() (worker.Answer, error) {
		return h.c.proc.Acquire(h.ctx, h.c.w.clock.Real(wait))
	})
	switch {
	case !ok:
		return 0, errclass.Other
	case !a.OK:
		return 0, a.Error
	}
	return a.Fence, ""
}

func (h *hands) Release() (class string) {
	a, ok := h.ask("release", func() (worker.Answer, error) { return h.c.proc.Release(h.ctx) })
	switch {
	case !ok:
		return errclass.Other
	case !a.OK:
		return a.Error
	}
	return ""
}

// Lost asks the lock. Where work ended early, it is known already.
func (h *hands) Lost() (cause string, lost bool) {
	if h.cause != "" {
		return h.cause, true
	}
	a, ok := h.ask("check", func() (worker.Answer, error) { return h.c.proc.Check(h.ctx) })
	if !ok || a.OK {
		return "", false
	}
	h.cause = a.Lost
	return a.Lost, true
}

func (h *hands) Work(d time.Duration) {
	a, ok := h.ask("work", func() (worker.Answer, error) { return h.c.proc.Work(h.ctx, h.c.w.clock.Real(d)) })
	if ok && !a.OK {
		h.cause = a.Lost
	}
	h.c.stop.Pass()
	h.c.hang.Pass()
}

// Spend is time in which the client does nothing that its process would have to
// do. It does not pass while the process is stopped.
func (h *hands) Spend(d time.Duration) {
	d = h.c.w.clock.Real(d)
	for h.Alive() {
		h.c.stop.Pass()
		h.c.hang.Pass()
		if d <= 0 {
			return
		}
		begun := time.Now()
		timer := time.NewTimer(d)
		select {
		case <-timer.C:
		case <-h.c.stop.Stopped():
		case <-h.c.hang.Stopped():
		case <-h.c.dead:
		case <-h.c.w.stop:
		}
		timer.Stop()
		d -= time.Since(begun)
	}
}

func (h *hands) Ready() { h.c.stop.Pass() }

// ReadyToSend returns when the process has said that it sends: a stopped one
// does not.
func (h *hands) ReadyToSend() {
	h.c.hang.Pass()
	h.ask("send", func() (worker.Answer, error) { return worker.Answer{OK: true}, h.c.proc.Send(h.ctx) })
	h.c.stop.Pass()
}
