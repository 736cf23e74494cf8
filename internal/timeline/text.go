package timeline

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/lockchaos/simrun/internal/history"
	"github.com/lockchaos/simrun/internal/text"
)

// Text describes an event in one sentence.
func Text(e *history.Event) string {
	switch e.Kind {
	case history.Command:
		return join("", e.Client, " sends ", strings.ToUpper(e.Detail))
	case history.Locked:
		return fmt.Sprintf("Redis: %s owns the key, for %s", orNobody(e.Client), text.Measured(time.Duration(e.Dur)))
	case history.Renewed:
		return fmt.Sprintf("Redis: %s renews %s, now %s", orNobody(e.Client), whose(e), text.Measured(time.Duration(e.Dur)))
	case history.Unlocked:
		return fmt.Sprintf("Redis: %s removes %s", orNobody(e.Client), whose(e))
	case history.Expired:
		if e.Dur > 0 {
			return fmt.Sprintf("Redis: the key of %s is gone, %s before its time", orNobody(e.Owner), text.Measured(time.Duration(e.Dur)))
		}
		return fmt.Sprintf("Redis: the key of %s expires", orNobody(e.Owner))
	case history.Fired:
		return withDetail(join("fault ", history.FaultName(e.Fault), on(e.Client)), e.Detail)
	case history.Over:
		return withDetail(join("fault ", history.FaultName(e.Fault), on(e.Client), " is over"), e.Detail)
	case history.Finding:
		return withDetail("finding", e.Detail)
	case history.Residue:
		return withDetail("left behind", e.Detail)
	case history.End:
		return fmt.Sprintf("the run ends with a stock of %d", e.Value)
	default:
		return clientText(e)
	}
}

var phrases = map[history.Kind]string{
	history.Waiting:    "waits for the lock",
	history.Acquired:   "acquires the lock",
	history.Refused:    "does not get the lock",
	history.Entered:    "enters its section",
	history.Read:       "reads the stock",
	history.Checked:    "checks a last time, and goes on to write",
	history.Wrote:      "writes the stock",
	history.Rejected:   "has its write refused",
	history.Unanswered: "gives up waiting for the resource",
	history.SoldOut:    "finds the stock sold out",
	history.Noticed:    "notices that its lease is lost",
	history.Aborted:    "rolls its section back",
	history.Left:       "leaves its section",
	history.Releasing:  "calls release",
	history.Released:   "has released",
	history.Crashed:    "crashes",
	history.Done:       "is done",
}

func clientText(e *history.Event) string {
	p, ok := phrases[e.Kind]
	if !ok {
		p = string(e.Kind)
	}
	s := join(e.Client, " ", p)
	switch e.Kind {
	case history.Read:
		s = fmt.Sprintf("%s: %d", s, e.Value)
	case history.Wrote:
		s = fmt.Sprintf("%s: %d", s, e.Value)
	}
	if e.Fence != 0 {
		s += " (fence " + strconv.FormatInt(e.Fence, 10) + ")"
	}
	return withDetail(s, e.Detail)
}

func whose(e *history.Event) string {
	if e.Owner == e.Client {
		return "its key"
	}
	return "the key of " + orNobody(e.Owner)
}

func orNobody(s string) string {
	if s == "" {
		return "nobody known"
	}
	return s
}

func on(client string) string {
	if client == "" {
		return ""
	}
	return " on " + client
}

func withDetail(s, detail string) string {
	if detail == "" {
		return s
	}
	return s + ": " + detail
}

func join(parts ...string) string { return strings.TrimSpace(strings.Join(parts, "")) }

// Clock is a virtual time for people, in seconds to the millisecond: "45.003 s".
func Clock(ns int64) string {
	return strconv.FormatFloat(float64(ns)/1e9, 'f', 3, 64) + " s"
}
