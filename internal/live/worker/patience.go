package worker

import "time"

// patience bounds a wait. It counts looks rather than reading the clock, so that
// time in which the worker is paused, or this program is, does not run it down.
type patience struct {
	left   int
	paused func() bool
}

// looks is how often a wait looks around. One more is granted, since the first
// may fall right after a pause.
const looks = 20

func newPatience(paused func() bool) *patience { return &patience{left: looks + 1, paused: paused} }

// every is the time between looks for a wait of that bound.
func every(bound time.Duration) time.Duration { return max(bound/looks, time.Millisecond) }

// out takes one look and reports whether patience is at its end.
func (p *patience) out() bool {
	if !p.paused() {
		p.left--
	}
	return p.left <= 0
}
