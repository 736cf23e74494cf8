package runner

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockchaos/simrun/internal/strategy"
	"github.com/lockchaos/simrun/lock"
	"github.com/lockchaos/simrun/scenarios"
)

// freezing are locks that hold a mutex over I/O while another goroutine waits for it,
// which stops virtual time.
var freezing = map[string]func(strategy.Env) (lock.Locker, error){
	"subscribes":     func(e strategy.Env) (lock.Locker, error) { return &presence{e: e}, nil },
	"own-mutex":      func(e strategy.Env) (lock.Locker, error) { return &frozen{e: e, hold: (*frozen).underMutex}, nil },
	"own-rwmutex":    func(e strategy.Env) (lock.Locker, error) { return &frozen{e: e, hold: (*frozen).underRWMutex}, nil },
	"own-once":       func(e strategy.Env) (lock.Locker, error) { return &frozen{e: e, hold: (*frozen).once}, nil },
	"own-wait-group": func(e strategy.Env) (lock.Locker, error) { return &frozen{e: e, hold: (*frozen).group}, nil },
	"global-mutex":   func(e strategy.Env) (lock.Locker, error) { return &frozen{e: e, hold: (*frozen).underGlobal}, nil },
}

// presence is held by being the only subscriber of a channel. Its subscription reads,
// pings and reconnects by itself.
type presence struct {
	e  strategy.Env
	ps *redis.PubSub
}

func (p *presence) Acquire(ctx context.Context) (lock.Lease, error) {
	for channel := "presence:" + p.e.Key; ; {
		p.ps = p.e.Redis.Subscribe(ctx, channel)
		_, err := p.ps.Receive(ctx)
		if err == nil {
			var n map[string]int64
			if n, err = p.e.Redis.PubSubNumSub(ctx, channel).Result(); err == nil && n[channel] == 1 {
				p.ps.Channel()
				return p, nil
			}
		}
		_ = p.ps.Close()
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return nil, lock.ErrNotAcquired
		}
	}
}
func (p *presence) Lost() <-chan struct{}         { return nil }
func (p *presence) Fence() int64                  { return 0 }
func (p *presence) Release(context.Context) error { return p.ps.Close() }

// frozen asks Redis in a goroutine, holding something, and then wants that, too.
type frozen struct {
	e    strategy.Env
	hold func(*frozen)
	mu   sync.Mutex
	rw   sync.RWMutex
	do   sync.Once
	wg   sync.WaitGroup
}

func (f *frozen) Acquire(context.Context) (lock.Lease, error) {
	f.hold(f)
	return f, nil
}
func (f *frozen) Lost() <-chan struct{}         { return nil }
func (f *frozen) Fence() int64                  { return 0 }
func (f *frozen) Release(context.Context) error { return nil }

func (f *frozen) ask() { f.e.Redis.Get(context.Background(), f.e.Key) }

func (f *frozen) renew() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ask()
}

func (f *frozen) underMutex() {
	go f.renew()
	time.Sleep(time.Nanosecond)
	f.mu.Lock()
	defer f.mu.Unlock()
}

func (f *frozen) look() {
	f.rw.RLock()
	defer f.rw.RUnlock()
	f.ask()
}

func (f *frozen) underRWMutex() {
	go f.look()
	time.Sleep(time.Nanosecond)
	f.rw.Lock()
	defer f.rw.Unlock()
}

func (f *frozen) once() {
	go f.do.Do(f.ask)
	time.Sleep(time.Nanosecond)
	f.do.Do(f.ask)
}

// A wait group's waiters do not stop the clock.
func (f *frozen) group() {
	f.wg.Add(1)
	go func() {
		defer f.wg.Done()
		f.ask()
	}()
	f.wg.Wait()
}

var global sync.Mutex // of all clients

func (f *frozen) underGlobal() {
	global.Lock()
	defer global.Unlock()
	f.ask()
}

// A finding names the innermost call of the one that holds the mutex, not of those that
// wait for it, and says where that is go-redis.
func TestAFreezeNamesTheHolder(t *testing.T) {
	for _, tt := range []struct{ strategy, scenario, holder, waiter, more string }{
		{"subscribes", "redis-restart-kept", "redis/v9.(*PubSub).", "", "go-redis froze the run, and not the lock's own code"},
		{"own-mutex", "expiry", "runner.(*frozen).ask;", "(*frozen).underMutex", ""},
		{"own-rwmutex", "expiry", "runner.(*frozen).ask;", "(*frozen).underRWMutex", ""},
		{"own-once", "expiry", "runner.(*frozen).ask;", "(*frozen).once", ""},
		{"global-mutex", "flash-sale", "runner.(*frozen).ask;", "sync.(*Mutex).Lock", ""},
		{"own-wait-group", "expiry", "", "", ""},
	} {
		t.Run(tt.strategy, func(t *testing.T) {
			sc, err := scenarios.Load(tt.scenario)
			if err != nil {
				t.Fatal(err)
			}
			sc.Expect = map[string]expectations{tt.strategy: {"overlap": scenarios.None}}
			p := Plan{
				Scenarios:  []Input{{Scenario: sc}},
				Strategies: func(*scenarios.Scenario) []string { return []string{tt.strategy} },
				First:      1, Count: 4,
			}
			r := runPlan(t, p, Options{Procs: 1, Stall: 500 * time.Millisecond})
			found := 0
			for _, f := range r.Scenarios[0].Strategies[0].Findings {
				if f.Class != classStuckTime {
					continue
				}
				found++
				if !strings.Contains(f.Detail, "most likely in ") || !strings.Contains(f.Detail+";", tt.holder) ||
					!strings.Contains(f.Detail, tt.more) || !strings.Contains(f.Stack, tt.waiter) {
					t.Errorf("%s\n%s", f.Detail, f.Stack)
				}
			}
			if (found > 0) != (tt.holder != "") {
				t.Errorf("%d freezes; findings %+v", found, r.Scenarios[0].Strategies[0].Findings)
			}
		})
	}
}
