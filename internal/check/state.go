package check

import (
	"math"
	"slices"

	"github.com/lockchaos/simrun/chaos"
	"github.com/lockchaos/simrun/internal/history"
)

// state is what several checkers need: who waits, who is inside, who owns the
// key. It is updated with an event before any checker sees that event.
type state struct {
	h       history.Header
	now     ref
	ended   bool
	clients []*client // in the order of the header, then of appearance
	byName  map[string]*client
	inside  []*client // in the order of entry

	owner *client // of the key; nil if there is no key or its owner is not known
	there bool    // there is a key
	ends  int64   // when the key itself does, as it was last seen; 0: never
	life  int64   // when the key was last locked, or renewed for an open lease

	faults map[[2]string]int // lasting faults that are active, by fault and client
	active int               // how many they are
	faulty bool              // some fault has fired

	// What this event caused; nil for nothing.
	who    *client // the event's client
	exited *client // its section ended, by leaving or by death
	lost   *client // it lost its key
	first  *visit  // the resource answered its first read
	answer *visit  // the resource answered its write
}

func newState(h history.Header) *state {
	st := &state{h: h, byName: make(map[string]*client, len(h.Clients)), faults: map[[2]string]int{}}
	for _, name := range h.Clients {
		st.clientNamed(name)
	}
	return st
}

// clientNamed finds or makes a client; nil for "", which names nobody.
func (st *state) clientNamed(name string) *client {
	if name == "" {
		return nil
	}
	c, ok := st.byName[name]
	if !ok {
		c = &client{name: name, late: map[int]*visit{}}
		st.byName[name] = c
		st.clients = append(st.clients, c)
	}
	return c
}

func (st *state) update(e *history.Event) {
	st.now = ref{e.At, e.Seq}
	st.who, st.exited, st.lost = st.clientNamed(e.Client), nil, nil
	st.first, st.answer = nil, nil
	if st.updateKey(e) || st.updateRun(e) || st.who == nil {
		return
	}
	st.updateClient(st.who, e)
}

// updateKey applies an event of the key, and reports whether it was one.
func (st *state) updateKey(e *history.Event) bool {
	switch e.Kind {
	case history.Locked:
		if st.owner != st.who {
			st.lose(st.owner)
		}
		st.owner, st.life, st.there = st.who, e.At, true
		st.keyEnds(e)
		if c := st.who; c != nil {
			c.locked, c.lost, c.join, c.joined, c.counted = st.now, ref{}, ref{}, nil, false
		}
	case history.Joined:
		st.join(e)
	case history.Renewed:
		st.join(e)
		st.keyEnds(e)
		if st.holderRenewed() {
			st.life = e.At
		}
	case history.Unlocked, history.Expired:
		st.lose(st.owner)
		st.owner, st.there = nil, false
	default:
		return false
	}
	return true
}

// keyEnds notes how long the key lives, whatever lease was asked for.
func (st *state) keyEnds(e *history.Event) {
	if st.ends = 0; e.Dur > 0 {
		st.ends = after(e.At, e.Dur)
	}
}

// join notes that a client that waits has used another's key as if it were its own.
func (st *state) join(e *history.Event) {
	if c := st.who; c != nil && c != st.owner && c.phase == waiting {
		if !c.counted {
			c.join, c.joined = st.now, st.owner
		}
		c.counted = c.counted || e.Kind == history.Joined
	}
}

func (st *state) lose(c *client) {
	if c != nil {
		c.lost, st.lost = st.now, c
		if v := c.current; v != nil && !v.lost.known() {
			v.lost = st.now
		}
	}
}

// updateRun applies an event of the harness, and reports whether it was one.
func (st *state) updateRun(e *history.Event) bool {
	switch e.Kind {
	case history.Fired:
		st.faulty = true
		st.fired(e)
	case history.Over:
		st.over(e)
	case history.End:
		st.ended = true
	default:
		return false
	}
	return true
}

