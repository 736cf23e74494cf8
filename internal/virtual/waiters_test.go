package virtual_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
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

// scripted is a lock of two scripts, tried every 200 ms. take returns 1 if the lock is
// taken, drop 0 if it was not held; KEYS[1] is the key, ARGV the token, the lease in
// ms, and the client's name.
type scripted struct {
	e          strategy.Env
	take, drop string
	token      func(n int) string // nil: one of its own
	success    func(error) bool   // an error that the lock takes for success
	n          int
}

func (s *scripted) Acquire(ctx context.Context) (lock.Lease, error) {
	s.n++
	token := fmt.Sprint(s.e.Owner, s.n)
	if s.token != nil {
		token = s.token(s.n)
	}
	call := func(ctx context.Context, script string) (int, error) {
		return redis.NewScript(script).Run(ctx, s.e.Redis, []string{s.e.Key}, token, s.e.Lease.Milliseconds(), s.e.Owner).Int()
	}
	for {
		n, err := call(ctx, s.take)
		if err == nil && n == 1 || err != nil && s.success != nil && s.success(err) {
			return pollingLease{release: func(ctx context.Context) error {
				if n, err := call(context.WithoutCancel(ctx), s.drop); err != nil || n == 0 {
					return errors.Join(err, lock.ErrNotHeld)
				}
				return nil
			}}, nil
		}
		select {
		case <-time.After(200 * time.Millisecond):
		case <-ctx.Done():
			return nil, errors.Join(lock.ErrNotAcquired, err, ctx.Err())
		}
	}
}

// breachesOf lists what a lock breaches in one run, with the first text of each.
func breachesOf(t *testing.T, s *scenarios.Scenario, seed uint64, newLock func(strategy.Env) lock.Locker) map[string]string {
	t.Helper()
	st := strategy.Strategy{Name: "own", New: func(e strategy.Env) (lock.Locker, error) { return newLock(e), nil }}
	found := map[string]string{}
	for _, v := range virtual.Run(bubble.In(t), engine.Job{Scenario: s, Strategy: st, Seed: seed}).Report.Violations {
		if found[v.Property] == "" {
			found[v.Property] = v.Text
		}
	}
	return found
}

