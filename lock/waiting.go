package lock

import (
	"context"
	"fmt"
	"time"
)

// waiting is one Acquire's time and what it has learnt so far.
type waiting struct {
	parent   context.Context // the caller's
	ctx      context.Context // the caller's, bounded by the wait
	cancel   context.CancelFunc
	cfg      config
	key      string
	refused  bool  // Redis has answered, and said no
	failure  error // of the last try; nil where Redis answered it
	failures int   // in a row
}

func newWaiting(parent context.Context, cfg config, key string) *waiting {
	w := &waiting{parent: parent, cfg: cfg, key: key}
	if cfg.wait > 0 {
		w.ctx, w.cancel = context.WithTimeout(parent, cfg.wait)
	} else {
		w.ctx, w.cancel = context.WithCancel(parent)
	}
	return w
}

// ended compares times too: a deadline that falls together with another event
// is over, whichever of the two woke us.
func (w *waiting) ended() bool {
	return w.ctx.Err() != nil || isPast(w.ctx)
}

func isPast(ctx context.Context) bool {
	deadline, ok := ctx.Deadline()
	return ok && !time.Now().Before(deadline)
}

// answered notes a refusal.
func (w *waiting) answered() {
	w.refused, w.failure, w.failures = true, nil, 0
}

// failed notes a try without an answer. A try that our own context cut short
// says nothing of Redis.
func (w *waiting) failed(err error) {
	if isContextError(err) && w.ended() {
		return
	}
	w.failure = err
	w.failures++
}

// pause waits after the n-th try, n counted from 0.
func (w *waiting) pause(n int) {
	d := backoff(n, w.cfg.pollMin, w.cfg.pollMax, w.cfg.jitter())
	sleepUntil(w.ctx, time.Now().Add(d))
}

// err is why the waiting came to nothing; see [Locker].
func (w *waiting) err() error {
	var why error
	switch {
	case w.failure != nil:
		why = noAnswer(w.failure)
	case w.refused:
		why = ErrNotAcquired
	}
	ended := w.parent.Err()
	if ended == nil && isPast(w.parent) {
		ended = context.DeadlineExceeded
	}
	switch {
	case why == nil && ended == nil:
		return fmt.Errorf("acquire lock %q: %w within the wait", w.key, ErrNoAnswer)
	case why == nil:
		return fmt.Errorf("acquire lock %q: %w", w.key, ended)
	case ended == nil:
		return fmt.Errorf("acquire lock %q: %w", w.key, why)
	}
	return fmt.Errorf("acquire lock %q: %w: %w", w.key, why, ended)
}

// sleepUntil reports whether t came before ctx ended. Where both came, ctx did.
func sleepUntil(ctx context.Context, t time.Time) bool {
	timer := time.NewTimer(time.Until(t))
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
	return ctx.Err() == nil
}
