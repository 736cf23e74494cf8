// Package sim is the engine: it runs one seed of a scenario against one lock,
// with the real go-redis, miniredis and Toxiproxy toxics in virtual time, and
// records its history.
//
// Goals: a seed gives the same history to the byte; the lock under test needs
// no hook and no change.
// Non-goals: running many seeds (package runner), judging (package check).
package sim

import (
	"github.com/lockchaos/simrun/scenarios"
	"github.com/lockchaos/simrun/sim/bubble"
	"github.com/lockchaos/simrun/sim/check"
	"github.com/lockchaos/simrun/sim/history"
)

// Job is one run.
type Job struct {
	Scenario *scenarios.Scenario
	Strategy Strategy
	Seed     uint64
	Record   bool // keep the events in Outcome.Events
}

// Outcome is what one run gave.
type Outcome struct {
	Header history.Header
	Report check.Report
	Events []history.Event // if Record
}

// Run runs one seed. A lock that panics, blocks or leaks is a finding in the
// report; a panic in a goroutine that the lock started ends the process, which
// is why package runner runs seeds in child processes.
func Run(h bubble.Host, j Job) Outcome { panic("not yet") }
