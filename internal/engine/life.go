package engine

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

// ErrGone: the target of a fault has crashed.
var ErrGone = errors.New("target is no longer running")

// Life is what becomes of one client: it runs, is stopped, hangs, or is dead.
type Life struct {
	Name string
	Stop *Gate // closed while the whole process is stopped
	Hang *Gate // closed while its section hangs

	dead chan struct{} // closed when it has died
	once sync.Once
}

// NewLife makes a client that runs.
func NewLife(name string) *Life {
	return &Life{Name: name, Stop: NewGate(), Hang: NewGate(), dead: make(chan struct{})}
}

// Alive reports whether the client has not died.
func (l *Life) Alive() bool { return !Closed(l.dead) }

// MarkDead marks the client dead.
func (l *Life) MarkDead() { l.once.Do(func() { close(l.dead) }) }

// Spend lets d pass, in time.Now's time, or less where early is closed, or the
// client dies, or end is closed: the run's end. Time does not pass for a client
// while it is stopped or hangs, and such a client hears of nothing, early either.
func (l *Life) Spend(d time.Duration, early, end <-chan struct{}) {
	for l.Alive() && !Closed(end) {
		l.Stop.Pass()
		l.Hang.Pass()
		if Closed(early) || d <= 0 {
			return
		}
		begun := time.Now()
		timer := time.NewTimer(d)
		select {
		case <-timer.C:
		case <-early:
		case <-l.Stop.Stopped():
		case <-l.Hang.Stopped():
		case <-l.dead:
		case <-end:
		}
		timer.Stop()
		d -= time.Since(begun)
	}
}

// Living finds a client by its name; that of a dead one is [ErrGone].
func Living[C interface{ life() *Life }](clients []C, name string) (found C, err error) {
	for _, c := range clients {
		switch l := c.life(); {
		case l.Name != name:
		case !l.Alive():
			return found, fmt.Errorf("client %s: %w", name, ErrGone)
		default:
			return c, nil
		}
	}
	return found, fmt.Errorf("client %s: no such client", name)
}

func (l *Life) life() *Life { return l }

// Closed reports whether a channel is closed; a nil one is not.
func Closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
