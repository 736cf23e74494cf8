package check

import (
	"cmp"

	"github.com/lockchaos/simrun/internal/history"
)

// leak: something was left when all was over: goroutines, keys without expiry,
// subscriptions, queue entries. Each residue event is one violation.
type leak struct {
	st    *state
	found []Violation
}

func newLeak(st *state) Checker { return &leak{st: st} }

func (l *leak) Event(e *history.Event) {
	if e.Kind != history.Residue {
		return
	}
	l.found = append(l.found, Violation{
		Property: "leak",
		At:       e.At,
		Size:     1,
		Clients:  named(l.st.who),
		Events:   proof(l.st.now),
		Text:     cmp.Or(e.Detail, "something was left behind"),
	})
}

func (l *leak) End() []Violation { return l.found }
