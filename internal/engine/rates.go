package engine

import (
	"slices"
	"sync"
)

// Rates are the speeds that faults have set a clock to and not ended yet. The
// most recent of them is in force; where there is none, the clock runs at 1. The
// zero value is ready for use.
type Rates struct {
	mu  sync.Mutex
	set []*float64
}

// Set calls apply with rate, and returns what ends it: it calls apply with what
// is in force then. Calls of apply do not overlap.
func (r *Rates) Set(rate float64, apply func(rate float64)) (end func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.set = append(r.set, &rate)
	apply(rate)
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		at := slices.Index(r.set, &rate)
		if at < 0 {
			return // ended before
		}
		r.set = slices.Delete(r.set, at, at+1)
		now := 1.0
		if n := len(r.set); n > 0 {
			now = *r.set[n-1]
		}
		apply(now)
	}
}
