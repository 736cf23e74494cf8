package check

import (
	"fmt"
	"slices"
	"strings"
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

	life   int64   // how long the key lives; 0: for ever
	by     *client // who else has renewed it since
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
			s.free, s.key, s.gone, s.life, s.by = s.st.leaseOver(), s.st.now, ref{}, e.Dur, nil
		} else {
			s.by = s.st.who
		}
	case history.Locked:
		s.keeper = s.st.owner // until it is granted the lock
		s.free, s.key, s.owner, s.gone = s.st.leaseOver(), s.st.now, s.st.owner, ref{}
		s.life, s.by = e.Dur, nil
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
	clients, why, died := []*client{s.owner, waiter}, "", ref{}
	switch {
	case s.keeper != nil && !s.st.faulty:
		clients, why = s.circle()
	case s.owner != nil:
		died = s.owner.died
		why = fmt.Sprintf(" after the lease of %s was over, although clients waited%s", s.owner.name, s.outlived())
	default:
		why = ", although it was free and clients waited" + s.answer(waiter)
	}
	refs := []ref{s.key, died, waiter.asked, s.gone, end}
	for _, c := range clients[1:] {
		refs = append(refs, c.asked)
	}
	s.add(size, named(clients...), proof(refs...), "nobody got the lock for %s%s", span(size), why)
	s.found[len(s.found)-1].At = end.at
}

// circle says who has the key and waits all the same, and who waits for that key.
func (s *stuck) circle() (clients []*client, why string) {
	clients = []*client{s.keeper}
	var others []string
	for _, c := range s.st.clients {
		if c != s.keeper && (c.asks() || c == s.st.who && c.asked.seq > s.key.seq) && len(others) < 3 {
			clients, others = append(clients, c), append(others, c.name)
		}
	}
	why = fmt.Sprintf(": %s had its key and went on waiting", s.keeper.name)
	if len(others) > 0 {
		why += ", while " + strings.Join(others, ", ") + " waited for that key"
	}
	return clients, why
}

// outlived says why a key stood after its lease, if that is known.
func (s *stuck) outlived() string {
	switch {
	case s.by != nil:
		return ": " + s.by.name + " renewed its key"
	case !s.gone.known() && s.life == 0:
		return ": its key never expires"
	case s.life/10 > s.st.h.Lease:
		return ": its key lives for " + length(s.life)
	}
	return ""
}

// answer is Redis's own word in the last refusal of a waiter, if it was one.
func (s *stuck) answer(waiter *client) string {
	if w := waiter.refusal; w != "" && w == strings.ToUpper(w) && waiter.refused.at >= s.since {
		return ": Redis answered " + w
	}
	return ""
}

func (s *stuck) end() []Violation {
	if s.open {
		s.close()
	}
	return s.found
}
