package virtual_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lockchaos/simrun/internal/bubble"
	"github.com/lockchaos/simrun/internal/engine"
	"github.com/lockchaos/simrun/internal/history"
	"github.com/lockchaos/simrun/internal/strategy"
	"github.com/lockchaos/simrun/internal/virtual"
	"github.com/lockchaos/simrun/lock"
	"github.com/lockchaos/simrun/scenarios"
)

// fake is a lock whose methods can be replaced one by one; by default it is granted
// to every caller.
type fake struct {
	env     strategy.Env
	acquire func(context.Context, strategy.Env) error
	release func(context.Context, strategy.Env) error
}

func (f fake) Acquire(ctx context.Context) (lock.Lease, error) {
	if f.acquire != nil {
		if err := f.acquire(ctx, f.env); err != nil {
			return nil, err
		}
	}
	return f, nil
}
func (f fake) Lost() <-chan struct{} { return nil }
func (f fake) Fence() int64          { return 0 }
func (f fake) Release(ctx context.Context) error {
	if f.release != nil {
		return f.release(ctx, f.env)
	}
	return nil
}

func strategyOf(f fake) strategy.Strategy {
	return strategy.Strategy{Name: "fake", New: func(e strategy.Env) (lock.Locker, error) {
		f.env = e
		return f, nil
	}}
}

func scenario(t *testing.T, src string) *scenarios.Scenario {
	t.Helper()
	s, err := scenarios.Parse("test.yaml", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const quiet = `
name: quiet
summary: Nothing goes wrong.
clients: 2
sections: 2
work: 1s
expect: {naive: {zombie: none}}
`

// A lock that panics, blocks or leaks is a finding with a stack, and the run still
// ends.
func TestMisbehavingLockIsAFinding(t *testing.T) {
	tests := []struct {
		name   string
		lock   fake
		class  string // of the finding; empty: a residue instead
		detail string // part of the finding's or residue's text
		stack  string // a function that the stack must name
	}{
		{
			name: "panics in acquire",
			lock: fake{acquire: func(context.Context, strategy.Env) error {
				panic("no such script")
			}},
			class: "panic", detail: "panic in Acquire: no such script", stack: "virtual_test.fake.Acquire",
		},
		{
			name: "panics in release",
			lock: fake{release: func(context.Context, strategy.Env) error {
				panic("unlock of unlocked lock")
			}},
			class: "panic", detail: "panic in Release", stack: "virtual_test.fake.Release",
		},
		{
			name: "blocks for ever in acquire",
			lock: fake{acquire: func(context.Context, strategy.Env) error {
				select {}
			}},
			class: "blocked", detail: "Acquire of client", stack: "virtual_test.fake.Acquire",
		},
		{
			name: "leaves a goroutine",
			lock: fake{release: func(context.Context, strategy.Env) error {
				go forgotten()
				return nil
			}},
			detail: "goroutine started by github.com/lockchaos/simrun/internal/virtual_test.TestMisbehavingLockIsAFinding",
			stack:  "virtual_test.forgotten",
		},
		{
			name: "leaves a subscription",
			lock: fake{acquire: func(ctx context.Context, e strategy.Env) error {
				_, err := e.Redis.Subscribe(ctx, "wake").Receive(ctx)
				return err
			}},
			detail: "subscription to wake",
		},
		{
			name: "leaves a key without expiry",
			lock: fake{acquire: func(ctx context.Context, e strategy.Env) error {
				return e.Redis.Set(ctx, e.Key+":queue", e.Owner, 0).Err()
			}},
			detail: "key lock:item:queue is left without expiry",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			job := engine.Job{Scenario: scenario(t, quiet), Strategy: strategyOf(tt.lock), Seed: 1, Record: true}
			out := virtual.Run(bubble.In(t), job)
			for range 3 { // no address or goroutine's number is in a history
				again := virtual.Run(bubble.In(t), job)
				if diff := cmp.Diff(out.Events, again.Events); diff != "" {
					t.Errorf("another run of the seed (-first +another):\n%s", diff)
				}
			}
			var seen []string
			for _, e := range out.Events {
				text := e.Detail + "\n" + e.Text
				if e.Kind != history.Finding && e.Kind != history.Residue {
					continue
				}
				seen = append(seen, text)
				if tt.class != "" && e.Detail != tt.class {
					continue
				}
				if strings.Contains(text, tt.detail) && strings.Contains(text, tt.stack) {
					return
				}
			}
			t.Errorf("no finding %q with %q and %q in:\n%s", tt.class, tt.detail, tt.stack, strings.Join(seen, "\n---\n"))
		})
	}
}

// A goroutine that ends soon after the lock was closed is no leak.
func TestAGoroutineMayEndAfterTheLock(t *testing.T) {
	lingering := fake{release: func(context.Context, strategy.Env) error {
		go time.Sleep(9 * time.Second)
		return nil
	}}
	for _, e := range virtual.Run(bubble.In(t), engine.Job{Scenario: scenario(t, quiet), Strategy: strategyOf(lingering), Seed: 1, Record: true}).Events {
		if e.Kind == history.Residue {
			t.Errorf("%s\n%s", e.Detail, e.Text)
		}
	}
}

func forgotten() {
	for {
		time.Sleep(time.Hour)
	}
}

func TestStrategyThatCannotBeMadeIsAFinding(t *testing.T) {
	broken := strategy.Strategy{Name: "broken", New: func(strategy.Env) (lock.Locker, error) {
		return nil, lock.ErrNotHeld
	}}
	out := virtual.Run(bubble.In(t), engine.Job{Scenario: scenario(t, quiet), Strategy: broken, Seed: 1})
	if len(out.Report.Findings) != 1 || out.Report.Unknown == "" {
		t.Errorf("report %+v: want one finding and too little evidence", out.Report)
	}
}
