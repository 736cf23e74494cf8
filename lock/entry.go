package lock

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// Lost is closed when the holder learns that it no longer holds the lock. All
// leases of one hold share it.
func (e *entry) Lost() <-chan struct{} { return e.hold.lost }

// Fence returns the fencing token of the hold, or 0 if the strategy has none.
func (e *entry) Fence() int64 { return e.fence }

// Cause returns nil until Lost is closed, and then an error that wraps
// [ErrLeaseLost] or [ErrRenewalCapped].
func (e *entry) Cause() error {
	e.hold.mu.Lock()
	defer e.hold.mu.Unlock()
	return e.hold.cause
}

// Release gives this entry up. The last entry of a hold frees the lock; it ends
// the renewal before it sends anything, so that no renewal follows the release.
//
// Release ignores the end of ctx, which is often the end of the work that the
// lock protected. It takes as long as Redis needs: at most 20 s for a renewal in
// flight, and 20 s for itself. It fails with [ErrNotHeld] if the lease was
// released before or no longer holds the lock, and with [ErrNoAnswer] if Redis
// could not be reached; then it may be called again, or else the key expires.
func (e *entry) Release(ctx context.Context) error {
	last, err := e.begin()
	if err != nil {
		return err
	}
	if last {
		e.hold.stopRenewal()
	}
	held := false
	if !e.isForfeited() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseBound)
		defer cancel()
		held, err = e.hold.leave(ctx, e.nonce)
	}
	return e.finish(held, err)
}

// begin takes the lease out of its hold and reports whether it was the last one.
func (e *entry) begin() (last bool, err error) {
	hd := e.hold
	hd.mu.Lock()
	defer hd.mu.Unlock()
	if e.released {
		return false, fmt.Errorf("release lock %q: %w: released before", hd.names.key, ErrNotHeld)
	}
	e.released = true
	hd.entries = slices.DeleteFunc(hd.entries, func(other *entry) bool { return other == e })
	if len(hd.entries) > 0 {
		return false, nil
	}
	hd.endLocked(nil)
	return true, nil
}

// finish turns Redis's answer into the result of Release.
func (e *entry) finish(held bool, err error) error {
	hd := e.hold
	hd.mu.Lock()
	defer hd.mu.Unlock()
	switch {
	case err != nil:
		e.released = false
		hd.entries = append(hd.entries, e)
		return fmt.Errorf("release lock %q: %w", hd.names.key, noAnswer(err))
	case held:
		return nil
	}
	// If Redis has lost one entry, it has lost all of them.
	if hd.endLocked(ErrLeaseLost) {
		hd.cancel()
	}
	return e.notHeldLocked("release")
}

// notHeldLocked is ErrNotHeld with the cause, if it is known. The mutex is held.
func (e *entry) notHeldLocked(what string) error {
	if e.hold.cause == nil {
		return fmt.Errorf("%s lock %q: %w", what, e.hold.names.key, ErrNotHeld)
	}
	return fmt.Errorf("%s lock %q: %w: %w", what, e.hold.names.key, ErrNotHeld, e.hold.cause)
}

// stopRenewal waits for a renewal in flight, which go-redis does not abort.
func (hd *hold) stopRenewal() {
	hd.cancel()
	bound := time.NewTimer(releaseBound)
	defer bound.Stop()
	select {
	case <-hd.done:
	case <-bound.C:
	}
}

func (e *entry) isForfeited() bool {
	e.hold.mu.Lock()
	defer e.hold.mu.Unlock()
	return e.forfeited
}

// Extend makes the key live for at least d from now. It never shortens the key's
// life, and does not count as a renewal of a capped lease. It fails with
// [ErrNotHeld] if this lease no longer holds the lock, and with [ErrNoAnswer] if
// Redis could not be reached.
func (e *entry) Extend(ctx context.Context, d time.Duration) error {
	hd, sent := e.hold, time.Now()
	if d < time.Millisecond {
		return fmt.Errorf("extend lock %q: %v is shorter than 1ms", hd.names.key, d)
	}
	d = d.Truncate(time.Millisecond)
	if err := e.expectExtension(sent, d); err != nil {
		return err
	}
	ours, err := hd.renew(ctx, d)
	if err != nil {
		return fmt.Errorf("extend lock %q: %w", hd.names.key, callError(ctx, err))
	}
	hd.mu.Lock()
	defer hd.mu.Unlock()
	if ours {
		hd.prolongLocked(sent, d)
		return nil
	}
	if hd.endLocked(fmt.Errorf("%w: the key is gone or has another owner", ErrLeaseLost)) {
		hd.cancel()
	}
	return e.notHeldLocked("extend")
}

// expectExtension notes an extension that is about to be sent.
func (e *entry) expectExtension(sent time.Time, d time.Duration) error {
	e.hold.mu.Lock()
	defer e.hold.mu.Unlock()
	if e.released || e.hold.over {
		return e.notHeldLocked("extend")
	}
	e.hold.expectLocked(sent, d)
	return nil
}