// fired counts a fault that lasts. One that fires again while it is active ends
// with the last of its ends.
func (st *state) fired(e *history.Event) {
	if e.Dur == 0 {
		return
	}
	st.faults[[2]string{e.Fault, e.Client}]++
	st.active++
	st.pause(e, 1)
}

func (st *state) over(e *history.Event) {
	v := [2]string{e.Fault, e.Client}
	if st.faults[v] == 0 {
		return
	}
	st.faults[v]--
	st.active--
	st.pause(e, -1)
}

// pause counts the pauses of a client, or of all where none is named.
func (st *state) pause(e *history.Event, n int) {
	if spec, known := chaos.Lookup(history.FaultName(e.Fault)); !known || !spec.StopsProcess {
		return
	}
	for _, c := range st.clients {
		if c == st.who || st.who == nil {
			c.paused += n
		}
	}
}

// updateClient applies an event of a client.
func (st *state) updateClient(c *client, e *history.Event) {
	switch e.Kind {
	case history.Waiting:
		if c.phase != waiting && c.phase != refused {
			c.asked = st.now
		}
		c.phase, c.releasing, c.lost = waiting, false, ref{}
		c.join, c.joined, c.counted = ref{}, nil, false
	case history.Refused:
		c.phase, c.refused, c.refusal = refused, st.now, e.Detail
	case history.Acquired:
		c.phase = held
	case history.Releasing:
		c.releasing = true
	case history.Released:
		c.phase, c.releasing, c.released = released, false, st.now
	case history.Done:
		if c.phase == waiting || c.phase == refused {
			c.phase = idle
		}
	case history.Entered:
		if !c.inside {
			c.inside, c.entered, c.noticed = true, st.now, ref{}
			st.inside = append(st.inside, c)
			c.enter(e.Section, st.now)
		}
	case history.Noticed, history.Aborted:
		c.noticed = st.now
	case history.Left:
		st.exit(c)
	case history.Crashed:
		c.crashed, c.died = true, st.now
		st.exit(c)
	case history.Read, history.Checked, history.Unanswered, history.Wrote, history.Rejected:
		st.updateVisit(c, e)
	}
}

func (st *state) exit(c *client) {
	if !c.inside {
		return
	}
	c.inside, st.exited = false, c
	st.inside = slices.DeleteFunc(st.inside, func(o *client) bool { return o == c })
}

// holderRenewed reports whether the key was renewed, with the present event, by its
// owner under an open lease. Whoever else renews it prolongs nobody's lease.
func (st *state) holderRenewed() bool {
	return st.who != nil && st.who == st.owner && st.who.phase == held
}

// leaseOver is when the lease's nominal length ends, after which the key should
// keep nobody out: one that outlives its lease breaks its promise.
func (st *state) leaseOver() int64 { return after(st.life, st.h.Lease) }

// longestWaiter is the client that has waited longest of those that wait or were
// refused.
func (st *state) longestWaiter() *client {
	var longest *client
	for _, c := range st.clients {
		if c.asks() && (longest == nil || c.asked.seq < longest.asked.seq) {
			longest = c
		}
	}
	return longest
}

// updateVisit applies an exchange between a client and the resource.
func (st *state) updateVisit(c *client, e *history.Event) {
	v := c.visit(e.Section)
	if v == nil {
		return
	}
	switch e.Kind {
	case history.Read:
		if !v.read.known() {
			v.read, st.first = st.now, v
		}
	case history.Checked, history.Unanswered:
		v.sent = true
	case history.Wrote, history.Rejected:
		v.answered, st.answer = true, v
		delete(c.late, v.section)
	}
}

// after is the time d after t. It saturates: a hostile header must not put a
// deadline in the past.
func after(t, d int64) int64 {
	if d > 0 && t > math.MaxInt64-d {
		return math.MaxInt64
	}
	return t + d
}
