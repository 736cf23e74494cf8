// Package scenarios holds scenarios: their Go types, the strict YAML reader, and
// the built-in library.
//
// Goals: an error names the file, line, column and the nearest valid word; nothing
// runs from a file with a mistake in it.
// Non-goals: running a scenario (internal/virtual and internal/live), and knowing
// more of locks and properties than their names.
package scenarios

import (
	"strconv"
	"time"

	"github.com/lockchaos/simrun/chaos"
)

// Scenario is one sequence of faults and what is expected of each lock under it.
type Scenario struct {
	Name         string
	Summary      string // one sentence
	Source       string // where it happened or was described; may be empty
	Story        string // what happens, at length; may be empty
	File         string // path it was read from; empty for a built-in one
	Clients      int
	Sections     int                      // for each client
	Lease        time.Duration            // of the lock
	Renew        time.Duration            // between renewals
	Cap          int                      // renewals, for a lock that caps them
	Wait         time.Duration            // bound of one Acquire; the client then tries again
	Work         chaos.Range              // inside the section
	Think        chaos.Range              // between sections
	Rollback     chaos.Range              // how long an aborted section stays inside
	Network      chaos.Range              // latency of a message in one direction
	WriteTimeout time.Duration            // after which the client gives up a write to the resource
	Stock        int64                    // of the resource at the start
	Limit        time.Duration            // virtual time after which a run is stopped
	MinSections  int                      // fewer sections entered in all are too little evidence
	Bounds       map[string]time.Duration // property → how late is too late
	Faults       []chaos.Plan
	// Expect maps a strategy to what is expected of it: a property (or one of
	// the observations aborted, rejected, sold-out) to an Expectation.
	Expect map[string]map[string]Expectation

	strategyPlaces map[string]place // of each strategy under expect
}

// ClientNames lists the clients of a run: A to Z, then A1, B1 and so on.
func (s *Scenario) ClientNames() []string {
	names := make([]string, s.Clients)
	for i := range names {
		names[i] = string(rune('A' + i%26))
		if i >= 26 {
			names[i] += strconv.Itoa(i / 26)
		}
	}
	return names
}

// Expectation is how many of a cell's runs must show a property or an observation.
type Expectation string

// The expectations.
const (
	Some  Expectation = "some"  // at least one run
	None  Expectation = "none"  // no run
	Every Expectation = "every" // each run
)

// Limits of a scenario's numbers. They keep a typing mistake from running for a
// day; nothing else depends on them.
const (
	maxClients  = 64
	maxSections = 100_000
	maxFaults   = 64
	maxText     = 4096
)
