// Package runner runs many seeds of many scenarios under many strategies, on
// all cores, and folds them into results.
//
// Seeds run in child processes, one per core: this binary, started again, which
// exchanges JSON Lines with its parent over stdin and stdout. If a lock under test
// panics in the background, calls os.Exit, spins or stops virtual time, that is a
// finding of one seed, with its stack, and the next seed runs in a new child. A
// child ends when its stdin closes, so nothing outlives the parent.
//
// Goals: the result does not depend on the number of cores, on the order in
// which seeds finish, or on the wall clock; memory does not grow with the
// number of seeds; an interrupt keeps what is done.
// Non-goals: running one seed (package sim), judging a history (package
// check), drawing (package reports).
package runner

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"time"

	"github.com/lockchaos/simrun/internal/engine"
	"github.com/lockchaos/simrun/internal/results"
	"github.com/lockchaos/simrun/scenarios"
)

// ErrNotHooked: the binary that was started as a child did not call [Child].
var ErrNotHooked = errors.New("the program does not serve as its own child: call runner.Child first in main or TestMain if runner.IsChild")

// ErrInternal: simrun, or a library that makes its world, crashed. That is not
// evidence against the lock.
var ErrInternal = errors.New("simrun itself crashed, which is not the lock's fault: please report it")

// Input is a scenario and where children read it from.
type Input struct {
	Scenario *scenarios.Scenario
	// Source is the scenario's YAML if it came from a file, so that it does not
	// matter if the file changes meanwhile; nil for a built-in scenario.
	Source []byte
}

// Plan is what to run: each scenario under each of its strategies, with the
// seeds First to First+Count-1.
type Plan struct {
	Scenarios []Input
	// Strategies returns the names of those that a scenario runs under.
	Strategies func(*scenarios.Scenario) []string
	First      uint64 // at least 1
	Count      int    // at least 1
	// Replay is set if the seeds are too few to judge what some runs are expected
	// to show, as is the one seed that a user asks for.
	Replay bool
}

// Options say how to run. The zero value of each field is its default.
type Options struct {
	Procs    int            // child processes at once; default GOMAXPROCS
	Dir      string         // the result folder, for recorded histories; default: none are recorded
	Program  string         // as the user types it, in replay commands; default "simrun"
	Progress func(Progress) // called at the start, after each run and at the end, never concurrently; default: none
	Stall    time.Duration  // real time without progress in virtual time that makes a finding; default 10 s
	Silence  time.Duration  // real time without output from a child after which it is killed; default 30 s
	Recycle  int            // seeds after which a child is replaced; default 2000
	// Live, if not nil, runs one seed in real time, in this process, without
	// children. Up to Procs calls run concurrently.
	Live func(context.Context, engine.Job) (engine.Outcome, error)
	// Setup describes live runs.
	Setup *results.Setup
}

func (o Options) withDefaults() Options {
	o.Procs = cmp.Or(o.Procs, runtime.GOMAXPROCS(0))
	o.Program = cmp.Or(o.Program, "simrun")
	o.Stall = cmp.Or(o.Stall, 10*time.Second)
	o.Silence = cmp.Or(o.Silence, 30*time.Second)
	o.Recycle = cmp.Or(o.Recycle, 2000)
	if o.Progress == nil {
		o.Progress = func(Progress) {}
	}
	return o
}
