package lock

import (
	"context"
	"fmt"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
)

// plain is what the strategies on a plain string key share.
type plain struct {
	rdb redis.UniversalClient
	key string
	cfg config
}

func newPlain(rdb redis.UniversalClient, key string, opts []Option) (plain, error) {
	if err := checkClient(rdb); err != nil {
		return plain{}, err
	}
	if key == "" {
		return plain{}, fmt.Errorf("%w: the key is empty", ErrInvalidOption)
	}
	cfg, err := newConfig(policy{}, opts)
	return plain{rdb: rdb, key: key, cfg: cfg}, err
}

// acquire sets the key to value, with pauses between attempts, or tries just once.
// doubtful reports that a failed attempt may have been applied nevertheless.
func (p plain) acquire(ctx context.Context, value string, once bool) (doubtful bool, err error) {
	w := newWaiting(ctx, p.cfg, p.key)
	defer w.cancel()
	for n := 0; !w.ended(); n++ {
		ok, err := p.rdb.SetNX(w.ctx, p.key, value, p.cfg.lease).Result()
		if ok {
			return false, nil
		}
		if err != nil {
			doubtful = true
			w.noteFailure(err)
		} else {
			w.noteRefusal()
		}
		if once || isHopeless(w.failure) {
			break
		}
		w.pause(n)
	}
	return doubtful, w.err()
}

// TTL returns the key's remaining life, whoever holds the lock: 0 if there is no
// key, negative if the key has no expiry.
func (p plain) TTL(ctx context.Context) (time.Duration, error) {
	return keyTTL(ctx, p.rdb, p.key)
}

// plainLease is a lease without loss detection or fencing.
type plainLease struct{}

// Lost returns nil: a plain lock never detects a loss.
func (plainLease) Lost() <-chan struct{} { return nil }

// Fence returns 0: a plain lock has no token that grows.
func (plainLease) Fence() int64 { return 0 }

// Naive is the lock of many introductory articles: SET NX PX, and a plain DEL. It
// is here to be shown broken.
//
// It is not renewed, its release deletes the key even if another owner holds it,
// and it never detects a loss. It is not reentrant. If the reply to SET is lost,
// go-redis resends the command, which the lock's own key then refuses; the key
// stays until it expires.
type Naive struct{ plain }

// NewNaive makes a naive lock. It fails with [ErrInvalidOption].
func NewNaive(rdb redis.UniversalClient, key string, opts ...Option) (*Naive, error) {
	p, err := newPlain(rdb, key, opts)
	if err != nil {
		return nil, err
	}
	return &Naive{p}, nil
}

// Acquire polls until the lock is held, ctx is done or the wait is over; see
// [Locker] for its errors.
func (n *Naive) Acquire(ctx context.Context) (Lease, error) { return n.take(ctx, false) }

// TryAcquire tries once.
func (n *Naive) TryAcquire(ctx context.Context) (Lease, error) { return n.take(ctx, true) }

func (n *Naive) take(ctx context.Context, once bool) (Lease, error) {
	if _, err := n.acquire(ctx, n.cfg.owner, once); err != nil {
		return nil, err
	}
	return naiveLease{lock: n}, nil
}

type naiveLease struct {
	plainLease
	lock *Naive
}

// Release deletes the key, whoever holds it. It fails only if Redis could not be
// reached. It ignores the end of ctx and takes at most 20 s.
func (l naiveLease) Release(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseBound)
	defer cancel()
	if err := l.lock.rdb.Del(ctx, l.lock.key).Err(); err != nil {
		return fmt.Errorf("release lock %q: %w", l.lock.key, noAnswer(err))
	}
	return nil
}

// Token is the single-server lock of the Redis documentation: SET NX PX with a
// token for each acquisition, which the release compares.
//
// It is not renewed, never detects a loss and is not reentrant. If the reply to
// SET is lost, go-redis resends the command, which the lock's own key then
// refuses; the key stays until it expires. If the reply to a release is lost, the
// resent copy finds no key and Release fails with [ErrNotHeld].
type Token struct {
	plain
	count atomic.Int64
}

// NewToken makes a token lock. It fails with [ErrInvalidOption].
func NewToken(rdb redis.UniversalClient, key string, opts ...Option) (*Token, error) {
	p, err := newPlain(rdb, key, opts)
	if err != nil {
		return nil, err
	}
	return &Token{plain: p}, nil
}

// Acquire polls until the lock is held, ctx is done or the wait is over; see
// [Locker] for its errors.
func (t *Token) Acquire(ctx context.Context) (Lease, error) { return t.take(ctx, false) }

// TryAcquire tries once.
func (t *Token) TryAcquire(ctx context.Context) (Lease, error) { return t.take(ctx, true) }

func (t *Token) take(ctx context.Context, once bool) (Lease, error) {
	l := tokenLease{lock: t, token: t.cfg.owner + "#" + strconv.FormatInt(t.count.Add(1), 10)}
	doubtful, err := t.acquire(ctx, l.token, once)
	if err == nil {
		return l, nil
	}
	if doubtful {
		_, _ = l.delete(ctx, undoBound) // if this fails, the key expires
	}
	return nil, err
}

type tokenLease struct {
	plainLease
	lock  *Token
	token string
}

// Release deletes the key if it carries this lease's token. Otherwise it fails
// with [ErrNotHeld], or with [ErrNoAnswer] if Redis could not be reached. It
// ignores the end of ctx and takes at most 20 s.
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

// Extend makes the key live for at least d from now; it never shortens the key's
// life. It fails with [ErrNotHeld] if the key does not carry this lease's token.
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
