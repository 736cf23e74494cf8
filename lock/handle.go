package lock

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
)

// handle is one owner's view of a lock. Through it the owner enters the lock, and
// enters it again while it holds it.
type handle struct {
	store
	// resendAfter: a command that took this long may have been sent twice.
	resendAfter time.Duration
	nonces      *atomic.Int64 // of all owners; counted, not random, so that a seed fixes a run

	mu   sync.Mutex // never held over I/O, a sleep or a wait
	hold *hold      // the last one; nil at first
}

func newHandle(rdb redis.UniversalClient, key string, p policy, opts []Option) (*handle, error) {
	if err := checkClient(rdb); err != nil {
		return nil, err
	}
	n, err := newNames(key)
	if err != nil {
		return nil, err
	}
	cfg, err := newConfig(p, opts)
	if err != nil {
		return nil, err
	}
	if err := cfg.checkRenewal(); err != nil {
		return nil, err
	}
	return &handle{
		store:       store{rdb: rdb, names: n, cfg: cfg, owner: cfg.owner},
		resendAfter: resendAfter(clientTimeouts(rdb)...),
		nonces:      new(atomic.Int64),
	}, nil
}

// forOwner makes another owner's handle of the same lock.
func (h *handle) forOwner(name string) (*handle, error) {
	if err := checkOwner(name); err != nil {
		return nil, err
	}
	other := &handle{store: h.store, resendAfter: h.resendAfter, nonces: h.nonces}
	other.owner = name
	return other, nil
}

// current returns the hold that an Acquire would now enter again, or nil.
func (h *handle) current() *hold {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.hold == nil || h.hold.isOver() {
		return nil
	}
	return h.hold
}

// admit makes a lease of what Redis granted to a command sent at sent. reentered
// is the hold that the command meant to enter again, or nil. admit returns nil if
// that hold has ended, or if the reply came when its lease was already over.
func (h *handle) admit(reentered *hold, nonce string, fence int64, sent time.Time) *entry {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := time.Now()
	if h.cfg.guard && !now.Before(leaseEnd(sent, h.cfg.lease, h.cfg.margin())) {
		return nil
	}
	if reentered != nil {
		return reentered.add(nonce, reentered.fence, sent)
	}
	if h.hold != nil {
		if e := h.hold.add(nonce, fence, sent); e != nil {
			return e
		}
	}
	h.hold = startHold(h.store, fence, now)
	return h.hold.add(nonce, fence, sent)
}

// ForceRelease deletes the key, whoever holds it, and reports whether it existed.
// A lease of this owner is lost at once, with [ErrLeaseLost]; a holder in another
// process notices at its next renewal. If the reply is lost, go-redis resends the
// command, and the second copy finds no key.
func (h *handle) ForceRelease(ctx context.Context) (bool, error) {
	if hd := h.current(); hd != nil {
		hd.lose(fmt.Errorf("%w: released by force", ErrLeaseLost))
		hd.cancel()
	}
	n, err := forceReleaseScript.Run(ctx, h.rdb, []string{h.names.key}, h.names.channel).Int()
	if err != nil {
		return false, fmt.Errorf("force release of lock %q: %w", h.names.key, callError(ctx, err))
	}
	return n == 1, nil
}

// attempt is one Acquire of a handle. All its requests carry one nonce, so
// whatever became of an earlier request, a later one cannot count twice.
type attempt struct {
	*waiting
	h          *handle
	nonce      string
	doubtful   bool // a copy of the command may have been applied, or may be yet
	wake       *wake
	wakeErrors int // waits in a row without a subscription
}

// outcome is the result of one request.
type outcome int

const (
	outcomeGranted  outcome = iota
	outcomeRefused          // another owner holds the lock
	outcomeNoAnswer         // Redis did not answer
	outcomeRetry            // ask again at once
)

// Acquire blocks until the lock is held, ctx is done or the wait is over; see
// [Locker] for its errors. An owner that holds the lock enters it once more: each
// lease must be released once, and all leases of one hold share its renewal and
// its Lost channel.
//
// A failed Acquire that may have taken the lock tries to give it up before it
// returns, which may take a second and the client's read timeout.
func (h *handle) Acquire(ctx context.Context) (Lease, error) {
	a := h.newAttempt(ctx)
	defer a.close()
	for !a.ended() {
		lease, pttl, outcome := a.request()
		switch outcome {
		case outcomeGranted:
			return lease, nil
		case outcomeRefused:
			a.waitForWake(pttl)
		case outcomeNoAnswer:
			if isHopeless(a.failure) {
				return nil, a.giveUp()
			}
			a.pause(a.failures - 1)
		case outcomeRetry:
		}
	}
	return nil, a.giveUp()
}

// TryAcquire tries once. It fails with [ErrNotAcquired] if another owner holds
// the lock.
func (h *handle) TryAcquire(ctx context.Context) (Lease, error) {
	a := h.newAttempt(ctx)
	defer a.close()
	for !a.ended() {
		lease, _, outcome := a.request()
		if outcome == outcomeGranted {
			return lease, nil
		}
		if outcome != outcomeRetry {
			break
		}
	}
	return nil, a.giveUp()
}

func (h *handle) newAttempt(ctx context.Context) *attempt {
	a := &attempt{waiting: newWaiting(ctx, h.cfg, h.names.key), h: h}
	a.newNonce()
	return a
}

func (a *attempt) newNonce() {
	a.nonce = a.h.owner + "#" + strconv.FormatInt(a.h.nonces.Add(1), 10)
	a.doubtful = false
}

func (a *attempt) close() {
	a.cancel()
	if a.wake != nil {
		a.wake.close()
	}
}

// request asks Redis for the lock. If it is refused, pttl is the key's remaining life.
func (a *attempt) request() (granted *entry, pttl time.Duration, result outcome) {
	inside := a.h.current()
	sent := time.Now()
	answer, value, err := a.h.enter(a.ctx, a.nonce, inside != nil)
	if err != nil || time.Since(sent) >= a.h.resendAfter {
		a.doubtful = true
	}
	if err != nil {
		a.noteFailure(err)
		return nil, 0, outcomeNoAnswer
	}
	switch answer {
	case answerHeld:
		if e := a.h.admit(inside, a.nonce, value, sent); e != nil {
			return e, 0, outcomeGranted
		}
		// Granted, but over before it could be handed out.
		a.h.undo(a.parent, a.nonce)
		a.newNonce()
		return nil, 0, outcomeRetry
	case answerOthers:
		a.noteRefusal()
		return nil, time.Duration(value) * time.Millisecond, outcomeRefused
	case answerSpent:
		a.newNonce()
		return nil, 0, outcomeRetry
	default: // answerLost
		inside.lose(ErrLeaseLost)
		inside.cancel()
		return nil, 0, outcomeRetry
	}
}

// waitForWake waits for a release, at most for the key's life. Without a
// subscription it polls.
func (a *attempt) waitForWake(pttl time.Duration) {
	if a.wake == nil {
		a.wake = newWake(a.h.rdb, a.h.names.channel)
	}
	if a.wake.wait(a.ctx, wakeBound(pttl, a.cfg.lease)) == nil {
		a.wakeErrors = 0
	} else if !a.ended() {
		a.pause(a.wakeErrors)
		a.wakeErrors++
	}
}

// giveUp returns why there is no lease, and leaves no key behind.
func (a *attempt) giveUp() error {
	err := a.err()
	if a.doubtful {
		a.h.undo(a.parent, a.nonce)
	}
	return err
}
