package check

import (
	"slices"
	"strings"

	"github.com/lockchaos/simrun/internal/history"
)

// ref points at an event. Its zero value points at none, as Seq counts from 1.
type ref struct {
	at  int64
	seq int
}

func (r ref) known() bool { return r.seq != 0 }

// phase is where a client stands towards the lock.
type phase uint8

const (
	idle     phase = iota // has not asked, or asks no more
	waiting               // Acquire runs
	refused               // Acquire returned an error; the client may ask again
	held                  // has an open lease: from acquired to released
	released              // Release has returned
)

// client is what the history has told of one client.
type client struct {
	name    string
	phase   phase
	crashed bool
	inside  bool
	paused  int // pauses that are active on it
	visits

	asked    ref // when it began to wait; a refusal and a new try go on waiting
	refused  ref
	released ref
	entered  ref
	noticed  ref // that its lease is lost, since it entered
	died     ref
	locked   ref // its key came to be
	lost     ref // its key ended or went to another; zero while it stands
}

// waits says that the client lives and waits; a refused one waits no longer,
// unless it asks again.
func (c *client) waits() bool { return c.phase == waiting && !c.crashed }

// gaveUp says that the client lives and was refused: it may come again.
func (c *client) gaveUp() bool { return c.phase == refused && !c.crashed }

// state is what several checkers need to know: who waits, who is inside, who
// owns the key. It is updated with an event before any checker sees the event.
type state struct {
	h       history.Header
	now     ref
	ended   bool
	clients []*client // in the order of the header, then of appearance
	byName  map[string]*client
	inside  []*client // in the order of entry
	waiting int       // clients that wait
	refused int       // clients that gaveUp

	owner *client // of the key; nil if it does not stand or its owner is not known
	life  int64   // when the key was last locked or renewed

	faults map[victim]int // lasting faults that are active
	active int            // how many they are

	// What this very event brought about; nil if it did not.
	who    *client // the event's client
	exited *client // its section ended, by leaving or by death
	lost   *client // it lost its key
	first  *visit  // the resource answered its first read
	answer *visit  // the resource answered its write
}

// victim is a fault and its target.
type victim struct{ fault, client string }

func newState(h history.Header) *state {
	st := &state{h: h, byName: make(map[string]*client, len(h.Clients)), faults: map[victim]int{}}
	for _, name := range h.Clients {
		st.client(name)
	}
	return st
}

// client finds or makes a client. Nobody, "", is none.
func (st *state) client(name string) *client {
	if name == "" {
		return nil
	}
	c, ok := st.byName[name]
	if !ok {
		c = &client{name: name}
		st.byName[name] = c
		st.clients = append(st.clients, c)
	}
	return c
}

func (st *state) update(e *history.Event) {
	st.now = ref{e.At, e.Seq}
	st.who, st.exited, st.lost = st.client(e.Client), nil, nil
	st.first, st.answer = nil, nil
	if st.updateKey(e) || st.updateRun(e) || st.who == nil {
		return
	}
	c := st.who
	waited, gaveUp := c.waits(), c.gaveUp()
	st.updateClient(c, e)
	st.waiting += change(waited, c.waits())
	st.refused += change(gaveUp, c.gaveUp())
}

func change(before, after bool) int {
	switch {
	case after && !before:
		return 1
	case before && !after:
		return -1
	}
	return 0
}

// updateKey takes the events of the key.
func (st *state) updateKey(e *history.Event) bool {
	switch e.Kind {
	case history.Locked:
		if st.owner != st.who {
			st.lose(st.owner)
		}
		st.owner, st.life = st.who, e.At
		if c := st.who; c != nil {
			c.locked, c.lost = st.now, ref{}
		}
	case history.Renewed:
		st.life = e.At
	case history.Unlocked, history.Expired:
		st.lose(st.owner)
		st.owner = nil
	default:
		return false
	}
	return true
}

func (st *state) lose(c *client) {
	if c != nil {
		c.lost, st.lost = st.now, c
		c.lose(st.now)
	}
}

// updateRun takes the events of the harness.
func (st *state) updateRun(e *history.Event) bool {
	switch e.Kind {
	case history.Fired:
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

// fired counts a fault that lasts. A fault that fires again before it is over
// is over when both are.
func (st *state) fired(e *history.Event) {
	if e.Dur == 0 {
		return
	}
	st.faults[victim{e.Fault, e.Client}]++
	st.active++
	st.pause(e, 1)
}

func (st *state) over(e *history.Event) {
	v := victim{e.Fault, e.Client}
	if st.faults[v] == 0 {
		return
	}
	st.faults[v]--
	st.active--
	st.pause(e, -1)
}

// pause counts the pauses of a client, or of all where none is named.
func (st *state) pause(e *history.Event, n int) {
	if !strings.Contains(e.Fault, "pause") {
		return
	}
	for _, c := range st.clients {
		if c == st.who || st.who == nil {
			c.paused += n
		}
	}
}

// updateClient takes the events of a client.
func (st *state) updateClient(c *client, e *history.Event) {
	switch e.Kind {
	case history.Waiting:
		if c.phase != waiting && c.phase != refused {
			c.asked = st.now
		}
		c.phase, c.lost = waiting, ref{}
	case history.Refused:
		c.phase, c.refused = refused, st.now
	case history.Acquired:
		c.phase = held
	case history.Released:
		c.phase, c.released = released, st.now
	case history.Done:
		if c.phase == waiting || c.phase == refused {
			c.phase = idle
		}
	case history.Entered:
		if !c.inside {
			c.inside, c.entered, c.noticed = true, st.now, ref{}
			st.inside = append(st.inside, c)
			c.enter(c, e.Section, st.now)
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

// leaseOver is since when the key keeps nobody out any more by the lease's
// nominal length. A key that outlives its lease does so against its promise.
func (st *state) leaseOver() int64 { return after(st.life, st.h.Lease) }

// longestWaiter is who has waited longest of all that wait or were refused.
func (st *state) longestWaiter() *client {
	var longest *client
	for _, c := range st.clients {
		if (c.waits() || c.gaveUp()) && (longest == nil || c.asked.seq < longest.asked.seq) {
			longest = c
		}
	}
	return longest
}
