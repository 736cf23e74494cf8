// Package errclass sorts a lock's errors into classes with fixed names, for
// histories and for the protocol of worker processes.
//
// Goals: the same names in both worlds, without anything that differs from run to
// run. Non-goals: the error's text, which is for logs.
package errclass

import (
	"context"
	"errors"
	"net"
	"slices"
	"strings"

	"github.com/lockchaos/simrun/lock"
)

// The classes.
const (
	RenewalCapped    = "renewal capped"    // lock.ErrRenewalCapped
	LeaseLost        = "lease lost"        // lock.ErrLeaseLost
	NotHeld          = "not held"          // lock.ErrNotHeld
	NotAcquired      = "not acquired"      // lock.ErrNotAcquired
	DeadlineExceeded = "deadline exceeded" // the context's
	Cancelled        = "cancelled"         // the context's
	Network          = "network"           // a net.Error
	Other            = "other error"
)

// words are the first words of Redis's own errors that say what is wrong with the
// server, and are classes themselves. ERR, the word of all others, says nothing.
var words = []string{
	"NOSCRIPT", "MISCONF", "OOM", "READONLY", "BUSY", "UNKILLABLE", "LOADING", "MASTERDOWN", "NOREPLICAS", "NOAUTH", "WRONGPASS", "NOPERM",
	"CLUSTERDOWN", "MOVED", "ASK", "TRYAGAIN", "CROSSSLOT", "WRONGTYPE", "EXECABORT", "UNBLOCKED",
}

var all = slices.Concat([]string{RenewalCapped, LeaseLost, NotHeld}, words, []string{NotAcquired, DeadlineExceeded, Cancelled, Network, Other})

// All lists the classes, the more specific first: an error of several belongs to
// the first.
func All() []string { return slices.Clone(all) }

// Known reports whether the word is a class.
func Known(class string) bool { return slices.Contains(all, class) }

// Of returns an error's class, empty for nil.
func Of(err error) string {
	if err == nil {
		return ""
	}
	var network net.Error
	word := server(err.Error())
	switch {
	case errors.Is(err, lock.ErrRenewalCapped):
		return RenewalCapped
	case errors.Is(err, lock.ErrLeaseLost):
		return LeaseLost
	case errors.Is(err, lock.ErrNotHeld):
		return NotHeld
	case word != "":
		return word
	case errors.Is(err, lock.ErrNotAcquired):
		return NotAcquired
	case errors.Is(err, context.DeadlineExceeded):
		return DeadlineExceeded
	case errors.Is(err, context.Canceled):
		return Cancelled
	case errors.As(err, &network):
		return Network
	default:
		return Other
	}
}

// server finds the word of Redis's own error in a text that may wrap it: an error's
// text begins a line or follows a colon, and goes on after its first word.
func server(text string) string {
	for line := range strings.Lines(text) {
		for part := range strings.SplitSeq(line, ": ") {
			word, rest, _ := strings.Cut(strings.TrimSpace(part), " ")
			if rest != "" && slices.Contains(words, word) {
				return word
			}
		}
	}
	return ""
}
