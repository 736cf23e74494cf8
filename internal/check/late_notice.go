package check

import (
	"time"

	"github.com/lockchaos/simrun/internal/history"
)

var lateNoticeProperty = Property{
	Name: "late-notice", Unit: Nanoseconds, Severity: Misinformation, LeaseLimit: true, Liveness: true, Letter: "N",
	Broken:    "a holder inside learned too late, or never, that it had lost its lease",
	DependsOn: "how soon the holder next hears of Redis; live, the bound is longer by what a machine may dawdle",
	// A holder that works in slices looks at its lease several times a second: one
	// second allows for a slice and a round trip.
	Bound: time.Second,
	watch: func(b breaches) checker {
		return &lateNotice{breaches: b, since: map[*client]ref{}}
	},
}

// lateNotice: the key of a client inside was lost (it expired, was removed by
// anybody, or went to another owner), and the client neither noticed nor left
// nor died nor had the key again within the bound. A client that had noticed
// before, and is rolling back, owes nothing. One that enters with its key lost
// already should notice within the bound from there. The size is the time from
// the loss until the client noticed, or stopped being inside.
type lateNotice struct {
	breaches
	since map[*client]ref // clients inside that lost their key unawares
}

func (l *lateNotice) event(e *history.Event) {
	if c := l.st.lost; c != nil && c.inside && !c.noticed.known() {
		l.since[c] = l.st.now
	}
	c := l.st.who
	switch e.Kind {
	case history.Entered:
		if c != nil && c.entered == l.st.now && c.lost.known() {
			l.since[c] = l.st.now
		}
	case history.Noticed, history.Aborted:
		l.close(c, "noticed only %s later that its lease was lost")
	case history.Left:
		l.close(c, "left %s after its lease was lost, and never noticed")
	case history.Crashed:
		l.close(c, "died %s after its lease was lost, and never noticed")
	case history.Locked:
		l.close(c, "had its lease again %s after it was lost, and never noticed")
	}
}

func (l *lateNotice) close(c *client, how string) {
	since, open := l.since[c]
	if !open {
		return
	}
	delete(l.since, c)
	size := l.st.now.at - since.at
	if size <= l.bound {
		return
	}
	lost := c.lost
	if !lost.known() {
		lost = since // it has the key again
	}
	l.add(size, named(c), proof(c.entered, lost, l.st.now), "%s "+how, c.name, span(size))
}

func (l *lateNotice) end() []Violation {
	for _, c := range l.st.inside {
		l.close(c, "was still inside at the end, %s after its lease was lost, and never noticed")
	}
	return l.found
}
