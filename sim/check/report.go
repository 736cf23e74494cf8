package check

import "github.com/lockchaos/simrun/sim/history"

// Report is what one history tells. Times are virtual nanoseconds.
type Report struct {
	Sections   int         `json:"sections"`           // entered
	Aborted    int         `json:"aborted"`            // rolled back for a lost lease
	Rejected   int         `json:"rejected"`           // writes that the resource refused
	Commands   int         `json:"commands"`           // that reached Redis
	SoldOut    bool        `json:"sold_out"`           // the run ended at stock 0
	Virtual    int64       `json:"virtual"`            // time of the last event
	Waits      []int64     `json:"waits,omitempty"`    // from Waiting to Acquired, each acquisition
	Inside     int64       `json:"inside"`             // time inside, all clients
	Lost       int64       `json:"lost"`               // of it, while Redis held the key for no one or for another
	Unknown    string      `json:"unknown,omitempty"`  // why this run is too little evidence; empty if it is enough
	Findings   []Finding   `json:"findings,omitempty"` // the lock misbehaved as a program
	Violations []Violation `json:"violations,omitempty"`
}

// Finding is a lock that misbehaved as a program, taken from the history.
type Finding struct {
	Class  string `json:"class"` // panic, blocked, spin, leak, stuck-time
	Detail string `json:"detail"`
	Stack  string `json:"stack,omitempty"`
}

// Judge watches a history event by event.
type Judge struct{ h history.Header }

// NewJudge makes a judge with every property of [Properties].
func NewJudge(h history.Header) *Judge { return &Judge{h: h} }

// Event takes the next event, which it does not keep.
func (j *Judge) Event(e *history.Event) {}

// Report says that the history is complete, and what it tells.
func (j *Judge) Report() Report { return Report{} }
