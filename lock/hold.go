package lock

import (
	"fmt"
	"slices"
	"sync"
	"time"
)

// hold lasts from an owner's first entry to its last release or its loss.
type hold struct {
	store
	fence  int64
	lost   chan struct{}
	cancel func()        // ends the renewal
	done   chan struct{} // closed when the renewal has ended

	mu       sync.Mutex  // guards all below; never held over I/O, a sleep or a wait
	entries  []*entry    // not yet released
	over     bool        // released or lost: nothing can enter it
	cause    error       // set before lost is closed
	guard    *time.Timer // nil unless the policy guards
	believed time.Time   // a guarded holder considers its lease over at this time
	expiry   time.Time   // the latest time at which Redis may expire the key, if nobody else renews it
}

// entry is one acquisition of a hold: the lease that its holder gets.
type entry struct {
	hold  *hold
	nonce string
	fence int64

	// Guarded by the hold's mutex.
	released  bool
	forfeited bool // taken away at the cap
}

// add adds an entry that Redis granted to a command sent at sent. It returns
// nil if the hold is over.
func (hd *hold) add(nonce string, fence int64, sent time.Time) *entry {
	hd.mu.Lock()
	defer hd.mu.Unlock()
	if hd.over {
		return nil
	}
	hd.prolongLocked(sent, hd.cfg.lease)
	e := &entry{hold: hd, nonce: nonce, fence: fence}
	hd.entries = append(hd.entries, e)
	return e
}

func (hd *hold) isOver() bool {
	hd.mu.Lock()
	defer hd.mu.Unlock()
	return hd.over
}

// prolongLocked notes that a command sent at sent made the key live for d. The
// guard counts from before the command was sent: Redis counts from when it
// received it, so the key cannot expire sooner. The mutex is held.
func (hd *hold) prolongLocked(sent time.Time, d time.Duration) {
	hd.expectLocked(sent, d)
	if hd.over || !hd.cfg.guard {
		return
	}
	end := leaseEnd(sent, d, driftMargin(d, hd.cfg.driftFraction, hd.cfg.driftFixed))
	if end.Before(hd.believed) {
		return
	}
	hd.believed = end
	if hd.guard == nil {
		hd.guard = time.AfterFunc(time.Until(end), hd.guardFired)
	} else {
		hd.guard.Reset(time.Until(end))
	}
}

// expectLocked notes that a command which makes the key live for d may be applied.
// The mutex is held.
func (hd *hold) expectLocked(sent time.Time, d time.Duration) {
	if end := sent.Add(d); end.After(hd.expiry) {
		hd.expiry = end
	}
}

// guardFired ends a guarded lease, whatever the renewal is doing.
func (hd *hold) guardFired() {
	hd.mu.Lock()
	defer hd.mu.Unlock()
	if time.Now().Before(hd.believed) {
		return // prolonged while the timer fired
	}
	if hd.endLocked(fmt.Errorf("%w: not renewed in time", ErrLeaseLost)) {
		hd.cancel()
	}
}

// lose informs the holder that it no longer holds. It does not end the renewal.
func (hd *hold) lose(cause error) {
	hd.mu.Lock()
	defer hd.mu.Unlock()
	hd.endLocked(cause)
}

// endLocked ends the hold: released if cause is nil, otherwise lost. It reports
// false if the hold had ended before. The mutex is held.
func (hd *hold) endLocked(cause error) bool {
	if hd.over {
		return false
	}
	hd.over = true
	if hd.guard != nil {
		hd.guard.Stop()
	}
	if cause != nil {
		hd.cause = cause
		close(hd.lost)
	}
	return true
}

// forfeit takes the entries away from a holder that has not released them.
func (hd *hold) forfeit() []*entry {
	hd.mu.Lock()
	defer hd.mu.Unlock()
	for _, e := range hd.entries {
		e.forfeited = true
	}
	return slices.Clone(hd.entries)
}

// giveBack undoes forfeit.
func (hd *hold) giveBack(entries []*entry) {
	hd.mu.Lock()
	defer hd.mu.Unlock()
	for _, e := range entries {
		e.forfeited = false
	}
}
