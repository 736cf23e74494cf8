package main

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockchaos/simrun/lock"
)

// mine is the lock under test: SET NX PX, released by its owner only.
type mine struct {
	redis *redis.Client
	key   string
	owner string
	lease time.Duration
}

func (m *mine) Acquire(ctx context.Context) (lock.Lease, error) {
	for {
		if ok, err := m.redis.SetNX(ctx, m.key, m.owner, m.lease).Result(); err != nil || ok {
			return m, err
		}
		select {
		case <-time.After(500 * time.Millisecond):
		case <-ctx.Done():
			return nil, errors.Join(lock.ErrNotAcquired, ctx.Err())
		}
	}
}

func (m *mine) Lost() <-chan struct{} { return nil }
func (m *mine) Fence() int64          { return 0 }

func (m *mine) Release(ctx context.Context) error {
	const mineOnly = `if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`
	n, err := m.redis.Eval(ctx, mineOnly, []string{m.key}, m.owner).Int()
	if err == nil && n == 0 {
		return lock.ErrNotHeld
	}
	return err
}
