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
	token   string
	until   time.Time
	lost    chan struct{}
	release func(context.Context) error
}

func (l pollingLease) Lost() <-chan struct{}             { return l.lost }
func (l pollingLease) Fence() int64                      { return 0 }
func (l pollingLease) Release(ctx context.Context) error { return l.release(ctx) }

var compareAndDelete = redis.NewScript(`if redis.call('get',KEYS[1])==ARGV[1] then return redis.call('del',KEYS[1]) end return 0`)

// Acquire gives up what a try may have taken whose answer was lost or came late,
// before it tries with another token: of the old one's key, it does not know how long
// it still lives.
func (p *polling) Acquire(ctx context.Context) (lock.Lease, error) {
	doubtful := ""
	for {
		var won bool
		var err error
		if doubtful != "" {
			if err = p.drop(context.WithoutCancel(ctx), doubtful); err == nil || errors.Is(err, lock.ErrNotHeld) {
				doubtful, err = "", nil
			}
		}
		if doubtful == "" {
			p.n++
			token, sent := fmt.Sprint(p.e.Owner, p.n), time.Now()
			if won, err = p.take(ctx, token); won && time.Now().Before(p.until(sent)) {
				return p.lease(sent, token), nil
			}
			if won || err != nil {
				doubtful = token
			}
		}
		select {
		case <-time.After(200 * time.Millisecond):
		case <-ctx.Done():
			if doubtful != "" {
				_ = p.drop(context.WithoutCancel(ctx), doubtful)
			}
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
	l := pollingLease{token: token, until: p.until(sent), lost: make(chan struct{})}
	timer := time.AfterFunc(time.Until(l.until), func() { close(l.lost) })
	l.release = func(ctx context.Context) error {
		timer.Stop()
		return p.drop(context.WithoutCancel(ctx), token)
	}
	return l
}

// until is when the owner must be out again, whose command was sent then.
func (p *polling) until(sent time.Time) time.Time { return sent.Add(p.e.Lease * 9 / 10) }

func (p *polling) drop(ctx context.Context, token string) error {
	n, err := compareAndDelete.Run(ctx, p.e.Redis, []string{p.e.Key}, token).Int()
	if err == nil && n == 0 {
		return lock.ErrNotHeld
	}
	return err
}

// counterOf is the key of a counter of fences, which stays.
func counterOf(key string) string { return key + ":counter" }

// unforgiven lists what a lock breaches and the rung that it is held to does not,
// how it misbehaved, and why its run is no evidence.
func unforgiven(t *testing.T, s *scenarios.Scenario, seed uint64, newLock func(strategy.Env) lock.Locker) map[string]string {
	t.Helper()
	st := strategy.Strategy{
		Name: "own", New: func(e strategy.Env) (lock.Locker, error) { return newLock(e), nil },
		Keeps: func(key string) []string { return []string{counterOf(key)} },
	}
	r := virtual.Run(bubble.In(t), engine.Job{Scenario: s, Strategy: st, Seed: seed}).Report
	terms := st.Terms(s, r.Counters.Fenced > 0)
	found := map[string]string{}
	for _, v := range r.Violations {
		if terms.Expected[v.Property] == scenarios.None || !terms.Tolerate(v.Property) || s.File != "" {
			found[v.Property] = v.Text
		}
	}
	for _, f := range r.Findings {
		found[f.Class] = f.Detail
	}
	if r.Unknown != "" {
		found["unknown"] = r.Unknown
	}
	return found
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
	sale.Limit = 5 * time.Minute // of waiting in vain
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
