package check

import (
	"fmt"

	"github.com/lockchaos/simrun/internal/history"
)

// lateNotice: the key of a client inside was lost (it expired, was removed by
// anybody, or went to another owner), and the client neither noticed nor left
// nor died nor had the key again within the bound. A client that had noticed
// before, and is rolling back, owes nothing. One that enters with its key lost
// already should notice within the bound from there. The size is the time from
// the loss until the client noticed, or stopped being inside.
type lateNotice struct {
	st    *state
	bound int64
	since map[*client]ref // clients inside that lost their key unawares
	found []Violation
}

func newLateNotice(st *state) Checker {
	return &lateNotice{st: st, bound: bound(st.h, "late-notice"), since: map[*client]ref{}}
}

func (l *lateNotice) Event(e *history.Event) {
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
	l.found = append(l.found, Violation{
		Property: "late-notice",
		At:       l.st.now.at,
		Size:     size,
		Clients:  named(c),
		Events:   proof(c.entered, lost, l.st.now),
		Text:     c.name + " " + fmt.Sprintf(how, span(size)),
	})
}

func (l *lateNotice) End() []Violation {
	for _, c := range l.st.inside {
		l.close(c, "was still inside at the end, %s after its lease was lost, and never noticed")
	}
	return l.found
}
