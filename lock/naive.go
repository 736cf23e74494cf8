package lock

import (
	"context"
	"fmt"

	"github.com/redis/go-redis/v9"
)

// Naive is the lock of many a first article: SET NX PX, and a plain DEL. It is
// here to be shown broken.
//
// It is not renewed, its release deletes the key of whoever holds it, and it
// tells of no loss. Where the reply to SET is lost, the copy that go-redis
// resends is refused by the lock's own key, which then stands until it expires.
// It is not reentrant.
type Naive struct{ polled }

// NewNaive makes a naive lock. It fails with [ErrInvalidOption].
func NewNaive(rdb redis.UniversalClient, key string, opts ...Option) (*Naive, error) {
	p, err := newPolled(rdb, key, opts)
	if err != nil {
		return nil, err
	}
	return &Naive{p}, nil
}

// Acquire polls until the lock is held, ctx is done or the wait is over; see
// [Locker] for its errors.
func (n *Naive) Acquire(ctx context.Context) (Lease, error) { return n.take(ctx, false) }

// TryAcquire asks once.
func (n *Naive) TryAcquire(ctx context.Context) (Lease, error) { return n.take(ctx, true) }

func (n *Naive) take(ctx context.Context, once bool) (Lease, error) {
	if _, err := n.acquire(ctx, n.cfg.owner, once); err != nil {
		return nil, err
	}
	return naiveLease{n}, nil
}

type naiveLease struct{ lock *Naive }

// Lost is nil: a naive lock never tells.
func (naiveLease) Lost() <-chan struct{} { return nil }

// Fence is 0: a naive lock has none.
func (naiveLease) Fence() int64 { return 0 }

// Release deletes the key, whoever holds it. It fails only where Redis was not
// reached. It does not heed the end of ctx; it takes at most 20 s.
func (l naiveLease) Release(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseBound)
	defer cancel()
	if err := l.lock.rdb.Del(ctx, l.lock.key).Err(); err != nil {
		return fmt.Errorf("release lock %q: %w", l.lock.key, noAnswer(err))
	}
	return nil
}
