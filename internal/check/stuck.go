package check

import (
	"fmt"
	"slices"
	"time"

	"github.com/lockchaos/simrun/internal/history"
)

var stuckProperty = Property{
	Name: "stuck", Unit: Nanoseconds, Severity: Delay, Liveness: true, Letter: "T",
	Broken:    "the lock was free and clients waited for it, but nobody got it in time",
	DependsOn: "whether a client comes and asks while those who wait sleep; live, the bound is longer by what a machine may dawdle",
	// A waiter that was not woken must poll by itself: five seconds allow for its
	// longest sensible interval and go-redis's timeout of three seconds.
	Bound: 5 * time.Second,
	watch: func(b breaches) checker { return &stuck{breaches: b} },
}

// stuck: a live client waited and the lock was free, but nobody got it within the
// bound. It was free while nobody was inside, no fault was active, and the key was
// gone or had outlived its lease's nominal length by true time (not by Redis's
// clock). A renewal prolongs the lease only for an owner that has one open; and
// before any fault, the key of a client that was never granted the lock has no
// lease. A client that was refused goes on waiting if it asks again; if not, its
// wait ended with the refusal. One such period is one violation; its size is how
// long it was.
type stuck struct {
	breaches
	open  bool    // clients wait, nobody is inside, no fault is active
	since int64   // when it became so
	free  int64   // when the key stopped, or by its lease should stop, keeping anybody out
	quiet ref     // since when nobody waits but refused clients
	key   ref     // who may have it was settled by this event of the key
	owner *client // of the key, while it keeps others out, be it past its lease
	gone  ref     // a key that had outlived its lease ended

	keeper *client // whose key it became without being granted the lock
}

func (s *stuck) event(e *history.Event) {
	st := s.st
	got := e.Kind == history.Acquired || e.Kind == history.Locked || e.Kind == history.Renewed && st.holderRenewed()
	open := len(st.inside) == 0 && st.active == 0 && slices.ContainsFunc(st.clients, (*client).asks)
	if s.open && (got || !open) {
		s.close()
	}
	if got || !s.open {
		s.since, s.quiet = e.At, ref{}
	}
	s.open = open
	switch {
	case slices.ContainsFunc(st.clients, (*client).waits):
		s.quiet = ref{}
	case !s.quiet.known():
		s.quiet = st.now
	}
	s.watchKey(e)
	if c := s.keeper; c != nil && (c.phase == held || c.inside || c.crashed) {
		s.keeper = nil
	}
}

func (s *stuck) watchKey(e *history.Event) {
	switch e.Kind {
	case history.Renewed:
		if s.st.holderRenewed() {
			s.free, s.key, s.gone = s.st.leaseOver(), s.st.now, ref{}
		}
	case history.Locked:
		s.keeper = s.st.owner // until it is granted the lock
		s.free, s.key, s.owner, s.gone = s.st.leaseOver(), s.st.now, s.st.owner, ref{}
	case history.Unlocked, history.Expired:
		if e.At <= s.free {
			s.free, s.key, s.owner = e.At, s.st.now, nil
		} else {
			s.gone = s.st.now
		}
	}
}

// close ends the period with the present event.
func (s *stuck) close() {
	end := s.st.now
	if s.quiet.known() {
		end = s.quiet
	}
	size := end.at - s.since
	if s.keeper == nil || s.st.faulty {
		size = end.at - max(s.since, s.free)
	}
	if size <= s.bound {
		return
	}
	waiter := s.st.longestWaiter()
	if waiter == nil {
		waiter = s.st.who // it waited until this event
	}
	var died ref
	text := "nobody got the lock for " + span(size) + ", although it was free and clients waited"
	switch {
	case s.keeper != nil && !s.st.faulty:
		text = fmt.Sprintf("nobody got the lock for %s: %s had its key but no lease, and clients waited", span(size), s.keeper.name)
	case s.owner != nil:
		died = s.owner.died
		text = fmt.Sprintf("nobody got the lock for %s after the lease of %s was over, although clients waited", span(size), s.owner.name)
	}
	s.add(size, named(s.owner, waiter), proof(s.key, died, waiter.asked, s.gone, end), "%s", text)
	s.found[len(s.found)-1].At = end.at
}

func (s *stuck) end() []Violation {
	if s.open {
		s.close()
	}
	return s.found
}
