package live

import (
	"context"
	"time"

	"github.com/lockchaos/simrun/internal/engine"
	"github.com/lockchaos/simrun/internal/errclass"
	"github.com/lockchaos/simrun/internal/live/worker"
)

// hands are a live client's: its process has the lock and does the work.
type hands struct {
	c     *client
	ctx   context.Context
	cause string // why the lease is lost, once the process has said so
}

func (h *hands) Alive() bool {
	return h.c.Alive() && !engine.Closed(h.c.w.stop)
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
	h.c.Stop.Pass()
	h.c.Hang.Pass()
}

// Spend is time in which the client does nothing that its process would have to
// do.
func (h *hands) Spend(d time.Duration) { h.c.Spend(h.c.w.clock.Real(d), nil, h.c.w.stop) }

func (h *hands) Ready() { h.c.Stop.Pass() }

// ReadyToSend returns when the process has said that it sends: a stopped one
// does not.
func (h *hands) ReadyToSend() {
	h.c.Hang.Pass()
	h.ask("send", func() (worker.Answer, error) { return worker.Answer{OK: true}, h.c.proc.Send(h.ctx) })
	h.c.Stop.Pass()
}
