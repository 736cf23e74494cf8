package check

import (
	"fmt"

	"github.com/lockchaos/simrun/internal/history"
)

// foreignRelease: a client removed a key that another client owned. A key that
// expires, or that no client removed, was released by nobody.
type foreignRelease struct {
	st    *state
	found []Violation
}

func newForeignRelease(st *state) Checker { return &foreignRelease{st: st} }

func (f *foreignRelease) Event(e *history.Event) {
	if e.Kind != history.Unlocked || e.Owner == "" || e.Client == "" || e.Client == e.Owner {
		return
	}
	owner := f.st.client(e.Owner)
	f.found = append(f.found, Violation{
		Property: "foreign-release",
		At:       e.At,
		Size:     1,
		Clients:  named(f.st.who, owner),
		Events:   proof(owner.locked, f.st.now),
		Text:     fmt.Sprintf("%s removed the key that %s owned", e.Client, e.Owner),
	})
}

func (f *foreignRelease) End() []Violation { return f.found }
