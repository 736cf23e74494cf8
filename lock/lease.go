package lock

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// lease is one entry of a hold.
type lease struct {
	hold  *hold
	nonce string
	fence int64

	// Guarded by the handle's mutex.
	released  bool
	forfeited bool // the cap has taken it away
}

// Lost is closed once the holder knows that it no longer holds the lock. All
// leases of one hold share it.
func (l *lease) Lost() <-chan struct{} { return l.hold.lost }

// Fence is the fencing token of the hold, 0 where the strategy has none.
func (l *lease) Fence() int64 { return l.fence }

// Cause is nil until Lost is closed; then it wraps [ErrLeaseLost] or
// [ErrRenewalCapped].
func (l *lease) Cause() error {
	l.hold.h.mu.Lock()
	defer l.hold.h.mu.Unlock()
	return l.hold.cause
}

// Release gives this entry up; the hold's last one frees the lock and ends the
// renewal before it sends anything, so that no renewal lands after it.
//
// It does not heed the end of ctx, which is often the end of the work that the
// lock guarded: it takes as long as Redis needs, at most 20 s for a renewal under
// way and 20 s for itself. It fails with [ErrNotHeld] where the lease was
// released before or is no longer ours, and with [ErrNoAnswer] where Redis was
// not reached; then it may be called again, and the key ends with its lease.
func (l *lease) Release(ctx context.Context) error {
	last, err := l.begin()
	if err != nil {
		return err
	}
	if last {
		l.hold.stopRenewal()
	}
	held := false
	if !l.isForfeited() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseBound)
		defer cancel()
		held, err = l.hold.h.sendRelease(ctx, l.nonce)
	}
	return l.finish(held, err)
}

// begin takes the lease out of its hold and reports whether it was the last.
func (l *lease) begin() (last bool, err error) {
	h := l.hold.h
	h.mu.Lock()
	defer h.mu.Unlock()
	if l.released {
		return false, fmt.Errorf("release lock %q: %w: released before", h.names.key, ErrNotHeld)
	}
	l.released = true
	l.hold.entries = slices.DeleteFunc(l.hold.entries, func(e *lease) bool { return e == l })
	if len(l.hold.entries) > 0 {
		return false, nil
	}
	l.hold.endLocked(nil)
	return true, nil
}

// finish turns Redis's answer into Release's.
func (l *lease) finish(held bool, err error) error {
	h := l.hold.h
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case err != nil:
		l.released = false
		l.hold.entries = append(l.hold.entries, l)
		return fmt.Errorf("release lock %q: %w", h.names.key, noAnswer(err))
	case held:
		return nil
	}
	// Where one entry is gone from Redis, all entries are.
	if l.hold.endLocked(ErrLeaseLost) {
		l.hold.cancel()
	}
	return l.notHeld("release")
}

// notHeld is ErrNotHeld with what the hold knows of it. The mutex is held.
func (l *lease) notHeld(what string) error {
	if l.hold.cause == nil {
		return fmt.Errorf("%s lock %q: %w", what, l.hold.h.names.key, ErrNotHeld)
	}
	return fmt.Errorf("%s lock %q: %w: %w", what, l.hold.h.names.key, ErrNotHeld, l.hold.cause)
}

// stopRenewal waits for a renewal under way, which go-redis does not abort.
func (hd *hold) stopRenewal() {
	hd.cancel()
	bound := time.NewTimer(releaseBound)
	defer bound.Stop()
	select {
	case <-hd.done:
	case <-bound.C:
	}
}

func (l *lease) isForfeited() bool {
	l.hold.h.mu.Lock()
	defer l.hold.h.mu.Unlock()
	return l.forfeited
}

// Extend lets the key live at least d from now, and never shortens its life. It
// fails with [ErrNotHeld] where the lock is no longer ours, with [ErrNoAnswer]
// where Redis was not reached. It does not count as a renewal of a capped lease.
func (l *lease) Extend(ctx context.Context, d time.Duration) error {
	h, sent := l.hold.h, time.Now()
	if d < time.Millisecond {
		return fmt.Errorf("extend lock %q: %v is shorter than 1ms", h.names.key, d)
	}
	d = d.Truncate(time.Millisecond)
	if err := l.expect(sent, d); err != nil {
		return err
	}
	ours, err := h.sendRenewal(ctx, d)
	if err != nil {
		return fmt.Errorf("extend lock %q: %w", h.names.key, callError(ctx, err))
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if ours {
		l.hold.prolong(sent, d)
		return nil
	}
	if l.hold.endLocked(fmt.Errorf("%w: the key is gone or has another owner", ErrLeaseLost)) {
		l.hold.cancel()
	}
	return l.notHeld("extend")
}

// expect notes an extension about to be sent.
func (l *lease) expect(sent time.Time, d time.Duration) error {
	l.hold.h.mu.Lock()
	defer l.hold.h.mu.Unlock()
	if l.released || l.hold.over {
		return l.notHeld("extend")
	}
	l.hold.expect(sent, d)
	return nil
}
