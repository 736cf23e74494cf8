package check

import (
	"math"
	"time"

	"github.com/lockchaos/simrun/internal/history"
)

// Bounds says for each property that must happen in time how late is too late.
// A header's Bounds come before these. Each is exclusive: what takes exactly as
// long is in time. The bound of starved is [StarvedLeases] times the lease.
//
//   - late-notice: a holder that works in slices looks at its lease several
//     times a second; a second allows for one slice and one round trip.
//   - stuck: a waiter that was not woken must come by itself; five seconds
//     allow for its longest sensible poll and go-redis's three-second timeout.
//   - orphan: between the server's applying an acquire and the client's hearing
//     of it lies one round trip; a second is a slow one.
var Bounds = map[string]time.Duration{
	"late-notice": time.Second,
	"stuck":       5 * time.Second,
	"orphan":      time.Second,
}

// StarvedLeases is the default bound of starved, in leases: a holder may renew
// a few times, but not keep the others out for ten leases.
const StarvedLeases = 10

// bound is how late is too late for a property of this run, in nanoseconds.
func bound(h history.Header, name string) int64 {
	if b, ok := h.Bounds[name]; ok {
		return max(0, b)
	}
	if name == "starved" {
		if h.Lease > math.MaxInt64/StarvedLeases {
			return math.MaxInt64
		}
		return StarvedLeases * h.Lease
	}
	return int64(Bounds[name])
}

// after is the time d after t, which saturates: a hostile header must not make
// a deadline lie in the past.
func after(t, d int64) int64 {
	if d > 0 && t > math.MaxInt64-d {
		return math.MaxInt64
	}
	return t + d
}
