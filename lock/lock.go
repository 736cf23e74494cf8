// Package lock holds simrun's reference locks on Redis: a ladder of strategies,
// each of which mends what the one below it shows broken.
//
//   - [NewNaive]: SET NX PX, released by a plain DEL.
//   - [NewToken]: SET NX PX of a random token, released by compare-and-delete.
//   - [NewWatchdog]: a reentrant hash lock, renewed until released, as Redisson's RLock.
//   - [NewCapped]: a watchdog that gives up after a number of renewals.
//   - [NewGuarded]: a watchdog that also counts its lease on its own clock.
//   - [NewFenced]: a guarded lock that hands out fencing tokens.
//
// Goals: a library that a service can import as it is, on any
// redis.UniversalClient (single node, Sentinel or Cluster), with honest errors.
// Non-goals: a quorum over several servers, fairness between waiters, and
// anything that knows of simulation: this package imports nothing of simrun.
package lock

import (
	"context"
	"errors"
)

// Locker is what anybody's lock must offer to be tested.
type Locker interface {
	// Acquire blocks until the lock is held or ctx is done. It fails with
	// [ErrNotAcquired] where somebody else held the lock for the whole of the
	// wait, and with [ErrNoAnswer] where Redis did not answer the last try; the
	// context's own error is joined to it where ctx ended the wait, or comes
	// alone where ctx ended before anything was known.
	Acquire(ctx context.Context) (Lease, error)
}

// Lease is a held lock and its lifetime.
type Lease interface {
	// Lost is closed once the holder knows that it no longer holds the lock.
	// It is nil if the lock never tells. A released lease is not a lost one:
	// Release does not close Lost.
	Lost() <-chan struct{}
	// Fence is the fencing token: it grows with every acquisition of the same
	// key. It is 0 if the lock has none.
	Fence() int64
	// Release gives the lock up. It fails with [ErrNotHeld] where the lock is
	// no longer ours.
	Release(ctx context.Context) error
}

// Causer is offered by a lease that can say why it was lost.
type Causer interface {
	// Cause is nil until Lost is closed; then it wraps [ErrLeaseLost] or
	// [ErrRenewalCapped].
	Cause() error
}

// The errors of this package, told apart with errors.Is.
var (
	// ErrNotAcquired: somebody else holds the lock.
	ErrNotAcquired = errors.New("lock not acquired: somebody else holds it")
	// ErrNoAnswer: Redis was not reached, or answered with an error of its own,
	// which is joined to it.
	ErrNoAnswer = errors.New("no answer from redis")
	// ErrNotHeld: a release found that the lock is not, or no longer, ours.
	ErrNotHeld = errors.New("lock not held by this owner")
	// ErrLeaseLost: the lease ended under its holder.
	ErrLeaseLost = errors.New("lease lost")
	// ErrRenewalCapped: the lease was renewed as often as it may be.
	ErrRenewalCapped = errors.New("lease reached its renewal cap")
)
