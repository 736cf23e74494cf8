// Package check judges a recorded history: one file a property, fed by the
// history alone.
//
// Goals: a violation names the events that prove it; time grows in proportion
// to the history's length, and memory with what is open and what was found, not
// with the length; too little evidence is "unknown", never "pass".
// Non-goals: knowing the lock, the scenario's expectations, or how the run was
// made.
package check

import (
	"cmp"
	"slices"

	"github.com/lockchaos/simrun/internal/history"
)

// Violation is one breach of a property, with the events that prove it.
type Violation struct {
	Property string   `json:"property"`
	At       int64    `json:"at"`                // virtual nanoseconds: when it was complete
	Size     int64    `json:"size"`              // how bad, in the property's own unit (see Property.Unit)
	Clients  []string `json:"clients,omitempty"` // who took part, the culprit first
	Events   []int    `json:"events"`            // Seq of the proving events, in order
	Text     string   `json:"text"`              // one sentence
}

// Checker watches one history for one property.
type Checker interface {
	// Event takes the next event. The pointer is only valid during the call.
	Event(e *history.Event)
	// End says that the history is complete and returns what was found, in the
	// order of At.
	End() []Violation
}

// Property is something that must never happen, or must happen in time.
type Property struct {
	Name   string
	Unit   string // "ns" or "count": what Violation.Size counts
	Harm   Harm   // what its breach does: of several, the worst is told first
	Broken string // the guarantee in one sentence, for reports: "two clients are inside at once"
	New    func(history.Header) Checker

	watch func(*state) Checker // New, on a state that somebody else keeps up to date
}

// Harm is what a breach does, the worst first. Properties that do the same are
// told in their order in [Properties].
type Harm uint8

// The harms.
const (
	Corrupts Harm = iota // the data is wrong
	Intrudes             // somebody is inside, or out of the lock, who must not be
	Blocks               // a key keeps the others out for nobody
	Delays               // who waits does not get in
	Misleads             // a holder is told too late, or the resource who is the newest
	Litters              // something is left behind
)

// The units of [Violation.Size].
const (
	Nanoseconds = "ns"
	Count       = "count"
)

// Properties are all there are, safety first. How to add one: README.md.
var Properties = []Property{
	property("overlap", Nanoseconds, Intrudes, "two clients are inside at once", newOverlap),
	property("stale-write", Nanoseconds, Corrupts, "the resource accepted a write after a later holder had read it", newStaleWrite),
	property("lost-update", Count, Corrupts, "an accepted write undid another one that it knew nothing of", newLostUpdate),
	property("foreign-release", Count, Intrudes, "a client removed a key that another owner held", newForeignRelease),
	property("late-notice", Nanoseconds, Misleads, "a holder inside learned too late, or never, that it had lost its lease", newLateNotice),
	property("stuck", Nanoseconds, Delays, "the lock could be had and clients waited for it, but nobody got it in time", newStuck),
	property("starved", Nanoseconds, Delays, "a holder kept others waiting for too long", newStarved),
	property("orphan", Nanoseconds, Blocks, "a key stood although its owner held no lease", newOrphan),
	property("zombie", Count, Intrudes, "a key was renewed after its release", newZombie),
	property("old-fence", Count, Misleads, "a lease was given a fencing token no greater than that of an earlier one", newOldFence),
	property("leak", Count, Litters, "something was left behind when all was over", newLeak),
}

// Explain finds a property by its name.
func Explain(name string) (Property, bool) {
	for _, p := range Properties {
		if p.Name == name {
			return p, true
		}
	}
	return Property{}, false
}

// property makes a registry entry; New gives its checker a state of its own.
func property(name, unit string, harm Harm, broken string, watch func(*state) Checker) Property {
	return Property{Name: name, Unit: unit, Harm: harm, Broken: broken, watch: watch, New: func(h history.Header) Checker {
		st := newState(h)
		return &alone{st, watch(st)}
	}}
}

// alone is a checker that keeps its own state up to date.
type alone struct {
	st *state
	Checker
}

func (a *alone) Event(e *history.Event) {
	a.st.update(e)
	a.Checker.Event(e)
}

// Judge watches a history event by event.
type Judge struct {
	st       *state
	tally    *tally
	checkers []Checker
}

// NewJudge makes a judge with every property of [Properties].
func NewJudge(h history.Header) *Judge {
	st := newState(h)
	j := &Judge{st: st, tally: newTally(st)}
	for _, p := range Properties {
		j.checkers = append(j.checkers, p.watch(st))
	}
	return j
}

// Event takes the next event, which it does not keep. The shared state comes
// first: every checker sees the world as the event left it.
func (j *Judge) Event(e *history.Event) {
	j.st.update(e)
	j.tally.event(e)
	for _, c := range j.checkers {
		c.Event(e)
	}
}

// Report says that the history is complete, and what it tells: once, at the end.
func (j *Judge) Report() Report {
	r := j.tally.report()
	if r.spoilt() {
		return r
	}
	for _, c := range j.checkers {
		r.Violations = append(r.Violations, c.End()...)
	}
	slices.SortStableFunc(r.Violations, func(a, b Violation) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Property, b.Property))
	})
	return r
}

// All judges a whole history that is in memory.
func All(h history.Header, events []history.Event) Report {
	j := NewJudge(h)
	for i := range events {
		j.Event(&events[i])
	}
	return j.Report()
}
