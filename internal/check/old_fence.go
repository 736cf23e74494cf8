package check

import "github.com/lockchaos/simrun/internal/history"

var oldFenceProperty = Property{
	Name: "old-fence", Unit: Count, Severity: Misinformation, DefeatsFence: true, Letter: "E",
	Broken:    "a lease was given a fencing token no greater than that of an earlier one",
	DependsOn: "in what order things happen",
	watch:     func(b breaches) checker { return &oldFence{breaches: b} },
}

// oldFence: a lease was given a fencing token that is not greater than that of a
// lease whose key came to be before. A resource that compares tokens then takes
// the older holder for the newer one, or both for one: it refuses the wrong one, or
// none. When the key came to be counts, not when the lock told of it: an answer may
// be late.
type oldFence struct {
	breaches
	top grant // the greatest token so far
}

// grant is a lease with a token.
type grant struct {
	client           *client
	token            int64
	locked, acquired ref
}

func (o *oldFence) event(e *history.Event) {
	c := o.st.who
	if e.Kind != history.Acquired || e.Fence == 0 || c == nil {
		return
	}
	g := grant{client: c, token: e.Fence, locked: c.locked, acquired: o.st.now}
	switch {
	case g.token > o.top.token:
		o.top = g
	case g.locked.seq > o.top.locked.seq && o.top.locked.known():
		o.add(1, named(c, o.top.client), proof(o.top.locked, o.top.acquired, g.locked, g.acquired),
			"%s was given the fencing token %d, after %s had been given %d", c.name, g.token, o.top.client.name, o.top.token)
	}
}
