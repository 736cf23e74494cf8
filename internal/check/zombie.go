package check

import (
	"fmt"

	"github.com/lockchaos/simrun/internal/history"
)

// zombie: a client renewed a key after its release had returned. It does not
// matter whose key that was, unless the client asks for the lock again: then only
// a key of another's counts, since its own may be the answer.
type zombie struct {
	st    *state
	found []Violation
}

func newZombie(st *state) Checker { return &zombie{st: st} }

func (z *zombie) Event(e *history.Event) {
	c := z.st.who
	if e.Kind != history.Renewed || c == nil || !z.late(c, e) {
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

// late says that the renewal by c comes after its release.
func (z *zombie) late(c *client, e *history.Event) bool {
	switch c.phase {
	case released:
		return true
	case waiting, refused:
		return c.released.known() && e.Owner != "" && e.Owner != c.name
	default:
		return false
	}
}

func (z *zombie) End() []Violation { return z.found }
