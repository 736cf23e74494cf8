// Package timeline turns a recorded history into lanes: what each client was
// doing, who owned the key in Redis, and which faults were in force, as spans
// and marks ordered by virtual time.
//
// Goals: every drawing of a run (report.html, PNG, trace.json) shows the same
// spans; the same history gives the same lanes, to the byte.
// Non-goals: judging (package check), drawing (package reports).
package timeline

import (
	"fmt"
	"slices"

	"github.com/lockchaos/simrun/internal/check"
	"github.com/lockchaos/simrun/internal/history"
)

// State is what a lane shows during a span: a client's activity, or one of these.
type State = check.Activity

// The states of Redis's lane and of the faults.
const (
	Owned State = "owned" // the key has an owner
	Fault State = "fault" // a fault is in force
)

// Span is a stretch of a lane. Times are virtual nanoseconds; From == To for
// a fault that is over at once.
type Span struct {
	State   State
	From    int64
	To      int64
	Seq     int    // the event that opened it
	Section int    // of a client's span, if it is in a section
	Owner   string // of an Owned span
	Fault   string // id of a Fault span, as "1:pause"
	Client  string // target of a Fault span; empty for a fault of the server
	Detail  string // proof of a Fault span
}

// Mark is one event on a lane.
type Mark struct {
	Seq    int
	At     int64 // virtual nanoseconds
	Kind   history.Kind
	Client string
	Text   string // one sentence for people
}

// Lane is one row. Spans and marks are in the order of time.
type Lane struct {
	Name  string
	Spans []Span
	Marks []Mark
}

// Timeline is a whole run, or a window of it.
type Timeline struct {
	Start, End int64 // virtual nanoseconds
	Clients    []Lane
	Redis      Lane   // who owned the key
	Faults     []Span // in the order in which they fired
	FaultMarks []Mark
	Harness    []Mark // findings and residue that name no client
}

// Build makes the lanes of a history. Commands make no marks, as there are
// many, and what they did to the key has events of its own; except those that
// keep names by their Seq.
func Build(h history.Header, events []history.Event, keep ...int) Timeline {
	b := &builder{follower: check.Follow(h), running: map[[2]string]int{}}
	b.t.Redis.Name = "Redis"
	b.follow(&history.Event{}) // for lanes of clients that do nothing
	for i := range events {
		e := &events[i]
		text := b.follower.Event(e)
		b.follow(e)
		if e.Kind != history.Command || e.Client != "" && slices.Contains(keep, e.Seq) {
			marks := b.event(e)
			*marks = append(*marks, Mark{Seq: e.Seq, At: e.At, Kind: e.Kind, Client: e.Client, Text: text})
		}
		b.t.End = e.At
	}
	return b.finish()
}

type builder struct {
	t        Timeline
	follower check.Follower
	open     []Span            // what each client of t.Clients is doing, until now
	owned    *Span             // of the key; nil if there is none
	running  map[[2]string]int // index in t.Faults of a fault in force, by fault and client
}

// follow ends the spans of the clients that do something else since the event,
// and begins the next ones.
func (b *builder) follow(e *history.Event) {
	i := 0
	for name, doing := range b.follower.Activities() {
		if i == len(b.open) {
			b.open = append(b.open, Span{})
			b.t.Clients = append(b.t.Clients, Lane{Name: name})
		}
		if b.open[i].State != doing {
			b.end(i, e.At)
			next := Span{State: doing, From: e.At, Seq: e.Seq, Section: b.open[i].Section}
			if name == e.Client && e.Section != 0 {
				next.Section = e.Section
			}
			b.open[i] = next
		}
		i++
	}
}

// end ends the span of a client.
func (b *builder) end(i int, at int64) {
	if s := b.open[i]; s.State != "" && at > s.From {
		s.To = at
		b.t.Clients[i].Spans = append(b.t.Clients[i].Spans, s)
	}
}

// event applies an event of Redis or of a fault, and returns the marks of its lane.
func (b *builder) event(e *history.Event) *[]Mark {
	switch e.Kind {
	case history.Locked:
		b.endKey(e.At)
		b.owned = &Span{State: Owned, From: e.At, Seq: e.Seq, Owner: e.Client}
	case history.Unlocked, history.Expired:
		b.endKey(e.At)
	case history.Renewed:
	case history.Fired, history.Over:
		b.fault(e)
		return &b.t.FaultMarks
	default:
		if i := slices.IndexFunc(b.t.Clients, func(l Lane) bool { return l.Name == e.Client }); i >= 0 {
			return &b.t.Clients[i].Marks
		}
		return &b.t.Harness
	}
	return &b.t.Redis.Marks
}

func (b *builder) endKey(at int64) {
	if b.owned != nil {
		b.owned.To = at
		b.t.Redis.Spans = append(b.t.Redis.Spans, *b.owned)
	}
	b.owned = nil
}

func (b *builder) fault(e *history.Event) {
	k := [2]string{e.Fault, e.Client}
	if e.Kind == history.Over {
		if i, ok := b.running[k]; ok {
			b.t.Faults[i].To = e.At
			delete(b.running, k)
		}
		return
	}
	if e.Dur > 0 { // otherwise it was over at once
		b.running[k] = len(b.t.Faults)
	}
	b.t.Faults = append(b.t.Faults, Span{
		State: Fault, From: e.At, To: e.At, Seq: e.Seq, Fault: e.Fault, Client: e.Client, Detail: e.Detail,
	})
}

// finish ends what is still open at the end of the history.
func (b *builder) finish() Timeline {
	for i := range b.open {
		b.end(i, b.t.End)
	}
	b.endKey(b.t.End)
	for _, i := range b.running {
		b.t.Faults[i].To = b.t.End
	}
	return b.t
}

// Clock is a virtual time for people, in seconds to the millisecond: "45.003 s".
func Clock(ns int64) string { return fmt.Sprintf("%.3f s", float64(ns)/1e9) }
