package check

import "github.com/lockchaos/simrun/internal/history"

var overlapProperty = Property{
	Name: "overlap", Unit: Nanoseconds, Severity: Exclusion, LeaseLimit: true, Letter: "O",
	Broken:    "two clients are inside at once",
	DependsOn: "whether the next client enters before the last holder has learned of its loss and left",
	turning:   history.Entered,
	watch:     func(b breaches) checker { return &overlap{b} },
}

// overlap: two clients are inside at once, from entered to left or to death.
// Each overlapping pair of sections is one violation, complete when the first
// of the two ends; its size is how long both were inside.
type overlap struct {
	breaches
}

func (o *overlap) event(*history.Event) {
	if c := o.st.exited; c != nil {
		for _, other := range o.st.inside {
			o.pair(c, other)
		}
	}
}

func (o *overlap) end() []Violation {
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
	why, joint := "", ref{}
	for _, c := range []*client{a, b} {
		if owner := c.joined; owner == a || owner == b {
			why, joint = ": to the lock, both are the owner "+owner.name, c.join
		}
	}
	o.add(size, named(culprit, other), proof(a.entered, culprit.lost, b.locked, joint, b.entered, o.st.now),
		"%s and %s were both inside for %s%s", a.name, b.name, span(size), why)
}
