//go:build !race

package virtual_test

import (
	"context"
	"flag"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockchaos/simrun/internal/strategy"
	"github.com/lockchaos/simrun/lock"
	"github.com/lockchaos/simrun/scenarios"
)

var correctSeeds = flag.Int("correct-seeds", max(1, librarySeeds/5), "seeds of each scenario that the correct locks go through")

// Correct locks raise no alarm in any scenario, though they are not of the ladder's
// kinds: nothing is reported that the rung they are held to would not breach, too.
func TestCorrectLocksRaiseNoAlarm(t *testing.T) {
	for _, tt := range []struct {
		name string
		new  func() func(strategy.Env) lock.Locker // of one run
	}{
		// In reply-lost its own retries take what a lost reply has granted.
		{"polling with a guard, no renewal", func() func(strategy.Env) lock.Locker {
			return func(e strategy.Env) lock.Locker { return &polling{e: e} }
		}},
		{"polling with a guard that renews", func() func(strategy.Env) lock.Locker {
			return func(e strategy.Env) lock.Locker { return renewing(e, nil) }
		}},
		{"fenced by a counter of another key, drawn as the key is taken", func() func(strategy.Env) lock.Locker {
			return func(e strategy.Env) lock.Locker { return renewing(e, nil).fencedInScript() }
		}},
		// It is held to the fence, though Redis never sees one.
		{"fenced by a counter outside of Redis", func() func(strategy.Env) lock.Locker {
			var sequence atomic.Int64 // as of a database
			return func(e strategy.Env) lock.Locker {
				return renewing(e, func(context.Context) (int64, error) { return sequence.Add(1), nil })
			}
		}},
		{"fenced by a counter in Redis, drawn once the key is held", func() func(strategy.Env) lock.Locker {
			return func(e strategy.Env) lock.Locker {
				return renewing(e, func(ctx context.Context) (int64, error) { return e.Redis.Incr(ctx, counterOf(e.Key)).Result() })
			}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, s := range scenarios.Builtin() {
				for seed := range uint64(*correctSeeds) {
					for property, text := range unforgiven(t, s, seed+1, tt.new()) {
						t.Errorf("%s, seed %d: %s: %s", s.Name, seed+1, property, text)
					}
				}
			}
		})
	}
}

var (
	compareAndExpire = redis.NewScript(`if redis.call('get',KEYS[1])==ARGV[1] then return redis.call('pexpire',KEYS[1],ARGV[2]) end return 0`)
	// takeAndCount answers the fence, or 0 if somebody else has the key. A command
	// that is sent again gets a fence of its own: the first one is never used.
	takeAndCount = redis.NewScript(`
if redis.call('set',KEYS[1],ARGV[1],'NX','PX',ARGV[2]) or redis.call('get',KEYS[1])==ARGV[1] then
  return redis.call('incr',KEYS[2])
end
return 0`)
)

// renewing is a polling lock that renews until it is released. draw, if it is not
// nil, draws the fence of a key that is held.
func renewing(e strategy.Env, draw func(context.Context) (int64, error)) *renewer {
	return &renewer{polling: &polling{e: e}, draw: draw}
}

type renewer struct {
	*polling
	draw  func(context.Context) (int64, error)
	fence int64 // of the key that was taken last
}

// fencedInScript draws the fence in the script that takes the key.
func (r *renewer) fencedInScript() *renewer {
	r.try = func(ctx context.Context, token string) (bool, error) {
		if n, err := r.e.Redis.Exists(ctx, r.e.Key).Result(); err != nil || n > 0 {
			return false, err // cheaper than the script
		}
		var err error
		r.fence, err = takeAndCount.Run(ctx, r.e.Redis, []string{r.e.Key, counterOf(r.e.Key)}, token, r.e.Lease.Milliseconds()).Int64()
		return r.fence > 0, err
	}
	return r
}

// Acquire gives up a key whose fence came too late: by then, the next owner may have
// an older one.
func (r *renewer) Acquire(ctx context.Context) (lock.Lease, error) {
	for {
		taken, err := r.polling.Acquire(ctx)
		if err != nil {
			return nil, err
		}
		held := taken.(pollingLease)
		if r.draw != nil {
			r.fence, err = r.draw(ctx)
		}
		if err == nil && time.Now().Before(held.until) {
			return r.keep(held), nil
		}
		_ = held.Release(context.WithoutCancel(ctx))
	}
}

// keep renews the key at a third of its lease, and tells of its loss by its own
// clock, which counts from before a renewal was sent.
func (r *renewer) keep(held pollingLease) lock.Lease {
	ctx, cancel := context.WithCancel(context.Background())
	lease := renewedLease{pollingLease: held, fence: r.fence}
	lease.lost = make(chan struct{})
	lose := sync.OnceFunc(func() { close(lease.lost) })
	guard := time.AfterFunc(time.Until(held.until), lose)
	go func() {
		for {
			select {
			case <-time.After(r.e.Lease / 3):
			case <-ctx.Done():
				return
			}
			sent := time.Now()
			n, err := compareAndExpire.Run(ctx, r.e.Redis, []string{r.e.Key}, held.token, r.e.Lease.Milliseconds()).Int()
			switch until := r.until(sent); {
			case ctx.Err() != nil:
				return
			case err == nil && n == 0:
				lose()
				return
			case err == nil && !guard.Stop(): // it is told already
				return
			case err == nil:
				guard.Reset(time.Until(until))
			}
		}
	}()
	lease.release = func(ctx context.Context) error {
		cancel()
		guard.Stop()
		return held.Release(ctx)
	}
	return lease
}

type renewedLease struct {
	pollingLease
	fence int64
}

func (l renewedLease) Fence() int64 { return l.fence }
