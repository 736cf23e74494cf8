package check

import (
	"slices"
	"time"

	"github.com/lockchaos/simrun/internal/history"
)

var orphanProperty = Property{
	Name: "orphan", Unit: Nanoseconds, Severity: Blockage, Letter: "P",
	Broken:    "the key existed although its owner held no lease",
	DependsOn: "whether a command that its client gave up still takes effect; live, the bound is longer by what a machine may dawdle",
	// Between the server's applying an acquire and the client's learning of it lies
	// one round trip; a second is a slow one.
	Bound: time.Second,
	watch: func(b breaches) checker { return &orphan{breaches: b} },
}

// orphan: a key stood, for longer than the bound, with an owner that had no
// open lease: its acquire was applied but it was never told, or was told of an
// error, or it has released and the key stands still. A lease is open from
// acquired until released has returned. The key of a dead client is not an
// orphan, and time while the owner is paused does not count. The size is how
// long the key stood so.
type orphan struct {
	breaches
	owner  *client // of the orphan; nil if there is none
	locked ref
	stood  int64 // without the time in which the owner was paused
	last   int64 // until when stood is counted
	paused bool  // since last
	met    bool  // somebody was inside meanwhile
}

func (o *orphan) event(*history.Event) {
	st := o.st
	if o.owner != nil {
		o.count()
		if !o.without(st.owner) || st.owner != o.owner {
			o.close()
		}
	}
	if o.owner == nil && o.without(st.owner) {
		o.owner, o.locked, o.stood, o.last = st.owner, st.owner.locked, 0, st.now.at
		o.met = false
	}
	if o.owner != nil {
		o.paused = o.owner.paused > 0
		o.met = o.met || len(st.inside) > 0
	}
}

// without says that c owns a key but has no lease, nor has another that the lock
// takes for c.
func (o *orphan) without(c *client) bool {
	return c != nil && c.phase != held && !c.crashed &&
		!slices.ContainsFunc(o.st.clients, func(other *client) bool { return other.joined == c && other.phase == held })
}

func (o *orphan) count() {
	if !o.paused {
		o.stood += o.st.now.at - o.last
	}
	o.last = o.st.now.at
}

func (o *orphan) close() {
	c := o.owner
	o.owner = nil
	if o.stood <= o.bound {
		return
	}
	cause := c.refused
	if c.released.seq > cause.seq {
		cause = c.released
	}
	if cause.seq < o.locked.seq {
		cause = ref{}
	}
	if o.circular(c, cause) {
		return
	}
	left := ""
	if o.st.there && o.st.owner == c && o.st.ends > after(o.st.now.at, o.st.h.Lease) {
		left = ", and would stand for another " + span(o.st.ends-o.st.now.at)
	}
	o.add(o.stood, named(c), proof(o.locked, cause, o.st.now),
		"the key of %s stood for %s although %s held no lease%s", c.name, span(o.stood), c.name, left)
}

// circular reports whether c, which has its key, went on waiting before any fault, and
// others for that key, for so long that stuck tells.
func (o *orphan) circular(c *client, cause ref) bool {
	return !o.st.faulty && !o.met && !cause.known() && (c.phase == waiting || c.phase == held) && o.stood > stuckProperty.bound(o.st.h) &&
		slices.ContainsFunc(o.st.clients, func(other *client) bool { return other != c && other.asks() })
}

func (o *orphan) end() []Violation {
	if o.owner != nil {
		o.close()
	}
	return o.found
}
