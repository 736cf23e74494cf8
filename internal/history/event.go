// Package history is the record of one run: every event with its virtual time,
// as JSON Lines behind a header that holds all that a judge must know.
//
// Goals: the same run gives the same bytes; a recorded history can be judged,
// drawn and narrated again without the program that made it.
// Non-goals: judging (package check), drawing (package reports).
package history

import (
	"slices"
	"strings"
)

// Kind names what happened. The words are those a scenario's `on:` may use.
type Kind string

// Events of a client. Each carries Client and, from Waiting to Released, Section.
const (
	Waiting    Kind = "waiting"    // Acquire was called
	Acquired   Kind = "acquired"   // Acquire returned a lease; Fence
	Refused    Kind = "refused"    // Acquire returned an error; Detail is its class
	Entered    Kind = "entered"    // the client is inside its critical section
	Read       Kind = "read"       // the resource answered a read; Value is the stock, Version its version; Fence
	Checked    Kind = "checked"    // the client looked a last time whether it still holds, and goes on to write
	Wrote      Kind = "wrote"      // the resource accepted a write; Value is the new stock, Version the version it was computed from; Fence
	Rejected   Kind = "rejected"   // the resource refused a write for its old fencing token; Fence
	Unanswered Kind = "unanswered" // the client gave up waiting for the resource's answer
	SoldOut    Kind = "sold-out"   // the client read a stock of 0 and has nothing to write
	Noticed    Kind = "noticed"    // the client saw that its lease is lost; Detail is the cause
	Aborted    Kind = "aborted"    // the client rolled its section back for a lost lease (harm avoided); still inside until Left
	Left       Kind = "left"       // the client is outside its critical section again
	Releasing  Kind = "releasing"  // Release was called
	Released   Kind = "released"   // Release returned; Detail is the error's class, empty for success
	Crashed    Kind = "crashed"    // the client is dead, never to return
	Done       Kind = "done"       // the client has finished all its sections
)

// Events that Redis itself saw. They come from watching the lock's key before
// and after each command, so they hold for anybody's lock.
const (
	Command  Kind = "command"  // a command arrived; Client sent it; Detail is its name
	Locked   Kind = "locked"   // the key came to be, or changed its owner: Client owns it; Dur is its time to live
	Renewed  Kind = "renewed"  // Client lengthened the life of the key of Owner; Dur is its new time to live
	Joined   Kind = "joined"   // Client counted itself in the key as its Owner would that enters again
	Unlocked Kind = "unlocked" // Client removed the key, which Owner owned
	Expired  Kind = "expired"  // the key of Owner is gone by itself; Dur is by how much before its time (a step of the clock, lost data), 0 if in time
)

// Events of the harness.
const (
	Unkept  Kind = "unkept"  // clients sent commands that make the key, and Redis never held it
	Fired   Kind = "fired"   // a fault took effect; Fault is its id, Client its target, Detail the proof, Dur how long it is to last: 0 if it is over at once
	Over    Kind = "over"    // a fault that lasted has ended; Fault, Client
	Unfired Kind = "unfired" // a fault could not take effect on its target; Fault, Client, Detail says why
	Finding Kind = "finding" // the lock misbehaved as a program: Detail is the class (panic, blocked, spin, ...), Text the stack
	Residue Kind = "residue" // something was left when all was over; Detail says what
	End     Kind = "end"     // the last event; Value is the resource's stock
)

// kinds holds every kind there is, in the order of their declaration.
var kinds = []Kind{
	Waiting, Acquired, Refused, Entered, Read, Checked, Wrote, Rejected, Unanswered, SoldOut,
	Noticed, Aborted, Left, Releasing, Released, Crashed, Done,
	Command, Locked, Renewed, Joined, Unlocked, Expired,
	Unkept, Fired, Over, Unfired, Finding, Residue, End,
}

// Kinds lists every kind of event: those of a client, of Redis, of the harness.
func Kinds() []Kind { return slices.Clone(kinds) }

// Event is one thing that happened. Fields that its kind does not use are zero
// and are not written.
type Event struct {
	Seq     int    `json:"n"`                 // position in the history, from 1
	At      int64  `json:"t"`                 // virtual nanoseconds since the run began
	Kind    Kind   `json:"k"`                 //
	Client  string `json:"c,omitempty"`       // the client that did it, or that it was done to
	Section int    `json:"s,omitempty"`       // which pass of the client, from 1
	Owner   string `json:"owner,omitempty"`   // the client that owned the key
	Fence   int64  `json:"fence,omitempty"`   // fencing token
	Value   int64  `json:"value,omitempty"`   // stock
	Version int64  `json:"version,omitempty"` // version of the stock
	Dur     int64  `json:"dur,omitempty"`     // nanoseconds
	Fault   string `json:"fault,omitempty"`   // the fault's id in its scenario, as "1:pause"
	Detail  string `json:"detail,omitempty"`  // one line for people and for `on:`
	Text    string `json:"text,omitempty"`    // several lines, such as a stack
}

// FaultName returns the name of a fault without its place: "pause" of "1:pause".
func FaultName(id string) string {
	if _, name, ok := strings.Cut(id, ":"); ok {
		return name
	}
	return id
}

// FormatVersion is the version of the history file that this package writes.
const FormatVersion = 1

// Header is the first line of a history: what a judge must know of the run.
// Times are in nanoseconds.
type Header struct {
	Version     int              `json:"version"`
	Mode        string           `json:"mode"` // "sim" or "live"
	Scenario    string           `json:"scenario"`
	Strategy    string           `json:"strategy"`
	Seed        uint64           `json:"seed"`
	Clients     []string         `json:"clients"`
	Sections    int              `json:"sections"`     // planned for each client
	MinSections int              `json:"min_sections"` // fewer entered in all is too little evidence
	Lease       int64            `json:"lease"`
	Stock       int64            `json:"stock"`  // at the start
	Faults      []string         `json:"faults"` // ids of the faults that must fire
	Bounds      map[string]int64 `json:"bounds"` // property → how late is too late, see check.Property
}
