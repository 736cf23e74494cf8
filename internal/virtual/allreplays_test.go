package virtual_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/lockchaos/simrun/internal/bubble"
	"github.com/lockchaos/simrun/internal/engine"
	"github.com/lockchaos/simrun/internal/history"
	"github.com/lockchaos/simrun/internal/strategy"
	"github.com/lockchaos/simrun/internal/virtual"
	"github.com/lockchaos/simrun/lock"
	"github.com/lockchaos/simrun/scenarios"
)

var replaysInAll = flag.Int("replays", 100*librarySeeds/10, "replays in all of TestReplays, which it spreads over all cells: 5000 take minutes")

// replaysOfSeed is how many replays one recorded run is compared with.
const replaysOfSeed = 4

// misbehaving are locks whose runs have findings and residues, with stacks in them.
var misbehaving = []struct {
	name string
	lock func(strategy.Env) lock.Locker
}{
	{"panics with an address", acquiring(func(_ context.Context, e strategy.Env) error { panic(fmt.Sprintf("%s at %p", e.Owner, e.Redis)) })},
	{"panics by a nil pointer", acquiring(func(context.Context, strategy.Env) error {
		var none *fake
		return none.env.Redis.Close()
	})},
	{"panics in release", releasing(func(context.Context, strategy.Env) error { panic(errors.New("unlock of unlocked lock")) })},
	{"ends the goroutine", releasing(func(context.Context, strategy.Env) error { runtime.Goexit(); return nil })},
	{"blocks in a select", acquiring(func(context.Context, strategy.Env) error { select {} })},
	{"blocks in a wait group", releasing(func(context.Context, strategy.Env) error {
		var w sync.WaitGroup
		w.Add(1)
		w.Wait()
		return nil
	})},
	{"blocks in a read of Redis", acquiring(func(ctx context.Context, e strategy.Env) error {
		for { // as if its own key were somebody else's
			if err := e.Redis.SetNX(context.WithoutCancel(ctx), e.Key, e.Owner, time.Hour).Err(); err != nil {
				return err
			}
			time.Sleep(time.Second)
		}
	})},
	{"leaves goroutines", acquiring(func(context.Context, strategy.Env) error {
		for i := range 3 {
			go waitFor(make(chan int, i), i)
		}
		return nil
	})},
	{"leaves subscriptions and keys", acquiring(func(ctx context.Context, e strategy.Env) error {
		_, err := e.Redis.Subscribe(ctx, "wake "+e.Owner).Receive(ctx)
		return errors.Join(err, e.Redis.Set(ctx, e.Key+":"+e.Owner, 1, 0).Err())
	})},
	{"cannot be closed", func(e strategy.Env) lock.Locker { return unclosable{fake{env: e}} }},
	{"gives no lease", func(strategy.Env) lock.Locker { return leaseless{} }},
	{"dials by itself", acquiring(func(ctx context.Context, e strategy.Env) error {
		time.Sleep(time.Minute) // or its history is very long
		return errors.New("dial tcp " + e.Redis.Options().Addr + ": refused")
	})},
}

func acquiring(f func(context.Context, strategy.Env) error) func(strategy.Env) lock.Locker {
	return func(e strategy.Env) lock.Locker { return fake{env: e, acquire: f} }
}

func releasing(f func(context.Context, strategy.Env) error) func(strategy.Env) lock.Locker {
	return func(e strategy.Env) lock.Locker { return fake{env: e, release: f} }
}

func waitFor(c chan int, n int) { <-c; _ = n }

type unclosable struct{ fake }

func (unclosable) Close() error { select {} }

type leaseless struct{}

func (leaseless) Acquire(context.Context) (lock.Lease, error) { return nil, nil }

// Replays give the same history to the byte in every cell, and for every way in
// which a lock may misbehave as a program.
func TestReplays(t *testing.T) {
	var jobs []engine.Job
	for _, s := range scenarios.Builtin() {
		for _, st := range strategy.All() {
			jobs = append(jobs, engine.Job{Scenario: s, Strategy: st})
		}
		for _, m := range misbehaving {
			jobs = append(jobs, engine.Job{Scenario: s, Strategy: strategy.Strategy{
				Name: m.name, New: func(e strategy.Env) (lock.Locker, error) { return m.lock(e), nil },
			}})
		}
	}
	done, differ, findings := 0, 0, 0
	for i := 0; done < *replaysInAll; i++ {
		j := jobs[i*67%len(jobs)] // few replays see many scenarios and locks, too
		j.Seed, j.Record = uint64(2+i/len(jobs)), true
		first, found := recorded(t, j)
		findings += found
		if i%50 == 0 {
			t.Logf("%d replays so far", done)
		}
		for range min(replaysOfSeed, *replaysInAll-done) {
			done++
			if again, _ := recorded(t, j); !bytes.Equal(first, again) {
				differ++
				a, b := firstDifference(first, again)
				t.Errorf("%s, %s, seed %d: a replay differs:\n%s\n%s", j.Scenario.Name, j.Strategy.Name, j.Seed, a, b)
			}
		}
	}
	t.Logf("%d replays, %d differ: %d findings and residues were replayed", done, differ, findings)
	if findings == 0 {
		t.Error("no lock misbehaved: that proves nothing of findings")
	}
}

// recorded returns a run's history as it is written, and how many findings and
// residues are in it.
func recorded(t *testing.T, j engine.Job) (written []byte, findings int) {
	var b bytes.Buffer
	run := virtual.Run(bubble.In(t), j)
	w := history.NewWriter(&b, run.Header)
	for _, e := range run.Events {
		w.Event(&e)
		if e.Kind == history.Finding || e.Kind == history.Residue {
			findings++
		}
	}
	for _, f := range run.Report.Findings {
		fmt.Fprintln(&b, f)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), findings
}

func firstDifference(a, b []byte) (inA, inB []byte) {
	as, bs := bytes.Split(a, []byte("\n")), bytes.Split(b, []byte("\n"))
	for i := range min(len(as), len(bs)) {
		if !bytes.Equal(as[i], bs[i]) {
			return as[i], bs[i]
		}
	}
	return nil, nil
}
