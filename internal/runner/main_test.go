package runner

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/lockchaos/simrun/internal/bubble"
	"github.com/lockchaos/simrun/internal/check"
	"github.com/lockchaos/simrun/internal/engine"
	"github.com/lockchaos/simrun/internal/history"
	"github.com/lockchaos/simrun/internal/strategy"
	"github.com/lockchaos/simrun/internal/virtual"
	"github.com/lockchaos/simrun/lock"
)

// TestMain lets the test binary serve as its own child, with runs that behave as
// the strategy's name says.
func TestMain(m *testing.M) {
	for _, name := range []string{
		"steady", "moody", "panics", "exits", "spins", "stops-time", "prints", "freezes", "thin", "fickle",
		"logs", "killed-once", "killed", "rants", "innocent",
	} {
		strategy.Register(strategy.Strategy{
			Name: name, Summary: "a test's " + name,
			New: func(strategy.Env) (lock.Locker, error) { return nil, lock.ErrNotAcquired },
		})
	}
	for name, newLock := range freezing {
		strategy.Register(strategy.Strategy{Name: name, Summary: "a lock that stops time", New: newLock})
	}
	runSeed = fakeRun
	if IsChild() {
		Child()
	}
	os.Exit(m.Run())
}

// fakeRun replaces virtual.Run. Its report depends on the seed alone.
func fakeRun(h bubble.Host, j engine.Job) engine.Outcome {
	if freezing[j.Strategy.Name] != nil {
		return virtual.Run(h, j)
	}
	header := history.Header{Mode: "sim", Scenario: j.Scenario.Name, Strategy: j.Strategy.Name, Seed: j.Seed, Faults: []string{}}
	r := check.Report{
		Counters: check.Counters{
			Sections: 10, Commands: int(j.Seed), Virtual: int64(j.Seed) * 1e9, Inside: 5e9, Lost: int64(j.Seed % 7),
		},
		Waits: []int64{int64(j.Seed) * 1e6, int64(j.Seed%13) * 1e8},
	}
	if err := h.Run(func() { behave(j, &r) }); err != nil {
		r.Findings = append(r.Findings, check.Finding{Class: "leak", Detail: err.Error()})
	}
	return engine.Outcome{Header: header, Report: r, Events: []history.Event{{Seq: 1, At: 1, Kind: history.End}}}
}

func behave(j engine.Job, r *check.Report) {
	overlap := check.Violation{Property: "overlap", Size: int64(j.Seed), Events: []int{1}, Text: fmt.Sprintf("seed %d", j.Seed)}
	switch j.Strategy.Name {
	case "moody":
		if j.Seed%3 == 0 {
			r.Violations = append(r.Violations, overlap, overlap)
		}
		if j.Seed%5 == 0 {
			r.Violations = append(r.Violations, check.Violation{Property: "stale-write", Events: []int{1}})
			r.Aborted = 1
		}
	case "panics":
		if j.Seed%4 == 0 {
			go panic("the lock is broken")
		}
	case "exits":
		if j.Seed == 3 {
			os.Exit(7)
		}
	case "spins":
		if j.Seed == 2 {
			for n := uint64(0); ; n++ {
				overlap.Size += int64(n)
			}
		}
	case "stops-time":
		stopTime(j.Seed)
	case "prints":
		fmt.Println("a lock that prints")
	case "freezes":
		if j.Seed == 2 {
			_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
			for overlap.Size >= 0 { // until the signal arrives
				overlap.Size &= 0xff
			}
		}
	case "thin":
		if j.Seed%2 == 0 {
			r.Unknown = fmt.Sprintf("fault 1:pause never fired in seed %d", j.Seed)
			r.Violations = append(r.Violations, overlap)
		}
	case "logs":
		fmt.Fprintf(firstStdout, "seed %d, and %sis no reply\n", j.Seed, replyMark)
		fmt.Fprintf(firstStdout, "%s{neither is this\n\n a line without an end", replyMark)
	case "killed-once":
		if file := os.Getenv(killedFile); j.Seed == 3 && os.Mkdir(file, 0o700) == nil {
			die(syscall.SIGTERM)
		}
	case "killed":
		if j.Seed == 3 || j.Record {
			die(syscall.SIGKILL)
		}
	case "rants":
		panic(strings.Repeat("the lock is broken, ", 5000))
	case "innocent":
		if j.Seed == 2 {
			virtual.Run(bubble.Host{}, j) // without a test to run in, simrun panics
		}
	case "fickle":
		overlap.Text = fmt.Sprint(j.Record)
		r.Violations = append(r.Violations, overlap)
	}
}

// killedFile names a folder that exists once a child has been killed.
const killedFile = "SIMRUN_TEST_KILLED"

// die is killed by a signal, as if from outside.
func die(how syscall.Signal) {
	_ = syscall.Kill(os.Getpid(), how)
	for spun := 0; ; spun++ { // until the signal arrives
		spun &= 0xff
	}
}

// firstStdout is the standard output as a logger made at package level has it.
var firstStdout = os.Stdout

// stopTime sleeps while it holds a mutex that another goroutine waits for.
func stopTime(seed uint64) {
	if seed != 2 {
		return
	}
	var mu sync.Mutex
	var wg sync.WaitGroup
	mu.Lock()
	wg.Go(func() {
		mu.Lock()
		defer mu.Unlock()
	})
	time.Sleep(time.Second)
	mu.Unlock()
	wg.Wait()
}
