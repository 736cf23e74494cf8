package check

import (
	"fmt"

	"github.com/lockchaos/simrun/sim/history"
)

// zombie: a client renewed a key after its release had returned, and had not
// asked for the lock again. It does not matter whose key that was.
type zombie struct {
	st    *state
	found []Violation
}

func newZombie(st *state) Checker { return &zombie{st: st} }

func (z *zombie) Event(e *history.Event) {
	c := z.st.who
	if e.Kind != history.Renewed || c == nil || c.phase != released {
		return
	}
	z.found = append(z.found, Violation{
		Property: "zombie",
		At:       e.At,
		Size:     1,
		Clients:  named(c),
		Events:   proof(c.released, z.st.now),
		Text:     fmt.Sprintf("%s renewed the key %s after it had released it", c.name, span(e.At-c.released.at)),
	})
}

func (z *zombie) End() []Violation { return z.found }
