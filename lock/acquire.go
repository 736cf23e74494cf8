package lock

import (
	"context"
	"time"
)

// attempt is one Acquire of a handle. All its tries carry one nonce, so whatever
// became of an earlier try, a later one cannot count twice.
type attempt struct {
	*waiting
	h        *handle
	nonce    string
	doubtful bool // a copy of the command may have been, or be yet, applied
	wake     *wake
	deaf     int // waits in a row without a subscription
}

// outcome of one try.
type outcome int

const (
	granted outcome = iota
	refused         // somebody else holds the lock
	failed          // Redis did not answer
	again           // ask anew, at once
)

// Acquire blocks until the lock is held, ctx is done or the wait is over; see
// [Locker] for its errors. An owner that holds the lock enters it once more:
// every Acquire's lease is to be released once, and all leases of one hold share
// its renewal and its Lost channel.
//
// A failed Acquire that may yet have taken the lock tries to give it up again
// before it returns, which may take a second and the client's read timeout.
func (h *handle) Acquire(ctx context.Context) (Lease, error) {
	a := h.newAttempt(ctx)
	defer a.close()
	for !a.ended() {
		lease, pttl, outcome := a.try()
		switch outcome {
		case granted:
			return lease, nil
		case refused:
			a.waitForWake(pttl)
		case failed:
			if isHopeless(a.failure) {
				return nil, a.giveUp()
			}
			a.pause(a.failures - 1)
		case again:
		}
	}
	return nil, a.giveUp()
}

// TryAcquire asks once. It fails with [ErrNotAcquired] if somebody else holds
// the lock.
func (h *handle) TryAcquire(ctx context.Context) (Lease, error) {
	a := h.newAttempt(ctx)
	defer a.close()
	for !a.ended() {
		lease, _, outcome := a.try()
		if outcome == granted {
			return lease, nil
		}
		if outcome != again {
			break
		}
	}
	return nil, a.giveUp()
}

func (h *handle) newAttempt(ctx context.Context) *attempt {
	return &attempt{waiting: newWaiting(ctx, h.cfg, h.names.key), h: h, nonce: h.nextNonce()}
}

func (a *attempt) close() {
	a.cancel()
	if a.wake != nil {
		a.wake.close()
	}
}

func (a *attempt) try() (Lease, time.Duration, outcome) {
	inside := a.h.current()
	sent := time.Now()
	answer, value, err := a.h.send(a.ctx, a.nonce, inside != nil)
	if err != nil || time.Since(sent) >= a.h.resendAfter {
		a.doubtful = true
	}
	if err != nil {
		a.failed(err)
		return nil, 0, failed
	}
	switch answer {
	case answerHeld:
		if lease := a.h.admit(inside, a.nonce, value, sent); lease != nil {
			return lease, 0, granted
		}
		// Granted, but over before it could be handed out.
		a.h.undo(a.parent, a.nonce)
		a.renewNonce()
		return nil, 0, again
	case answerOthers:
		a.answered()
		return nil, time.Duration(value) * time.Millisecond, refused
	case answerSpent:
		a.renewNonce()
		return nil, 0, again
	default: // answerLost
		inside.lose(ErrLeaseLost)
		inside.cancel()
		return nil, 0, again
	}
}

func (a *attempt) renewNonce() {
	a.nonce, a.doubtful = a.h.nextNonce(), false
}

// waitForWake waits for a release, at most as long as the key lives. Without a
// subscription it polls.
func (a *attempt) waitForWake(pttl time.Duration) {
	if a.wake == nil {
		a.wake = newWake(a.h.rdb, a.h.names.channel)
	}
	if a.wake.wait(a.ctx, wakeBound(pttl, a.cfg.lease)) == nil {
		a.deaf = 0
	} else if !a.ended() {
		a.pause(a.deaf)
		a.deaf++
	}
}

// giveUp tells why there is no lease, and leaves no key behind.
func (a *attempt) giveUp() error {
	err := a.err()
	if a.doubtful {
		a.h.undo(a.parent, a.nonce)
	}
	return err
}
