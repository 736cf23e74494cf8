package snapshot

import (
	"fmt"
	"maps"
	"sync"
	"time"
)

// Replica is so far behind its primary. Its methods may be called from any
// goroutine.
type Replica struct {
	lag time.Duration

	mu   sync.Mutex
	held []moment // from what the replica holds now to what the primary does
}

// moment is since when the primary has held a state.
type moment struct {
	since time.Time
	State
}

// NewReplica makes a replica that is lag behind, by the clock of the times that
// it is given, and has caught up with a primary that holds s.
func NewReplica(lag time.Duration, now time.Time, s State) *Replica {
	return &Replica{lag: lag, held: []moment{{now, s}}}
}

// Lag is how far behind the replica is.
func (r *Replica) Lag() time.Duration { return r.lag }

// Note says what the primary holds since now.
func (r *Replica) Note(now time.Time, s State) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if last := r.held[len(r.held)-1]; maps.EqualFunc(last.State, s, value.equal) {
		return
	}
	r.held = append(r.held, moment{now, s})
	r.catchUp(now)
}

// catchUp forgets what the replica holds no more. The mutex is held.
func (r *Replica) catchUp(now time.Time) {
	for len(r.held) > 1 && now.Sub(r.held[1].since) >= r.lag {
		r.held[0] = moment{}
		r.held = r.held[1:]
	}
}

// Promote says what the replica holds now, and how that differs from the primary,
// which holds last. Redis's clock shows clock.
func (r *Replica) Promote(now, clock time.Time, last State) (s State, loss Loss) {
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

// Loss is what a failover lost.
type Loss struct {
	Keys  int // that the primary held
	Gone  int // of them, that the replica never had
	Older int // of them, that are as they were before
	Back  int // that the primary had no more, and the replica still has
}

func (l Loss) String() string {
	return fmt.Sprintf("of %d keys %d are lost and %d as they were before; %d that were gone are back", l.Keys, l.Gone, l.Older, l.Back)
}
