package lock

import (
	"context"
	"time"
)

// The optional interfaces: what a lock or a lease may offer beyond [Locker] and
// [Lease]. Ask for them with a type assertion.
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

// Trier is a lock that can be tried without waiting.
type Trier interface {
	// TryAcquire asks once. It fails with [ErrNotAcquired] if somebody else
	// holds the lock.
	TryAcquire(ctx context.Context) (Lease, error)
}

// Lifetimer is a lock that tells how long its key lives, whoever holds it.
type Lifetimer interface {
	// TTL is what is left of the key's life, 0 if nobody holds the lock, and
	// negative if the key has no expiry.
	TTL(ctx context.Context) (time.Duration, error)
}

// HoldCounter is a reentrant lock.
type HoldCounter interface {
	// HoldCount is how often this owner has entered the lock, as Redis counts.
	HoldCount(ctx context.Context) (int, error)
}

// Forcer is a lock that can be taken from whoever holds it.
type Forcer interface {
	// ForceRelease deletes the key, whoever holds it, and reports whether
	// there was one. Where the reply to the first copy of the command is lost,
	// the copy that go-redis resends finds no key. A lease of this owner is
	// lost by it; another process learns of it at its next renewal.
	ForceRelease(ctx context.Context) (bool, error)
}

// Extender is a lease that can be made to last longer.
type Extender interface {
	// Extend lets the key live at least d from now, and never shortens its
	// life. It fails with [ErrNotHeld] where the lock is no longer ours. It
	// does not count as a renewal of a capped lease.
	Extend(ctx context.Context, d time.Duration) error
}
