package lock

import "github.com/redis/go-redis/v9"

// Guarded is a [Watchdog] that also keeps its lease on its own clock, and so knows
// of its end though cut off from Redis.
//
// It counts from before the last successful acquisition or renewal was sent, and
// believes its lease over by a margin sooner; see [WithDrift]. No lease guards a
// holder that is stopped, nor one on a clock that jumps: for that, see [Fenced].
type Guarded struct{ *handle }

// NewGuarded makes a guarded lock. It fails with [ErrInvalidOption].
func NewGuarded(rdb redis.UniversalClient, key string, opts ...Option) (*Guarded, error) {
	h, err := newHandle(rdb, key, policy{guard: true}, opts)
	if err != nil {
		return nil, err
	}
	return &Guarded{h}, nil
}

// Owner makes another owner's handle of the same lock; see [WithOwner] for what
// is a valid name. Handles of one owner enter the lock beside each other.
func (l *Guarded) Owner(name string) (*Guarded, error) {
	h, err := l.forOwner(name)
	if err != nil {
		return nil, err
	}
	return &Guarded{h}, nil
}
