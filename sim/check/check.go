// Package check judges a recorded history: one file a property, fed by the
// history alone.
//
// Goals: a violation names the events that prove it; time grows in proportion
// to the history's length; too little evidence is "unknown", never "pass".
// Non-goals: knowing the lock, the scenario's expectations, or how the run was
// made.
package check

import (
	"github.com/lockchaos/simrun/sim/history"
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
	Broken string // the guarantee in one sentence, for reports: "two clients are inside at once"
	New    func(history.Header) Checker
}
