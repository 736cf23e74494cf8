package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/lockchaos/simrun/internal/live/worker"
	"github.com/lockchaos/simrun/internal/proc"
	"github.com/lockchaos/simrun/internal/runner"
	"github.com/lockchaos/simrun/internal/strategy"
	"github.com/lockchaos/simrun/lock"
)

// withLocks makes the test binary a program that brings locks of its own, each
// of which misbehaves as its name says.
const withLocks = "SIMRUN_TEST_LOCKS"

// TestMain lets the test binary serve as simrun, and as what simrun starts.
func TestMain(m *testing.M) {
	if os.Getenv(withLocks) != "" {
		for _, name := range slices.Sorted(maps.Keys(misbehaviour)) {
			strategy.Register(strategy.Strategy{
				Name: name, Summary: "a lock that misbehaves",
				New: func(e strategy.Env) (lock.Locker, error) { return &locker{Env: e, acquired: misbehaviour[name]}, nil },
			})
		}
	}
	switch {
	case runner.IsChild():
		runner.Child()
	case worker.Is():
		worker.Run()
	case proc.IsReaper(os.Args[1:]):
		proc.RunReaper()
	}
	base.Stall, patience = time.Second, 3*time.Second
	testscript.Main(m, map[string]func(){
		"simrun": func() { os.Exit(Main(os.Args[1:], os.Stdout, os.Stderr)) },
	})
}

// misbehaviour is what a lock does once a client has it.
var misbehaviour = map[string]func(*locker){
	"harmless": func(*locker) {},
	"prints":   func(*locker) { fmt.Println("a line that is no business of the protocol") },
	"panics":   func(*locker) { panic("the lock is broken") },
	"panics-later": func(l *locker) {
		time.AfterFunc(time.Second, func() { panic("the lock broke in the background") })
	},
	"exits": func(*locker) { os.Exit(9) },
	"spins": func(*locker) {
		for n := 0; ; n++ {
			spun += n
		}
	},
	"blocks": func(*locker) { <-make(chan int) },
	"leaks":  func(*locker) { go func() { <-make(chan int) }() },
	"holds-mutex": func(l *locker) {
		l.mu.Lock()
		go func() {
			l.mu.Lock()
			defer l.mu.Unlock()
		}()
		l.Redis.Get(context.Background(), l.Key)
		l.mu.Unlock()
	},
}

var spun int

// locker is a lock without a lease time, as simple as can be.
type locker struct {
	strategy.Env
	acquired func(*locker)
	mu       sync.Mutex
}

func (l *locker) Acquire(ctx context.Context) (lock.Lease, error) {
	for {
		ok, err := l.Redis.SetNX(ctx, l.Key, l.Owner, time.Hour).Result()
		if err != nil {
			return nil, err
		}
		if ok {
			l.acquired(l)
			return l, nil
		}
		wait := time.NewTimer(time.Second + time.Duration(l.Jitter()*float64(time.Second)))
		select {
		case <-wait.C:
		case <-ctx.Done():
			wait.Stop()
			return nil, lock.ErrNotAcquired
		}
	}
}

func (l *locker) Lost() <-chan struct{} { return nil }
func (l *locker) Fence() int64          { return 0 }

func (l *locker) Release(ctx context.Context) error {
	n, err := l.Redis.Del(ctx, l.Key).Result()
	if err == nil && n == 0 {
		return lock.ErrNotHeld
	}
	return err
}

func TestScripts(t *testing.T) { runScripts(t, "testdata/script") }

// runScripts runs the scripts of a folder. $EXAMPLES is the folder of that name.
func runScripts(t *testing.T, dir string) {
	t.Helper()
	examples, err := filepath.Abs("../../examples")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: dir,
		Setup: func(e *testscript.Env) error {
			e.Setenv("EXAMPLES", examples)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits,
		},
	})
}

// exits CODE runs simrun with the arguments that follow and wants that very
// exit code, which `! exec` does not tell apart.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: exits CODE arguments...")
	}
	err := ts.Exec("simrun", args[1:]...)
	got := 0
	if e := (*exec.ExitError)(nil); err != nil {
		if !errors.As(err, &e) {
			ts.Fatalf("%v", err)
		}
		got = e.ExitCode()
	}
	if fmt.Sprint(got) != args[0] {
		ts.Fatalf("exit code is %d, want %s", got, args[0])
	}
}
