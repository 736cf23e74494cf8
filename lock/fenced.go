package lock

import "github.com/redis/go-redis/v9"

// Fenced is a [Guarded] lock whose leases carry a fencing token, which grows with
// every acquisition and is drawn in the same atomic step (Kleppmann 2016, "How to
// do distributed locking"). A resource that refuses a token older than one it has
// seen is safe from a holder that writes after its lease.
//
// The counter is the key {key}:fence. It has no expiry, by design: if it began
// anew, tokens would shrink.
type Fenced struct{ *handle }

// NewFenced makes a fenced lock. It fails with [ErrInvalidOption].
func NewFenced(rdb redis.UniversalClient, key string, opts ...Option) (*Fenced, error) {
	h, err := newHandle(rdb, key, policy{guard: true, fence: true}, opts)
	if err != nil {
		return nil, err
	}
	return &Fenced{h}, nil
}

// Owner makes another owner's handle of the same lock; see [WithOwner] for what
// is a valid name. Handles of one owner enter the lock beside each other.
func (l *Fenced) Owner(name string) (*Fenced, error) {
	h, err := l.forOwner(name)
	if err != nil {
		return nil, err
	}
	return &Fenced{h}, nil
}
