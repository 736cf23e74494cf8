// Package results holds what simrun found, in the schema of results.json.
//
// Goals: one versioned file that any tool can read; reports need only it and the
// histories that it names.
// Non-goals: computing anything (package check), drawing (package reports).
package results

import (
	"maps"
	"slices"

	"github.com/lockchaos/simrun/internal/check"
)

// SchemaVersion is the version of results.json.
const SchemaVersion = 1

// Results is the whole of results.json.
type Results struct {
	Version        int        `json:"version"`
	Made           *Made      `json:"made,omitempty"`  // absent in files of before there was one
	Mode           string     `json:"mode"`            // "sim" or "live"
	Setup          *Setup     `json:"setup,omitempty"` // of live runs
	Verdict        Verdict    `json:"verdict"`
	Interrupted    bool       `json:"interrupted,omitempty"` // stopped early: what is here is sound, but incomplete
	NotRun         []NotRun   `json:"not_run,omitempty"`     // the cells that lack runs, of scenarios that are left out, too
	VirtualSeconds float64    `json:"virtual_seconds"`       // of all runs
	WallSeconds    float64    `json:"wall_seconds"`          // real seconds from the start to the end
	Scenarios      []Scenario `json:"scenarios"`             // those of which anything ran
}

// NotRun is a cell of which some or all seeds were planned and did not run.
type NotRun struct {
	Scenario    string `json:"scenario"`
	Strategy    string `json:"strategy"`
	Runs        int    `json:"runs"`         // that were done
	PlannedRuns int    `json:"planned_runs"` // that there should have been
}

// Made says where a file comes from. Two runs of the same seeds may differ in it, and
// in wall_seconds, and in nothing else.
type Made struct {
	Simrun  string `json:"simrun"`  // version of simrun, or of the program that ran the locks
	Command string `json:"command"` // as it was typed, without passwords
	Date    string `json:"date"`    // when it began: RFC 3339, UTC
}

// Setup describes live runs.
type Setup struct {
	Redis     string  `json:"redis"`            // product and version
	Toxiproxy string  `json:"toxiproxy"`        // version, and where it runs
	Scale     float64 `json:"scale"`            // seconds of the scenario per real second
	Worker    string  `json:"worker,omitempty"` // the command of the user's own worker
}

// Scenario is one scenario's comparison of strategies.
type Scenario struct {
	Name       string     `json:"name"`
	Summary    string     `json:"summary"`
	Story      string     `json:"story,omitempty"`  // what happens, in words
	Source     string     `json:"source,omitempty"` // where this really happened
	File       string     `json:"file,omitempty"`   // path of a scenario that is not built in
	Verdict    Verdict    `json:"verdict"`
	Clients    int        `json:"clients"`
	LeaseMS    float64    `json:"lease_ms"`
	Faults     []string   `json:"faults,omitempty"` // a sentence each
	Strategies []Strategy `json:"strategies"`
}

// Strategy is one cell: one scenario under one lock, over all its seeds.
type Strategy struct {
	Name           string      `json:"name"`
	Summary        string      `json:"summary,omitempty"`
	Verdict        Verdict     `json:"verdict"`
	Guarantee      Guarantee   `json:"guarantee"`
	Harm           string      `json:"harm,omitempty"` // of a broken guarantee: the most severe property that was breached, else the class of a finding
	Expectation    Expectation `json:"expectation"`
	HeldTo         string      `json:"held_to,omitempty"`  // the reference lock that this one is held to; empty if the scenario names this one
	AvoidableBy    string      `json:"avoidable_by"`       // the lowest rung of the ladder that holds here; empty if none does, or the guarantee is not broken
	Inherent       string      `json:"inherent,omitempty"` // why no rung holds, such as InherentInLeases or NoLockHolds; empty if one does or it is not known
	Runs           int         `json:"runs"`
	UnknownRuns    int         `json:"unknown_runs,omitempty"`
	UnknownReason  string      `json:"unknown_reason,omitempty"` // of the first such run
	BrokenRuns     int         `json:"broken_runs,omitempty"`    // with any violation or misbehaviour; absent in older files
	Sections       int         `json:"sections"`                 // entered
	Aborted        int         `json:"aborted"`
	RejectedWrites int         `json:"rejected_writes"`
	check.ObservedRuns
	Commands       int               `json:"commands"`
	VirtualSeconds float64           `json:"virtual_seconds"`
	WallSeconds    float64           `json:"wall_seconds"`       // real seconds that the runs took, added up
	Violations     map[string]Breach `json:"violations"`         // by property; a property without a breach is absent
	Expected       map[string]string `json:"expected,omitempty"` // property → "some", "none" or "every"
	Mismatches     []Mismatch        `json:"mismatches,omitempty"`
	Findings       []Finding         `json:"findings,omitempty"`
	Wait           Quantiles         `json:"wait_ms"`
	WaitCDF        []float64         `json:"wait_cdf_ms,omitempty"` // waiting time at 0 %, 1 %, ... 100 %
	InsideMS       float64           `json:"inside_ms"`             // time inside, all clients and runs
	LostMS         float64           `json:"lost_ms"`               // of it, time in which Redis did not hold the lock for the client
	FirstViolation *FirstViolation   `json:"first_violation,omitempty"`
	History        string            `json:"history,omitempty"` // path of a history in the result folder: the first violating run, else the first run
	HistorySeed    uint64            `json:"history_seed,omitempty"`
}

