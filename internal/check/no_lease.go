package check

import "github.com/lockchaos/simrun/internal/history"

var noLeaseProperty = Property{
	Name: "no-lease", Unit: Count, Severity: Exclusion, Letter: "K",
	Broken:    "a client entered although Redis never held the key for it",
	DependsOn: "whether Redis takes the key, and what the lock makes of the answer",
	watch:     func(b breaches) checker { return &noLease{breaches: b} },
}

// noLease: a client entered, and since it asked Redis had not held the key for it:
// not at all, or for another client with an open lease. A key that a client lets go
// may be the next one's already. Of a lock that never enters with its key nothing is
// known, unless it tried to make the key and Redis never held it.
type noLease struct {
	breaches
	with   bool // a section was entered with the key
	locked bool
	unkept bool
}

func (n *noLease) event(e *history.Event) {
	st, c := n.st, n.st.who
	switch e.Kind {
	case history.Locked:
		n.locked = true
	case history.Unkept:
		n.unkept = true
	case history.Entered:
		if c == nil || c.entered != st.now || c.lost.known() {
			return
		}
		o := st.owner
		switch {
		case o == c:
			n.with = true
		case !st.there:
			n.add(1, named(c), proof(c.asked, st.now), "%s entered although Redis had not held the key for it", c.name)
		case o == nil || o.phase != held || o.releasing || o.crashed:
		case c.joined == o:
			n.add(1, named(c, o), proof(c.asked, o.locked, c.join, st.now), "%s entered on the key of %s: to the lock, both are the owner %s", c.name, o.name, o.name)
		default:
			n.add(1, named(c, o), proof(c.asked, o.locked, st.now), "%s entered although Redis held the key for %s", c.name, o.name)
		}
	}
}

func (n *noLease) end() []Violation {
	if n.with || n.unkept && !n.locked {
		return n.found
	}
	return nil
}
