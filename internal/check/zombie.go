package check

import "github.com/lockchaos/simrun/internal/history"

var zombieProperty = Property{
	Name: "zombie", Unit: Count, Severity: Exclusion, Letter: "Z",
	Broken:    "a key was renewed by a client that had released it",
	DependsOn: "whether a renewal is under way when the release comes",
	watch:     func(b breaches) checker { return &zombie{b} },
}

// zombie: a client renewed a key after its release had returned. It does not
// matter whose key that was, unless the client asks for the lock again: then only
// a key of another's counts, since its own may be the answer.
type zombie struct {
	breaches
}

func (z *zombie) event(e *history.Event) {
	c := z.st.who
	if e.Kind != history.Renewed || c == nil {
		return
	}
	again := c.phase == waiting || c.phase == refused
	foreign := e.Owner != "" && e.Owner != c.name && !c.counted // to the lock, it is the owner
	if c.phase == released || again && foreign && c.released.known() {
		if again {
			owner := z.st.clientNamed(e.Owner)
			whose := owner.name
			if owner.crashed {
				whose = "the dead " + whose
			}
			z.add(1, named(c, owner), proof(owner.locked, owner.died, c.asked, z.st.now),
				"the key of %s was renewed by %s, which waits for it", whose, c.name)
			return
		}
		z.add(1, named(c), proof(c.released, z.st.now),
			"%s renewed the key %s after it had released it", c.name, span(e.At-c.released.at))
	}
}
