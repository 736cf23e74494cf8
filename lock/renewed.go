package lock

import "github.com/redis/go-redis/v9"

// Watchdog works like Redisson's RLock: it is reentrant, wakes its waiters when it
// is released, and is renewed for as long as its holder lives.
//
// A Watchdog is one owner's handle of the lock, as a thread is to an RLock. It
// learns of its loss only from a renewal that Redis answers: cut off from Redis,
// it trusts its lease for ever. A holder that hangs keeps the lock for ever.
type Watchdog struct{ *handle }

// NewWatchdog makes a watchdog lock. It fails with [ErrInvalidOption].
func NewWatchdog(rdb redis.UniversalClient, key string, opts ...Option) (*Watchdog, error) {
	return wrap[Watchdog](newHandle(rdb, key, policy{}, opts))
}

// Owner makes another owner's handle of the same lock; see [WithOwner] for valid
// names. Handles of the same owner share the lock.
func (l *Watchdog) Owner(name string) (*Watchdog, error) { return wrap[Watchdog](l.forOwner(name)) }

// Capped is a [Watchdog] that renews a lease only a number of times, so that a bug
// or a hang cannot keep the lock for ever; see [WithMaxRenewals].
//
// When the next renewal is due it first cancels the holder: Lost is closed, with
// [ErrRenewalCapped]. The holder should roll back and release. If it has not
// done so shortly before its last lease ends, the lock deletes the key.
type Capped struct{ *handle }

// NewCapped makes a capped lock. It fails with [ErrInvalidOption].
func NewCapped(rdb redis.UniversalClient, key string, opts ...Option) (*Capped, error) {
	return wrap[Capped](newHandle(rdb, key, policy{capped: true}, opts))
}

// Owner makes another owner's handle of the same lock; see [WithOwner] for valid
// names. Handles of the same owner share the lock.
func (l *Capped) Owner(name string) (*Capped, error) { return wrap[Capped](l.forOwner(name)) }

// Guarded is a [Watchdog] that also tracks its lease on its own clock, and so
// learns of its end even while cut off from Redis.
//
// It counts from before the last successful acquisition or renewal was sent, and
// ends its lease a margin early; see [WithDrift]. No lease protects against a
// holder that is stopped, or whose clock jumps: for that, see [Fenced].
type Guarded struct{ *handle }

// NewGuarded makes a guarded lock. It fails with [ErrInvalidOption].
func NewGuarded(rdb redis.UniversalClient, key string, opts ...Option) (*Guarded, error) {
	return wrap[Guarded](newHandle(rdb, key, policy{guard: true}, opts))
}

// Owner makes another owner's handle of the same lock; see [WithOwner] for valid
// names. Handles of the same owner share the lock.
func (l *Guarded) Owner(name string) (*Guarded, error) { return wrap[Guarded](l.forOwner(name)) }

// Fenced is a [Guarded] lock whose leases carry a fencing token, which grows with
// every acquisition and is drawn in the same atomic step (Kleppmann 2016, "How to
// do distributed locking"). A resource that refuses a token older than one it has
// seen is safe from a holder that writes after its lease.
//
// The counter is the key {key}:fence. It deliberately has no expiry: if it started
// again, tokens would shrink.
type Fenced struct{ *handle }

// NewFenced makes a fenced lock. It fails with [ErrInvalidOption].
func NewFenced(rdb redis.UniversalClient, key string, opts ...Option) (*Fenced, error) {
	return wrap[Fenced](newHandle(rdb, key, policy{guard: true, fence: true}, opts))
}

// Owner makes another owner's handle of the same lock; see [WithOwner] for valid
// names. Handles of the same owner share the lock.
func (l *Fenced) Owner(name string) (*Fenced, error) { return wrap[Fenced](l.forOwner(name)) }

func wrap[L ~struct{ *handle }](h *handle, err error) (*L, error) {
	if err != nil {
		return nil, err
	}
	return &L{h}, nil
}
