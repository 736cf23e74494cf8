package lock

import "github.com/redis/go-redis/v9"

// Watchdog is Redisson's RLock: reentrant, its waiters woken when it is released,
// and renewed for as long as its holder lives.
//
// The value is the handle of one owner, as a thread is to an RLock. A watchdog
// learns of its loss only from a renewal that Redis answers: cut off from Redis,
// it believes in its lease for ever. A holder that hangs keeps the lock for ever.
type Watchdog struct{ *handle }

// NewWatchdog makes a watchdog lock. It fails with [ErrInvalidOption].
func NewWatchdog(rdb redis.UniversalClient, key string, opts ...Option) (*Watchdog, error) {
	h, err := newHandle(rdb, key, policy{}, opts)
	if err != nil {
		return nil, err
	}
	return &Watchdog{h}, nil
}

// Owner makes another owner's handle of the same lock; see [WithOwner] for what
// is a valid name. Handles of one owner enter the lock beside each other.
func (l *Watchdog) Owner(name string) (*Watchdog, error) {
	h, err := l.forOwner(name)
	if err != nil {
		return nil, err
	}
	return &Watchdog{h}, nil
}
