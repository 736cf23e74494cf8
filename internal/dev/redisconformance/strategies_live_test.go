package redisconformance

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"github.com/lockchaos/simrun/lock"
)

// live is a strategy on one of the servers, in real time. The tests assert what
// happens and in which order, never how long it takes.
type live struct {
	*testing.T
	strategy string
	dial     func() *redis.Client
}

// short is a lease that a test lets expire.
const short = 400 * time.Millisecond

// onBoth runs f with each strategy on a fresh server of each kind.
func onBoth(t *testing.T, strategies []string, f func(l live)) {
	t.Helper()
	for _, s := range strategies {
		t.Run("redis-server/"+s, func(t *testing.T) {
			srv := startRedis(t, "")
			f(live{t, s, func() *redis.Client {
				return redis.NewClient(&redis.Options{Network: "unix", Addr: srv.socket})
			}})
		})
		t.Run("miniredis/"+s, func(t *testing.T) {
			m := miniredis.RunT(t)
			m.ClockTTL(true)
			f(live{t, s, func() *redis.Client { return redis.NewClient(&redis.Options{Addr: m.Addr()}) }})
		})
	}
}

func (l live) client() *redis.Client {
	rdb := l.dial()
	l.Cleanup(func() { _ = rdb.Close() })
	return rdb
}

func (l live) lock(owner string, opts ...lock.Option) lock.Locker {
	l.Helper()
	return newLock(l.T, l.strategy, l.client(), owner, opts...)
}

func (l live) acquire(k lock.Locker) lock.Lease {
	l.Helper()
	lease := must(l.T, k)
	if lease == nil {
		l.FailNow()
	}
	return lease
}

func (l live) wantErr(what string, got, want error) {
	l.Helper()
	if !errors.Is(got, want) {
		l.Errorf("%s: got error %v, want %v", what, got, want)
	}
}

// until polls until holds returns true.
func (l live) until(what string, holds func() bool) {
	l.Helper()
	for end := time.Now().Add(bound); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			l.Fatalf("waited in vain until %s", what)
		}
	}
}

// lost waits until the holder is told of its loss.
func (l live) lost(lease lock.Lease, want error) {
	l.Helper()
	select {
	case <-lease.Lost():
		l.wantErr("cause", lease.(lock.Causer).Cause(), want)
	case <-time.After(bound):
		l.Fatal("the holder never learns of its loss")
	}
}

func tryOnce(k lock.Locker) error {
	lease, err := k.(lock.Trier).TryAcquire(context.Background())
	if err == nil {
		_ = lease.Release(context.Background())
	}
	return err
}

func TestOneHolderAtATime(t *testing.T) {
	onBoth(t, strategies, func(l live) {
		a, b := l.lock("a"), l.lock("b")
		held := l.acquire(a)
		l.wantErr("try of a held lock", tryOnce(b), lock.ErrNotAcquired)
		ttl, err := a.(lock.Lifetimer).TTL(context.Background())
		if err != nil || ttl <= 0 || ttl > 30*time.Second {
			l.Errorf("the lock lives %v, %v", ttl, err)
		}
		order, got := make(chan string, 2), make(chan lock.Lease, 1)
		go func() {
			next := must(l.T, b)
			order <- "b acquired"
			got <- next
		}()
		// The release is recorded before it is sent: only then may b acquire.
		order <- "a releases"
		note(l.T, "release", held.Release(context.Background()))
		if first, second := <-order, <-order; first != "a releases" || second != "b acquired" {
			l.Errorf("%s, then %s", first, second)
		}
		note(l.T, "release", (<-got).Release(context.Background()))
		note(l.T, "try of a free lock", tryOnce(a))
	})
}

func TestReleaseWakesAWaiter(t *testing.T) {
	onBoth(t, renewed, func(l live) {
		admin, a, b := l.client(), l.lock("a"), l.lock("b")
		held := l.acquire(a)
		got := make(chan lock.Lease, 1)
		go func() { got <- must(l.T, b) }()
		l.until("b has subscribed", func() bool {
			channels, err := admin.PubSubChannels(context.Background(), "*").Result()
			return err == nil && len(channels) > 0
		})
		note(l.T, "release", held.Release(context.Background()))
		note(l.T, "release by the waiter", (<-got).Release(context.Background()))
	})
}

func TestWaiterOutlivesACrashedHolder(t *testing.T) {
	onBoth(t, strategies, func(l live) {
		admin, ctx := l.client(), context.Background()
		if slices.Contains(renewed, l.strategy) {
			note(l.T, "take", admin.HSet(ctx, key, "crashed", 1).Err())
			note(l.T, "take", admin.PExpire(ctx, key, short).Err())
		} else {
			note(l.T, "take", admin.Set(ctx, key, "crashed", short).Err())
		}
		note(l.T, "release", l.acquire(l.lock("b")).Release(ctx))
	})
}

func TestExpiredHolderIsToldAtItsRelease(t *testing.T) {
	onBoth(t, []string{"naive", "token"}, func(l live) {
		ctx := context.Background()
		a, b := l.lock("a", lock.WithLease(short)), l.lock("b")
		held := l.acquire(a)
		next := l.acquire(b) // once a's lease has expired
		err := held.Release(ctx)
		if l.strategy == "token" {
			l.wantErr("release of an expired lease", err, lock.ErrNotHeld)
			l.wantErr("try of b's lock", tryOnce(a), lock.ErrNotAcquired)
			note(l.T, "release", next.Release(ctx))
			return
		}
		note(l.T, "release of another's lock", err)
		note(l.T, "try of a lock that was b's", tryOnce(a))
	})
}

