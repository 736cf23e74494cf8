// Command ownlock is simrun with a lock that simrun does not know. Run it as
//
//	go run ./examples/ownlock -scenario expiry -strategy ours
//
// It takes every flag that simrun takes.
package main

import (
	"context"
	"os"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockchaos/simrun/lock"
	"github.com/lockchaos/simrun/sim"
)

func main() {
	sim.Register(sim.Strategy{
		Name:    "ours",
		Summary: "the lock of our service",
		New: func(e sim.Env) (lock.Locker, error) {
			return ours{e.Redis, e.Key, e.Owner, e.Lease}, nil
		},
	})
	os.Exit(sim.Main(os.Args[1:], os.Stdout, os.Stderr))
}

// ours is a lock of the kind many services use: it never renews its lease, and its
// release is two commands, a check and a delete.
type ours struct {
	redis *redis.Client
	key   string
	owner string
	lease time.Duration
}

// Acquire tries every 200 ms.
func (o ours) Acquire(ctx context.Context) (lock.Lease, error) {
	for {
		won, err := o.redis.SetNX(ctx, o.key, o.owner, o.lease).Result()
		if err != nil || won {
			return o, err
		}
		select {
		case <-time.After(200 * time.Millisecond):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// Lost is nil: this lock never reports a loss.
func (o ours) Lost() <-chan struct{} { return nil }

// Fence is 0: this lock has no fencing tokens.
func (o ours) Fence() int64 { return 0 }

// Release deletes the key if it is ours. If the key changes hands between the two
// commands, it deletes the next holder's.
func (o ours) Release(ctx context.Context) error {
	holder, err := o.redis.Get(ctx, o.key).Result()
	if err != nil || holder != o.owner {
		return lock.ErrNotHeld
	}
	return o.redis.Del(ctx, o.key).Err()
}
