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

// sentence describes one event, and weighs it. The state is as the event left it.
func (st *state) sentence(e *history.Event) (string, weight) {
	switch e.Kind {
	case history.Locked, history.Renewed, history.Unlocked, history.Expired:
		return st.keySentence(e)
	case history.Read, history.Checked, history.Wrote, history.Rejected, history.Unanswered, history.SoldOut:
		return st.resourceSentence(e)
	case history.Waiting, history.Acquired, history.Refused, history.Releasing, history.Released:
		return st.lockSentence(e)
	case history.Fired:
		return faultText(e), turn
	case history.Over:
		return "fault " + e.Fault + onClient(e.Client) + " is over", turn
	case history.Unfired:
		return "fault " + e.Fault + " cannot take effect" + onClient(e.Client) + inBrackets(e.Detail), turn
	case history.End:
		return fmt.Sprintf("the run ends with a stock of %d", e.Value), plot
	case history.Residue:
		return "left behind: " + e.Detail, turn
	case history.Finding:
		return "finding: " + e.Detail, turn
	}
	return st.sectionSentence(e)
}

func (st *state) sectionSentence(e *history.Event) (string, weight) {
	who := "client " + e.Client
	switch e.Kind {
	case history.Entered:
		for _, c := range st.inside {
			if c != st.who {
				return who + " enters while client " + c.name + " is inside", turn
			}
		}
		return who + " enters", turn
	case history.Noticed:
		s := who + " notices that its lease is lost" + inBrackets(e.Detail)
		if c := st.who; c != nil && c.lost.known() {
			s += ", " + span(e.At-c.lost.at) + " after the loss"
		}
		return s, turn
	case history.Aborted:
		return who + " has rolled its section back", plot
	case history.Left:
		return who + " leaves", turn
	case history.Crashed:
		return who + " dies", turn
	case history.Done:
		return who + " is done", routine
	case history.Command:
		return who + " sends " + strings.ToUpper(e.Detail), routine
	}
	return who + ": " + string(e.Kind), routine
}

func (st *state) lockSentence(e *history.Event) (string, weight) {
	who := "client " + e.Client
	c := st.who
	switch e.Kind {
	case history.Waiting:
		return who + " asks for the lock", routine
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
		return who + " does not get the lock" + inBrackets(e.Detail), routine
	case history.Releasing:
		return who + " releases the lock", routine
	}
	if e.Detail != "" {
		return who + " fails to release the lock" + inBrackets(e.Detail), plot
	}
	return who + " has released the lock", trivial
}

func (st *state) keySentence(e *history.Event) (string, weight) {
	who := "client " + e.Client
	foreign := e.Owner != "" && e.Owner != e.Client
	switch e.Kind {
	case history.Locked:
		if st.lost != nil {
			return fmt.Sprintf("%s takes the key of client %s over", who, st.lost.name), turn
		}
		return fmt.Sprintf("%s acquires the lock%s", who, leaseText(e.Dur)), turn
	case history.Renewed:
		if foreign {
			return who + " renews the key of client " + e.Owner, turn
		}
		if st.who != nil && st.who.phase == released {
			return who + " renews the key after its release", turn
		}
		return who + " renews its lease", routine
	case history.Expired:
		if e.Dur > 0 {
			return fmt.Sprintf("the key of client %s is gone, %s before its time", e.Owner, span(e.Dur)), turn
		}
		return "the key of client " + e.Owner + " expires", turn
	}
	switch {
	case e.Client == "":
		return "the key of client " + e.Owner + " is removed", turn
	case foreign:
		return who + " removes the key of client " + e.Owner, turn
	}
	return who + " removes its key", turn
}

func (st *state) resourceSentence(e *history.Event) (string, weight) {
	who := "client " + e.Client
	switch e.Kind {
	case history.Read:
		return fmt.Sprintf("%s reads stock %d, version %d", who, e.Value, e.Version), plot
	case history.Checked:
		if c := st.who; c != nil && c.lost.known() {
			return who + " checks its lease, and does not see that it is lost", plot
		}
		return who + " checks its lease a last time", routine
	case history.Rejected:
		return fmt.Sprintf("the resource refuses a write of %s: fencing token %d is old", who, e.Fence), turn
	case history.Unanswered:
		return who + " gives up waiting for the resource's answer", plot
	case history.SoldOut:
		return who + " finds nothing left to sell", plot
	}
	v := st.answer
	if v == nil {
		return fmt.Sprintf("%s writes stock %d", who, e.Value), turn
	}
	if c := v.client; c.current != v || !c.inside {
		s := fmt.Sprintf("a write that %s sent in its section %d arrives, stock %d", who, v.section, e.Value)
		if v.lost.known() {
			s += ", " + span(e.At-v.lost.at) + " after its lease ended"
		}
		return s, turn
	}
	if c := v.client; c.lost.known() {
		return fmt.Sprintf("%s writes stock %d with a lease it lost %s ago", who, e.Value, span(e.At-c.lost.at)), turn
	}
	return fmt.Sprintf("%s writes stock %d", who, e.Value), turn
}

// faultText describes a fault that took effect, with its proof.
func faultText(e *history.Event) string {
	s := "fault " + e.Fault + " fires" + onClient(e.Client)
	if e.Dur > 0 {
		s += " for " + text.Duration(time.Duration(e.Dur))
	}
	return s + inBrackets(e.Detail)
}

func onClient(client string) string {
	if client == "" {
		return ""
	}
	return " on client " + client
}

func inBrackets(detail string) string {
	if detail == "" {
		return ""
	}
	return " (" + detail + ")"
}

// leaseText is the time to live of a new key.
func leaseText(dur int64) string {
	if dur <= 0 {
		return ""
	}
	return " (lease " + text.Duration(time.Duration(dur)) + ")"
}