func TestRenewalKeepsTheKey(t *testing.T) {
	onBoth(t, renewed, func(l live) {
		admin, ctx := l.client(), context.Background()
		held := l.acquire(l.lock("a", lock.WithRenewEvery(20*time.Millisecond), lock.WithMaxRenewals(1_000_000)))
		for range 3 {
			note(l.T, "shorten", admin.PExpire(ctx, key, 10*time.Second).Err())
			l.until("the key is renewed", func() bool { return admin.PTTL(ctx, key).Val() > 20*time.Second })
		}
		note(l.T, "release", held.Release(ctx))
		l.until("the key is gone for good", func() bool { return admin.Exists(ctx, key).Val() == 0 })
	})
}

func TestLossIsNoticed(t *testing.T) {
	for what, spoil := range map[string]func(ctx context.Context, rdb *redis.Client) error{
		"deleted":     func(ctx context.Context, rdb *redis.Client) error { return rdb.Del(ctx, key).Err() },
		"overwritten": func(ctx context.Context, rdb *redis.Client) error { return rdb.Set(ctx, key, "oops", 0).Err() },
	} {
		t.Run(what, func(t *testing.T) {
			onBoth(t, renewed, func(l live) {
				ctx := context.Background()
				held := l.acquire(l.lock("a", lock.WithRenewEvery(20*time.Millisecond), lock.WithMaxRenewals(1_000_000)))
				note(l.T, "spoil", spoil(ctx, l.client()))
				l.lost(held, lock.ErrLeaseLost)
				l.wantErr("release", held.Release(ctx), lock.ErrNotHeld)
			})
		})
	}
}

func TestReentryExtensionAndForce(t *testing.T) {
	onBoth(t, renewed, func(l live) {
		ctx := context.Background()
		a, b := l.lock("a"), l.lock("b")
		outer, inner := l.acquire(a), l.acquire(a)
		if n, err := a.(lock.HoldCounter).HoldCount(ctx); n != 2 || err != nil {
			l.Errorf("hold count %d, %v, want 2", n, err)
		}
		note(l.T, "inner release", inner.Release(ctx))
		l.wantErr("second release", inner.Release(ctx), lock.ErrNotHeld)
		l.wantErr("try", tryOnce(b), lock.ErrNotAcquired)
		note(l.T, "extend", outer.(lock.Extender).Extend(ctx, time.Hour))
		if ttl, err := b.(lock.Lifetimer).TTL(ctx); ttl <= time.Minute || err != nil {
			l.Errorf("the extended lock lives %v, %v", ttl, err)
		}
		for _, want := range []bool{true, false} {
			if had, err := b.(lock.Forcer).ForceRelease(ctx); had != want || err != nil {
				l.Errorf("force: %v, %v, want %v", had, err, want)
			}
		}
		l.wantErr("release of what was taken", outer.Release(ctx), lock.ErrNotHeld)
		note(l.T, "try of a free lock", tryOnce(b))
	})
}

func TestCapCancelsTheHolder(t *testing.T) {
	onBoth(t, []string{"capped"}, func(l live) {
		a := l.lock("a", lock.WithRenewEvery(20*time.Millisecond), lock.WithMaxRenewals(2))
		held := l.acquire(a)
		l.lost(held, lock.ErrRenewalCapped)
		l.wantErr("try before the holder has rolled back", tryOnce(l.lock("b")), lock.ErrNotAcquired)
		note(l.T, "release", held.Release(context.Background()))
		note(l.T, "try", tryOnce(l.lock("b")))
	})
}

func TestFencesGrow(t *testing.T) {
	onBoth(t, []string{"fenced"}, func(l live) {
		last := int64(0)
		for i, owner := range []string{"a", "b", "a"} {
			held := l.acquire(l.lock(owner + string(rune('0'+i))))
			if held.Fence() <= last {
				l.Errorf("fence %d comes after %d", held.Fence(), last)
			}
			last = held.Fence()
			note(l.T, "release", held.Release(context.Background()))
		}
	})
}

// A restarted server knows no scripts.
func TestForgottenScriptsAreSentAgain(t *testing.T) {
	onBoth(t, strategies[1:], func(l live) {
		admin, ctx := l.client(), context.Background()
		held := l.acquire(l.lock("a"))
		note(l.T, "forget", admin.ScriptFlush(ctx).Err())
		note(l.T, "release", held.Release(ctx))
	})
}

func TestStringInPlaceOfALock(t *testing.T) {
	onBoth(t, renewed, func(l live) {
		ctx := context.Background()
		note(l.T, "spoil", l.client().Set(ctx, key, "oops", 0).Err())
		_, err := l.lock("a").Acquire(ctx)
		l.wantErr("acquire", err, lock.ErrNoAnswer)
		if errors.Is(err, lock.ErrNotAcquired) {
			l.Errorf("acquire: %v says that somebody holds the lock", err)
		}
	})
}
