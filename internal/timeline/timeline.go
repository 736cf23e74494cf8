// Package timeline turns a recorded history into lanes: what each client was
// doing, who owned the key in Redis, and which faults were in force, as spans
// and marks ordered by virtual time.
//
// Goals: every drawing of a run (report.html, PNG, trace.json) shows the same
// spans; the same history gives the same lanes, to the byte.
// Non-goals: judging (package check), drawing (package reports).
package timeline

import (
	"slices"

	"github.com/lockchaos/simrun/internal/history"
)

// State is what a lane shows during a span.
type State string

// The states of a client's lane, of Redis's lane and of the faults.
const (
	Waiting   State = "waiting"   // Acquire was called and has not returned
	Inside    State = "inside"    // in its section, and Redis holds the key for it
	Lost      State = "lost"      // in its section, believing that it holds, while Redis holds the key for no one or for another
	Rollback  State = "rollback"  // still in its section, but it knows of the loss and is leaving
	Releasing State = "releasing" // Release was called and has not returned
	Dead      State = "dead"      // crashed
	Owned     State = "owned"     // Redis's lane: the key has an owner
	Fault     State = "fault"     // a fault is in force
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
	b := newBuilder(h, events)
	b.keep = keep
	for i := range events {
		b.event(&events[i])
	}
	return b.finish()
}

type faultKey struct{ fault, client string }

type builder struct {
	t       Timeline
	lane    map[string]int // client → index in t.Clients
	open    map[string]*clientState
	owner   string // of the key in Redis
	owned   Span
	hasKey  bool
	running map[faultKey]int // index in t.Faults of a fault in force
	keep    []int            // commands that get a mark
}

// clientState is the span that a client is in the middle of.
type clientState struct {
	state   State
	from    int64
	seq     int
	section int
	knows   bool // of its loss
	inside  bool
}

func newBuilder(h history.Header, events []history.Event) *builder {
	b := &builder{
		lane:    map[string]int{},
		open:    map[string]*clientState{},
		running: map[faultKey]int{},
	}
	b.t.Redis.Name = "Redis"
	for _, c := range h.Clients {
		b.client(c)
	}
	if n := len(events); n > 0 {
		b.t.Start, b.t.End = events[0].At, events[n-1].At
	}
	if b.t.Start > 0 && len(events) > 0 && events[0].Seq <= 1 {
		b.t.Start = 0
	}
	return b
}

// client makes sure that a client has a lane.
func (b *builder) client(name string) int {
	i, ok := b.lane[name]
	if !ok {
		i = len(b.t.Clients)
		b.lane[name] = i
		b.open[name] = &clientState{}
		b.t.Clients = append(b.t.Clients, Lane{Name: name})
	}
	return i
}

func (b *builder) event(e *history.Event) {
	switch e.Kind {
	case history.Command:
		if e.Client != "" && slices.Contains(b.keep, e.Seq) {
			i := b.client(e.Client)
			b.t.Clients[i].Marks = append(b.t.Clients[i].Marks, mark(e))
		}
	case history.Locked, history.Renewed, history.Unlocked, history.Expired:
		b.redis(e)
		b.t.Redis.Marks = append(b.t.Redis.Marks, mark(e))
	case history.Fired, history.Over:
		b.fault(e)
		b.t.FaultMarks = append(b.t.FaultMarks, mark(e))
	default:
		if e.Client == "" {
			b.t.Harness = append(b.t.Harness, mark(e))
			return
		}
		i := b.client(e.Client)
		b.step(e)
		b.t.Clients[i].Marks = append(b.t.Clients[i].Marks, mark(e))
	}
}

// step moves a client from one state to the next.
func (b *builder) step(e *history.Event) {
	c := b.open[e.Client]
	switch e.Kind {
	case history.Waiting:
		b.enter(e, Waiting)
	case history.Acquired, history.Refused, history.Left, history.Released, history.Done:
		c.inside = false
		b.enter(e, "")
	case history.Entered:
		c.inside, c.knows = true, false
		b.enter(e, b.insideState(e.Client))
	case history.Noticed, history.Aborted:
		c.knows = true
		if c.inside && c.state != Rollback {
			b.enter(e, b.insideState(e.Client))
		}
	case history.Releasing:
		c.inside = false
		b.enter(e, Releasing)
	case history.Crashed:
		c.inside = false
		b.enter(e, Dead)
	}
}

func (b *builder) insideState(client string) State {
	switch {
	case b.open[client].knows:
		return Rollback
	case b.hasKey && b.owner == client:
		return Inside
	default:
		return Lost
	}
}

// enter closes the client's span and opens the next; "" is idle.
func (b *builder) enter(e *history.Event, s State) {
	b.cut(e.Client, e.At, e.Seq, s)
	if e.Section != 0 {
		b.open[e.Client].section = e.Section
	}
}

func (b *builder) cut(client string, at int64, seq int, s State) {
	c := b.open[client]
	if c.state != "" && at > c.from {
		l := &b.t.Clients[b.lane[client]]
		l.Spans = append(l.Spans, Span{State: c.state, From: c.from, To: at, Seq: c.seq, Section: c.section})
	}
	c.state, c.from, c.seq = s, at, seq
}

// redis follows the key, and recolours the clients that are inside.
func (b *builder) redis(e *history.Event) {
	switch e.Kind {
	case history.Locked:
		b.closeKey(e.At)
		b.hasKey, b.owner = true, e.Client
		b.owned = Span{State: Owned, From: e.At, Seq: e.Seq, Owner: e.Client}
	case history.Renewed:
		if !b.hasKey { // a window that opens in the middle of a lease
			b.hasKey, b.owner = true, e.Owner
			b.owned = Span{State: Owned, From: e.At, Seq: e.Seq, Owner: e.Owner}
		}
	case history.Unlocked, history.Expired:
		b.closeKey(e.At)
	}
	for _, l := range b.t.Clients {
		c := b.open[l.Name]
		if !c.inside {
			continue
		}
		if s := b.insideState(l.Name); s != c.state {
			b.cut(l.Name, e.At, e.Seq, s)
		}
	}
}

func (b *builder) closeKey(at int64) {
	if b.hasKey {
		b.owned.To = at
		b.t.Redis.Spans = append(b.t.Redis.Spans, b.owned)
	}
	b.hasKey, b.owner = false, ""
}

func (b *builder) fault(e *history.Event) {
	k := faultKey{e.Fault, e.Client}
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

// finish closes what is still open at the end of the history.
func (b *builder) finish() Timeline {
	for i := range b.t.Clients {
		b.cut(b.t.Clients[i].Name, b.t.End, 0, "")
	}
	b.closeKey(b.t.End)
	for _, i := range b.running {
		b.t.Faults[i].To = b.t.End
	}
	return b.t
}

func mark(e *history.Event) Mark {
	return Mark{Seq: e.Seq, At: e.At, Kind: e.Kind, Client: e.Client, Text: Text(e)}
}
