package miniserver

import (
	"fmt"
	"maps"
	"sync"
	"time"
)

// replica is an asynchronous replica that is always lag behind its primary.
type replica struct {
	lag time.Duration

	mu   sync.Mutex
	held []moment // from what the replica holds now to what the primary does
}

// moment is a state and when the primary came to hold it.
type moment struct {
	since time.Time
	snapshot
}

// newReplica makes a replica that has caught up with a primary that holds s.
func newReplica(lag time.Duration, now time.Time, s snapshot) *replica {
	return &replica{lag: lag, held: []moment{{now, s}}}
}

// note records what the primary holds from now on.
func (r *replica) note(now time.Time, s snapshot) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if last := r.held[len(r.held)-1]; maps.EqualFunc(last.snapshot, s, value.equal) {
		return
	}
	r.held = append(r.held, moment{now, s})
	r.catchUp(now)
}

// catchUp drops the states that the replica has left behind. The mutex is held.
func (r *replica) catchUp(now time.Time) {
	for len(r.held) > 1 && now.Sub(r.held[1].since) >= r.lag {
		r.held[0] = moment{}
		r.held = r.held[1:]
	}
}

// promote returns what the replica holds now, and how that differs from the
// primary, which holds last. Redis's clock shows clock.
func (r *replica) promote(now, clock time.Time, last snapshot) (s snapshot, loss Loss) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.catchUp(now)
	s = r.held[0].alive(clock)
	loss.Keys = len(last)
	for k, v := range last {
		old, there := s[k]
		switch {
		case !there:
			loss.Gone++
		case !v.equal(old):
			loss.Older++
		}
	}
	for k := range s {
		if _, there := last[k]; !there {
			loss.Back++
		}
	}
	return s, loss
}

// Loss counts what a failover lost.
type Loss struct {
	Keys  int // that the primary held
	Gone  int // of them, that never reached the replica
	Older int // of them, that have an older value
	Back  int // that the primary had removed and the replica still held
}

func (l Loss) String() string {
	return fmt.Sprintf("of %d keys %d are lost and %d as they were before; %d that were gone are back", l.Keys, l.Gone, l.Older, l.Back)
}
