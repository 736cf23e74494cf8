package lock

import "github.com/redis/go-redis/v9"

// Capped is a [Watchdog] that renews a lease so often and no more, so that a bug
// or a hang cannot keep the lock for ever.
//
// At the renewal after the last it first cancels the holder: Lost is closed, with
// [ErrRenewalCapped]. The holder is to roll back and to release. If it has not
// done so shortly before its last lease ends, the key is deleted.
type Capped struct{ *handle }

// NewCapped makes a capped lock. It fails with [ErrInvalidOption].
func NewCapped(rdb redis.UniversalClient, key string, opts ...Option) (*Capped, error) {
	h, err := newHandle(rdb, key, policy{capped: true}, opts)
	if err != nil {
		return nil, err
	}
	return &Capped{h}, nil
}

// Owner makes another owner's handle of the same lock; see [WithOwner] for what
// is a valid name. Handles of one owner enter the lock beside each other.
func (l *Capped) Owner(name string) (*Capped, error) {
	h, err := l.forOwner(name)
	if err != nil {
		return nil, err
	}
	return &Capped{h}, nil
}
