package check

import "github.com/lockchaos/simrun/internal/history"

var starvedProperty = Property{
	Name: "starved", Unit: Nanoseconds, Severity: Delay, LeaseLimit: true, Liveness: true, Letter: "V",
	Broken:      "a holder kept others waiting for too long",
	DependsOn:   "how long the others have waited already",
	BoundLeases: 10, // a holder may renew a few times, but not keep others out for ten leases
	watch: func(b breaches) checker {
		return &starved{breaches: b, judged: map[*client]int{}}
	},
}

// starved: one hold kept a live client waiting for longer than the bound. The
// hold lasts from entered to the client's leaving or death, or until it no
// longer owned the key: from there on it keeps nobody out. It counts from when
// the client that waited longest began to wait within the hold. One hold is at
// most one violation; its size is how long it kept that client waiting.
type starved struct {
	breaches
	judged map[*client]int // Seq of the entered of the hold that was judged last
}

func (s *starved) event(*history.Event) {
	if c := s.st.exited; c != nil {
		s.judge(c)
	}
	if c := s.st.lost; c != nil {
		s.judge(c)
	}
}

// judge ends the hold of c, if it has one that was not judged yet, with the
// present event.
func (s *starved) judge(c *client) {
	if s.judged[c] == c.entered.seq {
		return
	}
	s.judged[c] = c.entered.seq
	if c.lost.known() && c.lost != s.st.now {
		return // it did not own the key when it entered
	}
	var worst *client
	var size int64
	for _, w := range s.st.clients {
		if waited := s.keptWaiting(w, c.entered); waited > size {
			worst, size = w, waited
		}
	}
	if size <= s.bound {
		return
	}
	s.add(size, named(c, worst), proof(worst.asked, c.entered, s.st.now), "%s kept %s waiting for %s", c.name, worst.name, span(size))
}

// keptWaiting is how long w has waited since the hold began. A refused client
// waited until its refusal.
func (s *starved) keptWaiting(w *client, entered ref) int64 {
	from := max(entered.at, w.asked.at)
	switch {
	case w.waits():
		return s.st.now.at - from
	case w.gaveUp():
		return w.refused.at - from
	}
	return 0
}

func (s *starved) end() []Violation {
	for _, c := range s.st.inside {
		s.judge(c)
	}
	return s.found
}
