package check

import (
	"fmt"

	"github.com/lockchaos/simrun/internal/history"
)

// overlap: two clients are inside at once, from entered to left or to death.
// Each overlapping pair of sections is one violation, complete when the first
// of the two ends; its size is how long both were inside.
type overlap struct {
	st    *state
	found []Violation
}

func newOverlap(st *state) Checker { return &overlap{st: st} }

func (o *overlap) Event(*history.Event) {
	if c := o.st.exited; c != nil {
		for _, other := range o.st.inside {
			o.pair(c, other)
		}
	}
}

func (o *overlap) End() []Violation {
	in := o.st.inside
	for i, a := range in {
		for _, b := range in[i+1:] {
			o.pair(a, b)
		}
	}
	return o.found
}

func (o *overlap) pair(a, b *client) {
	if b.entered.seq < a.entered.seq {
		a, b = b, a
	}
	culprit, other := a, b
	if !a.lost.known() && b.lost.known() {
		culprit, other = b, a
	}
	size := o.st.now.at - b.entered.at
	o.found = append(o.found, Violation{
		Property: "overlap",
		At:       o.st.now.at,
		Size:     size,
		Clients:  named(culprit, other),
		Events:   proof(a.entered, culprit.lost, b.locked, b.entered, o.st.now),
		Text:     fmt.Sprintf("%s and %s were both inside for %s", a.name, b.name, span(size)),
	})
}
