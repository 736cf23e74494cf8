// Package lock provides simrun's reference locks on Redis: a ladder of strategies,
// each of which fixes what the one below it gets wrong.
//
//   - [NewNaive]: SET NX PX, released by a plain DEL.
//   - [NewToken]: SET NX PX with a random token, released by compare-and-delete.
//   - [NewWatchdog]: a reentrant lock in a hash, renewed until it is released, like Redisson's RLock.
//   - [NewCapped]: a watchdog that gives up after a number of renewals.
//   - [NewGuarded]: a watchdog that also tracks its lease on its own clock.
//   - [NewFenced]: a guarded lock that hands out fencing tokens.
//
// Goals: a library that a service can import as it is, on any
// redis.UniversalClient (single node, Sentinel or Cluster), with precise errors.
// Non-goals: a quorum over several servers, fairness between waiters, and any
// knowledge of simulation: this package imports nothing else of simrun.
//
// Locks and leases may offer more than [Locker] and [Lease]. Use a type
// assertion to ask for it:
//
//	           naive  token  watchdog, capped, guarded, fenced
//	lock:
//	Trier        x      x      x
//	Lifetimer    x      x      x
//	HoldCounter                x
//	Forcer                     x
//	lease:
//	Extender            x      x
//	Causer                     x
package lock

import (
	"context"
	"errors"
	"time"
)

// Locker is the interface that a lock must implement to be tested.
type Locker interface {
	// Acquire blocks until the lock is held or ctx is done. It fails with
	// [ErrNotAcquired] if another owner held the lock for the whole wait, and
	// with [ErrNoAnswer] if Redis did not answer the last attempt. If ctx ended
	// the wait, its error is joined to these, or is returned alone if ctx ended
	// before Redis said anything.
	Acquire(ctx context.Context) (Lease, error)
}

// Lease is one acquisition of a lock.
type Lease interface {
	// Lost is closed when the holder learns that it no longer holds the lock.
	// It is nil if the strategy never detects a loss. Release does not close it.
	Lost() <-chan struct{}
	// Fence returns the fencing token, which grows with every acquisition of
	// the same key, or 0 if the strategy has none.
	Fence() int64
	// Release gives the lock up. It fails with [ErrNotHeld] if this lease no
	// longer holds it.
	Release(ctx context.Context) error
}

// Trier is a lock that can be tried without waiting.
type Trier interface {
	// TryAcquire tries once. It fails with [ErrNotAcquired] if another owner
	// holds the lock.
	TryAcquire(ctx context.Context) (Lease, error)
}

// Lifetimer is a lock that reports how long its key will live.
type Lifetimer interface {
	// TTL returns the key's remaining life, whoever holds the lock: 0 if there
	// is no key, negative if the key has no expiry.
	TTL(ctx context.Context) (time.Duration, error)
}

// HoldCounter is a reentrant lock.
type HoldCounter interface {
	// HoldCount returns how often this owner has entered the lock, according
	// to Redis.
	HoldCount(ctx context.Context) (int, error)
}

// Forcer is a lock that can be taken away from its holder.
type Forcer interface {
	// ForceRelease deletes the key, whoever holds it, and reports whether it
	// existed. If the reply is lost, go-redis resends the command, and the
	// second copy finds no key. A lease of this owner is lost at once; a holder
	// in another process notices at its next renewal.
	ForceRelease(ctx context.Context) (bool, error)
}

// Extender is a lease whose life can be extended.
type Extender interface {
	// Extend makes the key live for at least d from now. It never shortens the
	// key's life. It fails with [ErrNotHeld] if this lease no longer holds the
	// lock. It does not count as a renewal of a capped lease.
	Extend(ctx context.Context, d time.Duration) error
}

// Causer is a lease that knows why it was lost.
type Causer interface {
	// Cause returns nil until Lost is closed, and then an error that wraps
	// [ErrLeaseLost] or [ErrRenewalCapped].
	Cause() error
}

// The errors of this package; use errors.Is to tell them apart.
var (
	// ErrNotAcquired: another owner holds the lock.
	ErrNotAcquired = errors.New("lock not acquired: somebody else holds it")
	// ErrNoAnswer: Redis could not be reached, or answered with an error, which
	// is joined to this one.
	ErrNoAnswer = errors.New("no answer from redis")
	// ErrNotHeld: the lock is not, or no longer, held by this lease.
	ErrNotHeld = errors.New("lock not held by this owner")
	// ErrLeaseLost: the lease ended while its holder still needed it.
	ErrLeaseLost = errors.New("lease lost")
	// ErrRenewalCapped: the lease was renewed as often as it may be.
	ErrRenewalCapped = errors.New("lease reached its renewal cap")
	// ErrInvalidOption: a constructor refused its arguments. The text of the
	// error names the option.
	ErrInvalidOption = errors.New("invalid lock option")
)
