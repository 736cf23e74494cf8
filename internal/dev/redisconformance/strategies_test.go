package redisconformance

import (
	"context"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/lockchaos/simrun/lock"
)

const key = "sale"

var (
	strategies = []string{"naive", "token", "watchdog", "capped", "guarded", "fenced"}
	renewed    = strategies[2:]
)

func newLock(t *testing.T, strategy string, rdb *redis.Client, owner string, opts ...lock.Option) lock.Locker {
	t.Helper()
	opts = append([]lock.Option{lock.WithOwner(owner)}, opts...)
	var l lock.Locker
	var err error
	switch strategy {
	case "naive":
		l, err = lock.NewNaive(rdb, key, opts...)
	case "token":
		l, err = lock.NewToken(rdb, key, opts...)
	case "watchdog":
		l, err = lock.NewWatchdog(rdb, key, opts...)
	case "capped":
		l, err = lock.NewCapped(rdb, key, opts...)
	case "guarded":
		l, err = lock.NewGuarded(rdb, key, opts...)
	case "fenced":
		l, err = lock.NewFenced(rdb, key, opts...)
	default:
		t.Fatalf("no strategy %q", strategy)
	}
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// must acquires the lock, or reports the error and returns nil.
func must(t *testing.T, l lock.Locker) lock.Lease {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), bound)
	defer cancel()
	lease, err := l.Acquire(ctx)
	if err != nil {
		t.Errorf("acquire: %v", err)
	}
	return lease
}
