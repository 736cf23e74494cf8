package check

import (
	"fmt"
	"strings"
	"time"

	"github.com/lockchaos/simrun/internal/history"
	"github.com/lockchaos/simrun/internal/text"
)

// weight ranks the steps of a story: one that is too long drops its lightest
// steps.
type weight uint8

const (
	trivial weight = iota // shown only as a proof
	routine
	plot
	turn
	proven
)

// plain are the sentences, after the client's name, of events that mean the same
// whatever came before.
var plain = map[history.Kind]struct {
	text   string
	weight weight
}{
	history.Waiting:    {"asks for the lock", routine},
	history.Unanswered: {"gives up waiting for the resource's answer", plot},
	history.SoldOut:    {"finds nothing left to sell", plot},
	history.Aborted:    {"has rolled its section back", plot},
	history.Left:       {"leaves", turn},
	history.Releasing:  {"releases the lock", routine},
	history.Crashed:    {"dies", turn},
	history.Done:       {"is done", routine},
}

// sentence describes one event, and weighs it. The state is as the event left it.
func (st *state) sentence(e *history.Event) (string, weight) {
	who := "client " + e.Client
	if p, ok := plain[e.Kind]; ok {
		return who + " " + p.text, p.weight
	}
	target := optional(" on client %s", e.Client)
	switch e.Kind {
	case history.Fired:
		return "fault " + e.Fault + " fires" + target + optional(" for %s", length(e.Dur)) + optional(" (%s)", e.Detail), turn
	case history.Over:
		return "fault " + e.Fault + target + " is over", turn
	case history.Unfired:
		return "fault " + e.Fault + " cannot take effect" + target + optional(" (%s)", e.Detail), turn
	case history.End:
		return fmt.Sprintf("the run ends with a stock of %d", e.Value), plot
	case history.Residue:
		return "left behind: " + e.Detail, turn
	case history.Finding:
		return "finding: " + e.Detail, turn
	case history.Unkept:
		return "Redis never held the key, which clients tried to make", turn
	case history.Locked, history.Renewed, history.Joined, history.Unlocked, history.Expired:
		return st.keySentence(who, e)
	case history.Read, history.Checked, history.Wrote, history.Rejected:
		return st.resourceSentence(who, e)
	}
	return st.lockSentence(who, e)
}

func (st *state) lockSentence(who string, e *history.Event) (string, weight) {
	c := st.who
	switch e.Kind {
	case history.Command:
		return who + " sends " + strings.ToUpper(e.Detail), routine
	case history.Acquired:
		s := who + " is told that it has the lock"
		if e.Fence != 0 {
			s += fmt.Sprintf(", with fencing token %d", e.Fence)
		}
		if c == nil || !c.locked.known() || c.lost.known() || e.At-c.locked.at > orphanProperty.bound(st.h) {
			return s, plot
		}
		return s, trivial
	case history.Refused:
		return who + " does not get the lock" + optional(" (%s)", e.Detail), routine
	case history.Entered:
		for _, other := range st.inside {
			if other != c {
				return who + " enters while client " + other.name + " is inside", turn
			}
		}
		return who + " enters", turn
	case history.Noticed:
		s := who + " notices that its lease is lost" + optional(" (%s)", e.Detail)
		if c != nil && c.lost.known() {
			s += ", " + span(e.At-c.lost.at) + " after the loss"
		}
		return s, turn
	}
	if e.Detail != "" {
		return who + " fails to release the lock (" + e.Detail + ")", plot
	}
	return who + " has released the lock", trivial
}

func (st *state) keySentence(who string, e *history.Event) (string, weight) {
	foreign := e.Owner != "" && e.Owner != e.Client
	switch {
	case e.Kind == history.Locked && st.lost != nil:
		return who + " takes the key of client " + st.lost.name + " over", turn
	case e.Kind == history.Locked:
		return who + " acquires the lock" + st.keyLife(e.Dur), turn
	case e.Kind == history.Joined:
		return who + " counts itself in the key of client " + e.Owner + ", as if it were " + e.Owner, turn
	case e.Kind == history.Renewed && foreign:
		return who + " renews the key of client " + e.Owner, turn
	case e.Kind == history.Renewed && st.who != nil && st.who.phase == released:
		return who + " renews the key after its release", turn
	case e.Kind == history.Renewed:
		return who + " renews its lease", routine
	case e.Kind == history.Expired && e.Dur > 0:
		return "the key of client " + e.Owner + " is gone, " + span(e.Dur) + " before its time", turn
	case e.Kind == history.Expired:
		return "the key of client " + e.Owner + " expires", turn
	case e.Client == "":
		return "the key of client " + e.Owner + " is removed", turn
	case foreign:
		return who + " removes the key of client " + e.Owner, turn
	}
	return who + " removes its key", turn
}

// keyLife says how long a key lives, and that the lease was to be shorter.
func (st *state) keyLife(dur int64) string {
	if st.h.Lease > 0 && dur/10 > st.h.Lease {
		return fmt.Sprintf(" (its key lives for %s, the lease is %s)", length(dur), length(st.h.Lease))
	}
	return optional(" (lease %s)", length(dur))
}

func (st *state) resourceSentence(who string, e *history.Event) (string, weight) {
	c, v := st.who, st.answer
	lost := c != nil && c.lost.known()
	switch {
	case e.Kind == history.Read:
		return fmt.Sprintf("%s reads stock %d, version %d", who, e.Value, e.Version), plot
	case e.Kind == history.Checked && lost:
		return who + " checks its lease, but does not see that it has been lost", plot
	case e.Kind == history.Checked:
		return who + " checks its lease one last time", routine
	case e.Kind == history.Rejected:
		return fmt.Sprintf("the resource refuses a write of %s: fencing token %d is old", who, e.Fence), turn
	case v != nil && (c.current != v || !c.inside):
		s := fmt.Sprintf("a write that %s sent in its section %d arrives, stock %d", who, v.section, e.Value)
		if v.lost.known() {
			s += ", " + span(e.At-v.lost.at) + " after its lease ended"
		}
		return s, turn
	case v != nil && lost:
		return fmt.Sprintf("%s writes stock %d with a lease it lost %s ago", who, e.Value, span(e.At-c.lost.at)), turn
	}
	return fmt.Sprintf("%s writes stock %d", who, e.Value), turn
}

// optional is a part of a sentence, which is left out where there is nothing to say.
func optional(format, s string) string {
	if s == "" {
		return ""
	}
	return fmt.Sprintf(format, s)
}

// length is a planned time in nanoseconds; it is empty for none.
func length(ns int64) string {
	if ns <= 0 {
		return ""
	}
	return text.Duration(time.Duration(ns))
}
