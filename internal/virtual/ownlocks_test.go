package virtual_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockchaos/simrun/internal/bubble"
	"github.com/lockchaos/simrun/internal/engine"
	"github.com/lockchaos/simrun/internal/strategy"
	"github.com/lockchaos/simrun/internal/virtual"
	"github.com/lockchaos/simrun/lock"
	"github.com/lockchaos/simrun/scenarios"
)

// polling is a correct lock as many services have it: SET NX PX of a fresh token,
// tried every 200 ms, with a compare-and-delete. It does not renew; it counts its
// lease on its own clock from before the command was sent, and reports its loss.
// try, if set, replaces the command that takes the key.
type polling struct {
	e   strategy.Env
	n   int
	try func(ctx context.Context, token string) (bool, error)
}

type pollingLease struct {
	lost    chan struct{}
	release func(context.Context) error
}

func (l pollingLease) Lost() <-chan struct{}             { return l.lost }
func (l pollingLease) Fence() int64                      { return 0 }
func (l pollingLease) Release(ctx context.Context) error { return l.release(ctx) }

var compareAndDelete = redis.NewScript(`if redis.call('get',KEYS[1])==ARGV[1] then return redis.call('del',KEYS[1]) end return 0`)

func (p *polling) Acquire(ctx context.Context) (lock.Lease, error) {
	p.n++
	token := fmt.Sprint(p.e.Owner, p.n)
	for {
		sent := time.Now()
		won, err := p.take(ctx, token)
		if won && time.Since(sent) < p.e.Lease {
			return p.lease(sent, token), nil
		}
		if err != nil { // the command may have been applied
			_ = p.drop(context.WithoutCancel(ctx), token)
		}
		select {
		case <-time.After(200 * time.Millisecond):
		case <-ctx.Done():
			return nil, errors.Join(lock.ErrNotAcquired, err, ctx.Err())
		}
	}
}

func (p *polling) take(ctx context.Context, token string) (bool, error) {
	if p.try != nil {
		return p.try(ctx, token)
	}
	won, err := p.e.Redis.SetNX(ctx, p.e.Key, token, p.e.Lease).Result()
	if err == nil && !won { // a copy of this command, resent, may have won
		held, _ := p.e.Redis.Get(ctx, p.e.Key).Result()
		won = held == token
	}
	return won, err
}

func (p *polling) lease(sent time.Time, token string) lock.Lease {
	l := pollingLease{lost: make(chan struct{})}
	timer := time.AfterFunc(time.Until(sent.Add(p.e.Lease*9/10)), func() { close(l.lost) })
	l.release = func(ctx context.Context) error {
		timer.Stop()
		return p.drop(context.WithoutCancel(ctx), token)
	}
	return l
}

func (p *polling) drop(ctx context.Context, token string) error {
	n, err := compareAndDelete.Run(ctx, p.e.Redis, []string{p.e.Key}, token).Int()
	if err == nil && n == 0 {
		return lock.ErrNotHeld
	}
	return err
}

// unforgiven lists what a lock breaches and the rung that it is held to does not.
func unforgiven(t *testing.T, s *scenarios.Scenario, seed uint64, newLock func(strategy.Env) lock.Locker) map[string]string {
	t.Helper()
	st := strategy.Strategy{Name: "own", New: func(e strategy.Env) (lock.Locker, error) { return newLock(e), nil }}
	terms := st.Terms(s, false)
	found := map[string]string{}
	for _, v := range virtual.Run(bubble.In(t), engine.Job{Scenario: s, Strategy: st, Seed: seed}).Report.Violations {
		if terms.Expected[v.Property] == scenarios.None || !terms.Tolerate(v.Property) || s.File != "" {
			found[v.Property] = v.Text
		}
	}
	return found
}

// A correct lock raises no alarm in any scenario, though it is not of the ladder's
// kinds. (In reply-lost its own retries take what a lost reply has granted.)
func TestACorrectPollingLockRaisesNoAlarm(t *testing.T) {
	for _, s := range scenarios.Builtin() {
		for seed := range uint64(librarySeeds / 2) {
			for property, text := range unforgiven(t, s, seed+1, func(e strategy.Env) lock.Locker { return &polling{e: e} }) {
				t.Errorf("%s, seed %d: %s: %s", s.Name, seed+1, property, text)
			}
		}
	}
}

const deadHolder = `
name: dead-holder
summary: The first holder dies inside, two wait.
sections: 2
work: 5s..8s
require: {sections: 1}
faults:
  - crash: {client: any, on: entered, after: 1s..2s, nth: 1}
`

// Locks that keep everybody out are stuck, however alive their key is.
func TestLocksThatLetNobodyIn(t *testing.T) {
	dead := scenario(t, deadHolder)
	dead.File = "dead-holder.yaml"
	sale, err := scenarios.Load("flash-sale")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		in   *scenarios.Scenario
		lock func(strategy.Env) lock.Locker
	}{
		{"each try prolongs the key of a dead holder", dead, func(e strategy.Env) lock.Locker {
			return &polling{e: e, try: func(ctx context.Context, token string) (bool, error) {
				var won *redis.BoolCmd
				_, err := e.Redis.TxPipelined(ctx, func(p redis.Pipeliner) error {
					won = p.SetNX(ctx, e.Key, token, 0)
					p.PExpire(ctx, e.Key, e.Lease)
					return nil
				})
				return won.Val(), err
			}}
		}},
		{"the owner asks twice, and waits for itself", sale, func(e strategy.Env) lock.Locker {
			return &polling{e: e, try: func(ctx context.Context, token string) (bool, error) {
				if won, err := e.Redis.SetNX(ctx, e.Key, token, 20*e.Lease).Result(); err != nil || !won {
					return false, err
				}
				return e.Redis.SetNX(ctx, e.Key, token, 20*e.Lease).Result()
			}}
		}},
		{"it refuses everybody at once", sale, func(e strategy.Env) lock.Locker {
			return fake{env: e, acquire: func(ctx context.Context, e strategy.Env) error {
				return errors.Join(lock.ErrNotAcquired, e.Redis.Get(ctx, e.Key).Err())
			}}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for seed := uint64(1); seed <= 2; seed++ {
				if found := unforgiven(t, tt.in, seed, tt.lock); found["stuck"] == "" {
					t.Errorf("seed %d: it is not stuck, but %v", seed, found)
				}
			}
		})
	}
}
