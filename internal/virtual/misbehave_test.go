package sim_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/lockchaos/simrun/lock"
	"github.com/lockchaos/simrun/scenarios"
	"github.com/lockchaos/simrun/sim"
	"github.com/lockchaos/simrun/sim/bubble"
	"github.com/lockchaos/simrun/sim/history"
)

// fake is a lock whose methods are given one by one: by default it is held by
// whoever asks.
type fake struct {
	env     sim.Env
	acquire func(context.Context, sim.Env) error
	release func(context.Context, sim.Env) error
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

func strategy(f fake) sim.Strategy {
	return sim.Strategy{Name: "fake", New: func(e sim.Env) (lock.Locker, error) {
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

// A lock that misbehaves as a program is a finding with a stack, and the run
// ends all the same.
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
			lock: fake{acquire: func(context.Context, sim.Env) error {
				panic("no such script")
			}},
			class: "panic", detail: "panic in Acquire: no such script", stack: "sim_test.fake.Acquire",
		},
		{
			name: "panics in release",
			lock: fake{release: func(context.Context, sim.Env) error {
				panic("unlock of unlocked lock")
			}},
			class: "panic", detail: "panic in Release", stack: "sim_test.fake.Release",
		},
		{
			name: "blocks for ever in acquire",
			lock: fake{acquire: func(context.Context, sim.Env) error {
				select {}
			}},
			class: "blocked", detail: "Acquire of client", stack: "sim_test.fake.Acquire",
		},
		{
			name: "leaves a goroutine",
			lock: fake{release: func(context.Context, sim.Env) error {
				go forgotten()
				return nil
			}},
			detail: "goroutine started by github.com/lockchaos/simrun/sim_test.TestMisbehavingLockIsAFinding",
			stack:  "sim_test.forgotten",
		},
		{
			name: "leaves a subscription",
			lock: fake{acquire: func(ctx context.Context, e sim.Env) error {
				_, err := e.Redis.Subscribe(ctx, "wake").Receive(ctx)
				return err
			}},
			detail: "subscription to wake",
		},
		{
			name: "leaves a key without expiry",
			lock: fake{acquire: func(ctx context.Context, e sim.Env) error {
				return e.Redis.Set(ctx, e.Key+":queue", e.Owner, 0).Err()
			}},
			detail: "key lock:item:queue is left without expiry",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out := sim.Run(bubble.In(t), sim.Job{
				Scenario: scenario(t, quiet), Strategy: strategy(tt.lock), Seed: 1, Record: true,
			})
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

func forgotten() {
	for {
		time.Sleep(time.Hour)
	}
}

func TestStrategyThatCannotBeMadeIsAFinding(t *testing.T) {
	broken := sim.Strategy{Name: "broken", New: func(sim.Env) (lock.Locker, error) {
		return nil, lock.ErrNotHeld
	}}
	out := sim.Run(bubble.In(t), sim.Job{Scenario: scenario(t, quiet), Strategy: broken, Seed: 1})
	if len(out.Report.Findings) != 1 || out.Report.Unknown == "" {
		t.Errorf("report %+v: want one finding and too little evidence", out.Report)
	}
}
