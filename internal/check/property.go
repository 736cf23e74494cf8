// Package check judges a recorded history, with one file for each property and
// nothing but the history as input.
//
// Goals: a violation names the events that prove it; time grows in proportion
// to the history's length, and memory with what is open and what was found, not
// with the length; too little evidence is "unknown", never "pass"; whatever is
// known of a property is a field of its Property.
// Non-goals: knowing the lock, the scenario's expectations, or how the run was
// made.
package check

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/lockchaos/simrun/internal/history"
	"github.com/lockchaos/simrun/internal/text"
)

// Property is something that must never happen, or must happen in time.
type Property struct {
	Name     string
	Unit     string   // what Violation.Size is: Nanoseconds or Count
	Severity Severity // of several breaches, the most severe is shown first
	Liveness bool     // something must happen in time; otherwise, something must never happen
	// LeaseLimit: where no lease can avoid all such breaches, as under a long pause,
	// one lock may show this one and another a different one.
	LeaseLimit bool
	// DefeatsFence: where it happens, fencing tokens do not protect the resource.
	DefeatsFence bool
	Letter       string // stands for the name where there is no room for it
	Broken       string // the breach in one sentence, for reports: "two clients are inside at once"
	DependsOn    string // what decides, beside the lock, whether a run shows a breach: the seed in virtual time, nobody on a real machine

	// How late is too late, for a property that must hold in time: a length of
	// time, or a number of leases. The bound is exclusive: what takes exactly as
	// long is in time. A header's Bounds override it.
	Bound       time.Duration
	BoundLeases int64

	turning history.Kind           // of the proof that a story marks as the breach; empty for the last proof
	watch   func(breaches) checker // makes the checker of one history
}

// Severity ranks what a breach does, the worst first. Properties of the same
// severity rank by their order in [Properties].
type Severity uint8

// The severities.
const (
	Corruption     Severity = iota + 1 // the data is wrong
	Exclusion                          // a client is inside, or locked out, that must not be
	Blockage                           // a key keeps clients out on behalf of nobody
	Delay                              // waiters do not get in
	Misinformation                     // a holder learns of its loss too late, or the resource cannot tell the newest holder
	Leftover                           // something is left behind
)

// The units of [Violation.Size].
const (
	Nanoseconds = "ns"
	Count       = "count"
)

// Bounded reports whether the property has a bound, which a scenario may set.
func (p Property) Bounded() bool { return p.Bound > 0 || p.BoundLeases > 0 }

// bound is how late is too late in this run, in nanoseconds.
func (p Property) bound(h history.Header) int64 {
	if b, ok := h.Bounds[p.Name]; ok {
		return max(0, b)
	}
	if p.BoundLeases > 0 && h.Lease > math.MaxInt64/p.BoundLeases {
		return math.MaxInt64
	}
	return int64(p.Bound) + p.BoundLeases*h.Lease
}

// Violation is one breach of a property, with the events that prove it.
type Violation struct {
	Property string   `json:"property"`
	At       int64    `json:"at"`                // virtual nanoseconds: when it was complete
	Size     int64    `json:"size"`              // how bad, in the property's own unit (see Property.Unit)
	Clients  []string `json:"clients,omitempty"` // those involved, the culprit first
	Events   []int    `json:"events"`            // Seq of the proving events, in order
	Text     string   `json:"text"`              // one sentence
}

// checker watches one history for one property.
type checker interface {
	// event takes the next event, which is only valid during the call.
	event(e *history.Event)
	// end is called once, after the last event, and returns the violations in the
	// order of At. Their Property is filled in by the caller.
	end() []Violation
}

// breaches is the part that all checkers share: the state they read, the bound of
// the run in nanoseconds, and the violations they have found.
type breaches struct {
	st    *state
	bound int64
	found []Violation
}

// add records a violation that is complete with the present event.
func (b *breaches) add(size int64, clients []string, events []int, format string, args ...any) {
	b.found = append(b.found, Violation{
		At: b.st.now.at, Size: size, Clients: clients, Events: events, Text: fmt.Sprintf(format, args...),
	})
}

func (b *breaches) end() []Violation { return b.found }

// span formats a measured time, in nanoseconds.
func span(ns int64) string { return text.Measured(time.Duration(ns)) }

// proof lists the known events, in order, each once.
func proof(refs ...ref) []int {
	var out []int
	for _, r := range refs {
		if r.known() {
			out = append(out, r.seq)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// named lists the known clients, each once.
func named(clients ...*client) []string {
	var out []string
	for _, c := range clients {
		if c != nil && !slices.Contains(out, c.name) {
			out = append(out, c.name)
		}
	}
	return out
}