// JudgeGuarantee sets the guarantee and the harm from what the runs showed. complete
// reports whether every run is in.
func (s *Strategy) JudgeGuarantee(complete bool) {
	misbehaved := slices.IndexFunc(s.Findings, func(f Finding) bool { return !check.OfSurroundings(f.Class) })
	switch {
	case len(s.Violations) > 0:
		s.Guarantee, s.Harm = Broken, slices.MinFunc(slices.Collect(maps.Keys(s.Violations)), check.Compare)
	case misbehaved >= 0:
		s.Guarantee, s.Harm = Broken, s.Findings[misbehaved].Class
	case s.UnknownRuns > 0, s.Runs == 0, !complete:
		s.Guarantee = Unclear
	default:
		s.Guarantee = Holds
	}
}

// Broke is how many runs broke in any way. Of a file without BrokenRuns it is the
// most that any one property or class of finding tells: a lower bound.
func (s *Strategy) Broke() int {
	if s.BrokenRuns > 0 {
		return s.BrokenRuns
	}
	n := 0
	for _, b := range s.Violations {
		n = max(n, b.Runs)
	}
	for _, f := range s.Findings {
		if !check.OfSurroundings(f.Class) {
			n = max(n, f.Count)
		}
	}
	return min(n, s.Runs)
}

// Breach counts the violations of one property.
type Breach struct {
	Count     int     `json:"count"`
	Runs      int     `json:"runs"`               // runs with at least one
	WorstMS   float64 `json:"worst_ms,omitempty"` // largest size of a property measured in time
	Worst     int64   `json:"worst,omitempty"`    // largest size of a property that is counted
	FirstSeed uint64  `json:"first_seed"`
}

// Mismatch is an expectation that did not hold, in either direction.
type Mismatch struct {
	Property string `json:"property"`
	Want     string `json:"want"`           // "some", "none", "every"
	Got      string `json:"got"`            // "12 in 5 of 100 runs"
	Seed     uint64 `json:"seed"`           // a run that shows it
	Replay   string `json:"replay"`         // the command that shows it
	Text     string `json:"text,omitempty"` // a sentence for people
}

// Finding is a lock that misbehaved as a program: it panicked, blocked, spun or
// left goroutines behind.
type Finding struct {
	Class  string `json:"class"` // panic, blocked, spin, leak, of a worker died, refused, rubbish; or one of the surroundings
	Seed   uint64 `json:"seed"`
	Count  int    `json:"count"` // runs that showed this class
	Detail string `json:"detail"`
	Stack  string `json:"stack,omitempty"`
	Replay string `json:"replay"`
}

// Quantiles of a waiting time, in milliseconds.
type Quantiles struct {
	P50 float64 `json:"p50"`
	P99 float64 `json:"p99"`
	Max float64 `json:"max"`
}

// FirstViolation is the violation of a strategy that is reported in full.
type FirstViolation struct {
	Seed      uint64          `json:"seed"`
	Property  string          `json:"property"`
	Violation check.Violation `json:"violation"`
	Unit      string          `json:"unit,omitempty"` // of the violation's size: check.Nanoseconds or check.Count; absent in files of before there was one
	Replay    string          `json:"replay"`
}
