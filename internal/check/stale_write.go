package check

import "github.com/lockchaos/simrun/internal/history"

var staleWriteProperty = Property{
	Name: "stale-write", Unit: Nanoseconds, Severity: Corruption, DefeatsFence: true, LeaseLimit: true, Letter: "S",
	Broken:    "the resource accepted a write after a later holder had read it",
	DependsOn: "whether the next holder has read before the last one's write arrives",
	watch:     func(b breaches) checker { return &staleWrite{b} },
}

// staleWrite: the resource accepted a write of a section after a later holder,
// a client that entered after it, had read the resource: that holder now works
// on what is no longer so. A write that comes before the later holder looks
// does no harm and is no violation; nor is one that the resource refuses. The
// size is the time since the first such read.
//
// A write counts for the section that it was sent from, however late it comes.
type staleWrite struct {
	breaches
}

func (s *staleWrite) event(e *history.Event) {
	if v := s.st.first; v != nil {
		s.overtake(v)
	}
	if v := s.st.answer; v != nil && v.overtaken != nil && e.Kind == history.Wrote {
		s.breach(v)
	}
}

// overtake marks the older visits of other clients, of those that are open.
func (s *staleWrite) overtake(by *visit) {
	for _, c := range s.st.clients {
		if c == by.client {
			continue
		}
		for len(c.order) > 0 && c.order[0].entered.seq < by.entered.seq {
			c.order[0].overtaken = by
			c.order = c.order[1:]
		}
		if v := c.current; v != nil && v.overtaken == nil && v.entered.seq < by.entered.seq {
			v.overtaken = by
		}
	}
}

func (s *staleWrite) breach(v *visit) {
	later := v.overtaken
	size := s.st.now.at - later.read.at
	s.add(size, named(v.client, later.client), proof(v.entered, v.lost, later.entered, later.read, s.st.now),
		"the resource accepted a write of %s %s after the later holder %s had read it", v.client.name, span(size), later.client.name)
}
