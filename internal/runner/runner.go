// Package runner runs many seeds of many scenarios under many strategies, on
// all cores, and folds them into results.
//
// Seeds run in child processes: further starts of this very binary, one a
// core, fed over stdin and read over stdout as JSON Lines. A lock under test
// that panics in the background, calls os.Exit, spins or stops virtual time is
// then one seed's finding, with its stack, and the next seed goes on in a new
// child. A child ends when its stdin closes, so nothing outlives the parent.
//
// Goals: the result does not depend on the number of cores, on the order in
// which seeds finish, or on the wall clock; memory does not grow with the
// number of seeds; an interrupt keeps what is done.
// Non-goals: running one seed (package sim), judging a history (package
// check), drawing (package reports).
package runner

import (
	"context"
	"errors"
	"runtime"
	"time"

	"github.com/lockchaos/simrun/internal/engine"
	"github.com/lockchaos/simrun/internal/results"
	"github.com/lockchaos/simrun/scenarios"
)

// ErrNotHooked: the binary that was started as a child did not call [Child].
var ErrNotHooked = errors.New("the program does not serve as its own child: call runner.Child first thing in main or TestMain where runner.IsChild")

// ErrInternal: simrun, or a library that it brings, crashed. That is no
// evidence against the lock.
var ErrInternal = errors.New("simrun itself crashed, which is not the lock's fault: please report it")

// Input is a scenario and where children read it from.
type Input struct {
	Scenario *scenarios.Scenario
	// Source is the scenario's YAML where it came from a file, so that a file
	// that changes meanwhile changes nothing; nil for a built-in scenario.
	Source []byte
}

// Plan is what to run: each scenario under each of its strategies, with the
// seeds First to First+Count-1.
type Plan struct {
	Scenarios []Input
	// Strategies gives the names to run a scenario under.
	Strategies func(*scenarios.Scenario) []string
	First      uint64 // at least 1
	Count      int    // at least 1
	// Replay says that somebody asked for this very seed: what is expected of
	// some runs is then not judged.
	Replay bool
}

// Options say how to run. The zero value of each field is its default.
type Options struct {
	Procs    int           // child processes at once; default GOMAXPROCS
	Dir      string        // the result folder, for recorded histories; default: none are recorded
	Program  string        // as the user types it, in replay commands; default "simrun"
	Progress Progress      // default: none
	Stall    time.Duration // real time without progress in virtual time that makes a finding; default 10 s
	Silence  time.Duration // real time without a word from a child after which it is killed; default 30 s
	Recycle  int           // seeds after which a child is replaced; default 2000
	// Live, if not nil, runs one seed in real time, in this process; it may be
	// called Procs times at once. There are no children then.
	Live func(context.Context, engine.Job) (engine.Outcome, error)
	// Setup is what live runs are made of.
	Setup *results.Setup
}

func (o Options) withDefaults() Options {
	if o.Procs <= 0 {
		o.Procs = runtime.GOMAXPROCS(0)
	}
	if o.Program == "" {
		o.Program = "simrun"
	}
	if o.Progress == nil {
		o.Progress = quiet{}
	}
	if o.Stall <= 0 {
		o.Stall = 10 * time.Second
	}
	if o.Silence <= 0 {
		o.Silence = 30 * time.Second
	}
	if o.Recycle <= 0 {
		o.Recycle = 2000
	}
	return o
}