func builtin(t *testing.T, name string) *scenarios.Scenario {
	t.Helper()
	s, err := scenarios.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const (
	hashDrop = `if redis.call('hget',KEYS[1],'owner')~=ARGV[1] then return 0 end return redis.call('del',KEYS[1])`
	// The fields of a hash, taken by token; waiters count themselves in one.
	hashTake = `if redis.call('hexists',KEYS[1],'owner')==0 then
		redis.call('hset',KEYS[1],'owner',ARGV[1]) redis.call('pexpire',KEYS[1],ARGV[2]) return 1 end
		redis.call('hincrby',KEYS[1],'waiters',1) return 0`
	reenter = `if redis.call('exists',KEYS[1])==0 or redis.call('hexists',KEYS[1],ARGV[1])==1 then
		redis.call('hincrby',KEYS[1],ARGV[1],1) redis.call('pexpire',KEYS[1],ARGV[2]) return 1 end return 0`
	leave = `if redis.call('hexists',KEYS[1],ARGV[1])==0 then return 0 end
		if redis.call('hincrby',KEYS[1],ARGV[1],-1)<=0 then redis.call('del',KEYS[1]) end return 1`
	stringDrop = `if redis.call('get',KEYS[1])~=ARGV[1] then return 0 end return redis.call('del',KEYS[1])`
)

// Correct locks whose waiters write into the lock's key raise no alarm where nothing
// goes wrong.
func TestWaitersMayWriteIntoTheKey(t *testing.T) {
	sale := builtin(t, "flash-sale")
	for name, s := range map[string]scripted{
		"a count in a field of the hash":             {take: hashTake, drop: hashDrop},
		"a field of each waiter":                     {take: strings.Replace(hashTake, "'waiters'", "'w:'..ARGV[3]", 1), drop: hashDrop},
		"a count that the owner made":                {take: strings.Replace(hashTake, "'owner',ARGV[1])", "'owner',ARGV[1],'waiters',0)", 1), drop: hashDrop},
		"a count of a lock that its owner re-enters": {take: strings.Replace(reenter, "return 0", "redis.call('hincrby',KEYS[1],'waiters',1) return 0", 1), drop: leave},
		"a count that outlives the owner": {
			take: hashTake,
			drop: `if redis.call('hget',KEYS[1],'owner')~=ARGV[1] then return 0 end return redis.call('hdel',KEYS[1],'owner')`,
		},
		"the number that is the value": {
			take: `if redis.call('incr',KEYS[1])>1 then return 0 end redis.call('pexpire',KEYS[1],ARGV[2]) return 1`,
			drop: `return redis.call('del',KEYS[1])`,
		},
	} {
		for seed := uint64(1); seed <= 2; seed++ {
			if found := breachesOf(t, sale, seed, func(e strategy.Env) lock.Locker { s := s; s.e = e; return &s }); len(found) > 0 {
				t.Errorf("%s, seed %d: %v", name, seed, found)
			}
		}
	}
}

// What overwrites the owner still takes its key, and a removal is one.
func TestWaitersThatTakeTheKeyAreSeen(t *testing.T) {
	sale := builtin(t, "flash-sale")
	for name, s := range map[string]scripted{
		"it overwrites the owner's field": {take: `redis.call('hset',KEYS[1],'owner',ARGV[1]) redis.call('pexpire',KEYS[1],ARGV[2]) return 1`, drop: hashDrop},
		"it overwrites the value":         {take: `redis.call('set',KEYS[1],ARGV[1],'PX',ARGV[2]) return 1`, drop: stringDrop},
		"it overwrites a JSON object":     {take: `redis.call('set',KEYS[1],'{"owner":"'..ARGV[1]..'"}','PX',ARGV[2]) return 1`, drop: `return redis.call('del',KEYS[1])`},
	} {
		found := breachesOf(t, sale, 1, func(e strategy.Env) lock.Locker { s := s; s.e = e; return &s })
		if found["overlap"] == "" || found["foreign-release"] == "" {
			t.Errorf("%s: %v", name, found)
		}
	}
}

// Clients that the lock takes for one owner are told as that.
func TestTwoClientsAreOneOwner(t *testing.T) {
	sale := builtin(t, "flash-sale")
	made := time.Now
	for name, token := range map[string]func(n int) string{
		"the owner is the host":          func(int) string { return "host1" },
		"a clock of coarse ticks":        func(int) string { return fmt.Sprint("t", made().UnixMilli()/16) },
		"a counter that each client has": func(n int) string { return fmt.Sprint("n", n/3) },
	} {
		found := breachesOf(t, sale, 1, func(e strategy.Env) lock.Locker {
			return &scripted{e: e, take: reenter, drop: leave, token: token}
		})
		if !strings.Contains(found["overlap"], "to the lock, both are the owner ") || found["foreign-release"] != "" || found["no-lease"] == "" {
			t.Errorf("%s: %v", name, found)
		}
	}
	found := breachesOf(t, sale, 1, func(e strategy.Env) lock.Locker {
		again := `if redis.call('get',KEYS[1])==ARGV[1] then redis.call('pexpire',KEYS[1],ARGV[2]) return 1 end
			if redis.call('set',KEYS[1],ARGV[1],'NX','PX',ARGV[2]) then return 1 end return 0`
		return &scripted{e: e, take: again, drop: stringDrop, token: func(int) string { return "host1" }}
	})
	if !strings.Contains(found["overlap"], "to the lock, both are the owner ") {
		t.Errorf("a value that is the owner: %v", found)
	}
}

// A lease that was granted though Redis never held the key is a breach, with or
// without another client inside.
func TestALeaseWithoutAKey(t *testing.T) {
	alone := scenario(t, quiet)
	for name, take := range map[string]string{
		"a life that is over":        `redis.call('set',KEYS[1],ARGV[1],'PX',ARGV[2]) redis.call('pexpire',KEYS[1],0) return 1`,
		"a deadline in the past":     `redis.call('set',KEYS[1],ARGV[1]) redis.call('pexpireat',KEYS[1],1) return 1`,
		"an error taken for success": `return redis.call('set',KEYS[1],ARGV[1],'NX','PX',0)`,
		"now and then":               `if tonumber(string.sub(ARGV[1],-1))%2==0 then return 1 end if redis.call('set',KEYS[1],ARGV[1],'NX','PX',ARGV[2]) then return 1 end return 0`,
	} {
		found := breachesOf(t, alone, 1, func(e strategy.Env) lock.Locker {
			return &scripted{e: e, take: take, drop: stringDrop, success: func(error) bool { return true }}
		})
		if found["no-lease"] == "" {
			t.Errorf("%s: %v", name, found)
		}
	}
	// A lock that guards by another key, or by none, is judged by its sections.
	sale := builtin(t, "flash-sale")
	for name, s := range map[string]scripted{
		"another key": {
			take: `if redis.call('set',KEYS[1]..':2',ARGV[1],'NX','PX',ARGV[2]) then return 1 end return 0`,
			drop: `if redis.call('get',KEYS[1]..':2')~=ARGV[1] then return 0 end return redis.call('del',KEYS[1]..':2')`,
		},
	} {
		st := strategy.Strategy{Name: "own", New: func(e strategy.Env) (lock.Locker, error) { s := s; s.e = e; return &s, nil }}
		report := virtual.Run(bubble.In(t), engine.Job{Scenario: sale, Strategy: st, Seed: 1}).Report
		if len(report.Violations) > 0 || report.Unknown != "" {
			t.Errorf("%s: %v, unknown: %s", name, report.Violations, report.Unknown)
		}
	}
}

const twoKeys = `
name: two-keys
summary: Two clients need two locks each, in another order.
clients: 2
sections: 10
work: 500ms..1s
think: 0s..100ms
wait: 30s
require: {sections: 1}
`

// Two keys in opposite order: the one that has the key and waits is told, and who
// waits for it.
func TestACircleOfTwoKeysIsStuck(t *testing.T) {
	cross := scenario(t, twoKeys)
	deadlocked := 0
	for seed := uint64(1); seed <= 20; seed++ {
		longest := time.Duration(0)
		found := breachesOf(t, cross, seed, func(e strategy.Env) lock.Locker {
			keys := []string{e.Key, e.Key + ":2"}
			if e.Owner == "B" {
				keys[0], keys[1] = keys[1], keys[0]
			}
			return crossing{e, keys, &longest}
		})
		if longest < 6*time.Second { // nobody waited for long
			continue
		}
		deadlocked++
		if want := ": A had its key and went on waiting, while B waited for that key"; !strings.HasSuffix(found["stuck"], want) {
			t.Errorf("seed %d: %v", seed, found)
		}
	}
	if deadlocked == 0 {
		t.Error("no seed deadlocks")
	}
}

// crossing is a lock of several keys, taken in their order.
type crossing struct {
	e       strategy.Env
	keys    []string
	longest *time.Duration // that a client waited for a key while it had another
}

func (c crossing) Acquire(ctx context.Context) (lock.Lease, error) {
	drop := func(keys []string) {
		for _, k := range keys {
			_ = compareAndDelete.Run(context.WithoutCancel(ctx), c.e.Redis, []string{k}, c.e.Owner).Err()
		}
	}
	for i, k := range c.keys {
		for begun := time.Now(); ; {
			won, err := c.e.Redis.SetNX(ctx, k, c.e.Owner, 20*c.e.Lease).Result()
			if won {
				break
			}
			select {
			case <-time.After(200 * time.Millisecond):
				continue
			case <-ctx.Done():
			}
			if i > 0 {
				*c.longest = max(*c.longest, time.Since(begun))
			}
			drop(c.keys[:i])
			return nil, errors.Join(lock.ErrNotAcquired, err)
		}
	}
	return pollingLease{release: func(context.Context) error { drop(c.keys); return nil }}, nil
}

// An in-process mutex that stays locked after a release that came too late lets
// nobody of that client in again.
func TestAMutexThatStaysLockedIsStuck(t *testing.T) {
	for _, name := range []string{"gc-pause", "partition", "standby"} {
		s := builtin(t, name)
		for seed := uint64(1); seed <= 4; seed++ {
			found := unforgiven(t, s, seed, func(e strategy.Env) lock.Locker {
				return &guardedByMutex{polling: polling{e: e}, turn: make(chan struct{}, 1)}
			})
			if found["stuck"] == "" {
				t.Errorf("%s, seed %d: %v", name, seed, found)
			}
		}
	}
}

type guardedByMutex struct {
	polling
	turn chan struct{}
}

func (g *guardedByMutex) Acquire(ctx context.Context) (lock.Lease, error) {
	select {
	case g.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, errors.Join(lock.ErrNotAcquired, ctx.Err())
	}
	l, err := g.polling.Acquire(ctx)
	if err != nil {
		<-g.turn
		return nil, err
	}
	return pollingLease{lost: l.(pollingLease).lost, release: func(ctx context.Context) error {
		if err := l.Release(ctx); err != nil {
			return err // the mutex stays locked
		}
		<-g.turn
		return nil
	}}, nil
}
