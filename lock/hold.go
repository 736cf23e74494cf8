package lock

import (
	"context"
	"fmt"
	"time"
)

// hold is the time from an owner's first entry to its last release or its loss.
// Its mutable fields are guarded by the handle's mutex.
type hold struct {
	h      *handle
	fence  int64
	lost   chan struct{}
	cancel context.CancelFunc // ends the renewal
	done   chan struct{}      // closed when the renewal has ended

	entries  []*lease    // not yet released
	over     bool        // released or lost: nothing enters it any more
	cause    error       // set before lost is closed
	guard    *time.Timer // nil unless the policy guards
	believed time.Time   // a guarded holder's lease ends here
	granted  time.Time   // Redis may keep the key until here, if nobody else renews
}

// admit makes a lease of what Redis granted to a command sent at sent. It
// returns nil where that can't be handed out: the hold that it meant to enter
// again has ended, or the reply came when its lease was over.
func (h *handle) admit(inside *hold, nonce string, fence int64, sent time.Time) Lease {
	h.mu.Lock()
	defer h.mu.Unlock()
	if inside != nil && h.hold != inside {
		return nil
	}
	now := time.Now()
	if h.policy.guard && !now.Before(leaseEnd(sent, h.cfg.lease, h.cfg.margin())) {
		return nil
	}
	if h.hold == nil {
		h.hold = h.startHold(fence, now)
	}
	if inside != nil {
		fence = inside.fence
	}
	h.hold.prolong(sent, h.cfg.lease)
	l := &lease{hold: h.hold, nonce: nonce, fence: fence}
	h.hold.entries = append(h.hold.entries, l)
	return l
}

// startHold starts the renewal. The mutex is held.
func (h *handle) startHold(fence int64, now time.Time) *hold {
	ctx, cancel := context.WithCancel(context.Background())
	hd := &hold{h: h, fence: fence, cancel: cancel, lost: make(chan struct{}), done: make(chan struct{})}
	go func() {
		defer close(hd.done)
		hd.renew(ctx, now)
	}()
	return hd
}

// prolong notes that a command sent at sent has given the key a life of d. The
// guard counts from before the command was sent: Redis, which counts from when
// it got it, can't let the key expire sooner. The mutex is held.
func (hd *hold) prolong(sent time.Time, d time.Duration) {
	hd.expect(sent, d)
	if hd.over || !hd.h.policy.guard {
		return
	}
	cfg := hd.h.cfg
	end := leaseEnd(sent, d, driftMargin(d, cfg.driftFraction, cfg.driftFixed))
	if end.Before(hd.believed) {
		return
	}
	hd.believed = end
	if hd.guard == nil {
		hd.guard = time.AfterFunc(time.Until(end), hd.distrust)
	} else {
		hd.guard.Reset(time.Until(end))
	}
}

// expect notes that a command about to give the key a life of d may be applied.
// The mutex is held.
func (hd *hold) expect(sent time.Time, d time.Duration) {
	if end := sent.Add(d); end.After(hd.granted) {
		hd.granted = end
	}
}

// distrust runs when the guard's timer fires, whatever the renewal is doing.
func (hd *hold) distrust() {
	hd.h.mu.Lock()
	defer hd.h.mu.Unlock()
	if time.Now().Before(hd.believed) {
		return // prolonged while the timer fired
	}
	if hd.endLocked(fmt.Errorf("%w: not renewed in time", ErrLeaseLost)) {
		hd.cancel()
	}
}

// lose tells the holder that it no longer holds. It does not end the renewal.
func (hd *hold) lose(cause error) {
	hd.h.mu.Lock()
	defer hd.h.mu.Unlock()
	hd.endLocked(cause)
}

// endLocked ends the hold: released where cause is nil, else lost. It reports
// false where it had ended before. The mutex is held.
func (hd *hold) endLocked(cause error) bool {
	if hd.over {
		return false
	}
	hd.over = true
	if hd.guard != nil {
		hd.guard.Stop()
	}
	if hd.h.hold == hd {
		hd.h.hold = nil
	}
	if cause != nil {
		hd.cause = cause
		close(hd.lost)
	}
	return true
}
