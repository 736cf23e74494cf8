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

var all = []string{RenewalCapped, LeaseLost, NotHeld, NotAcquired, DeadlineExceeded, Cancelled, Network, Other}

// All lists the classes, the more specific first: an error of several belongs to
// the first.
func All() []string { return slices.Clone(all) }

// Known reports whether the word is a class.
func Known(class string) bool { return slices.Contains(all, class) }

// Of returns an error's class, empty for nil.
func Of(err error) string {
	var network net.Error
	switch {
	case err == nil:
		return ""
	case errors.Is(err, lock.ErrRenewalCapped):
		return RenewalCapped
	case errors.Is(err, lock.ErrLeaseLost):
		return LeaseLost
	case errors.Is(err, lock.ErrNotHeld):
		return NotHeld
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
