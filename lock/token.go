package lock

import (
	"context"
	"fmt"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
)

// Token is the lock of the Redis documentation for one server: SET NX PX with a
// token of its own for each acquisition, which the release compares.
//
// It is not renewed and tells of no loss. Where the reply to SET is lost, the
// copy that go-redis resends is refused by the lock's own key, which then stands
// until it expires; where the reply to a release is lost, the resent copy finds
// no key and Release says [ErrNotHeld]. It is not reentrant.
type Token struct {
	polled
	count atomic.Int64
}

// NewToken makes a token lock. It fails with [ErrInvalidOption].
func NewToken(rdb redis.UniversalClient, key string, opts ...Option) (*Token, error) {
	p, err := newPolled(rdb, key, opts)
	if err != nil {
		return nil, err
	}
	return &Token{polled: p}, nil
}

// Acquire polls until the lock is held, ctx is done or the wait is over; see
// [Locker] for its errors.
func (t *Token) Acquire(ctx context.Context) (Lease, error) { return t.take(ctx, false) }

// TryAcquire asks once.
func (t *Token) TryAcquire(ctx context.Context) (Lease, error) { return t.take(ctx, true) }

func (t *Token) take(ctx context.Context, once bool) (Lease, error) {
	l := tokenLease{t, t.cfg.owner + "#" + strconv.FormatInt(t.count.Add(1), 10)}
	doubtful, err := t.acquire(ctx, l.token, once)
	if err == nil {
		return l, nil
	}
	if doubtful {
		_, _ = l.delete(ctx, undoBound) // its best: else the key ends with its lease
	}
	return nil, err
}

type tokenLease struct {
	lock  *Token
	token string
}

// Lost is nil: a token lock never tells.
func (tokenLease) Lost() <-chan struct{} { return nil }

// Fence is 0: the token is unique, but does not grow.
func (tokenLease) Fence() int64 { return 0 }

// Release deletes the key while it carries this lease's token; else it fails
// with [ErrNotHeld], or with [ErrNoAnswer] where Redis was not reached. It does
// not heed the end of ctx; it takes at most 20 s.
func (l tokenLease) Release(ctx context.Context) error {
	held, err := l.delete(ctx, releaseBound)
	if err != nil {
		return fmt.Errorf("release lock %q: %w", l.lock.key, noAnswer(err))
	}
	if !held {
		return fmt.Errorf("release lock %q: %w", l.lock.key, ErrNotHeld)
	}
	return nil
}

func (l tokenLease) delete(ctx context.Context, bound time.Duration) (held bool, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), bound)
	defer cancel()
	n, err := tokenReleaseScript.Run(ctx, l.lock.rdb, []string{l.lock.key}, l.token).Int()
	return n == 1, err
}

// Extend lets the key live at least d from now, and never shortens its life. It
// fails with [ErrNotHeld] where the key does not carry this lease's token.
func (l tokenLease) Extend(ctx context.Context, d time.Duration) error {
	if d < time.Millisecond {
		return fmt.Errorf("extend lock %q: %v is shorter than 1ms", l.lock.key, d)
	}
	n, err := tokenExtendScript.Run(ctx, l.lock.rdb, []string{l.lock.key}, l.token, d.Milliseconds()).Int()
	if err != nil {
		return fmt.Errorf("extend lock %q: %w", l.lock.key, callError(ctx, err))
	}
	if n == 0 {
		return fmt.Errorf("extend lock %q: %w", l.lock.key, ErrNotHeld)
	}
	return nil
}
