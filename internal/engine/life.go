package engine

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

// ErrGone: the target of a fault has crashed.
var ErrGone = errors.New("target is no longer running")

// Life is the state of one client: it runs, is stopped, hangs, or is dead.
type Life struct {
	Name string
	Stop *Gate // closed while the whole process is stopped
	Hang *Gate // closed while its section hangs

	dead chan struct{} // closed when the client dies
	once sync.Once
}

// NewLife makes a client that runs.
func NewLife(name string) *Life {
	return &Life{Name: name, Stop: NewGate(), Hang: NewGate(), dead: make(chan struct{})}
}

// Alive reports whether the client is not dead.
func (l *Life) Alive() bool { return !Closed(l.dead) }

// MarkDead marks the client dead.
func (l *Life) MarkDead() { l.once.Do(func() { close(l.dead) }) }

// Spend lets d pass, in time.Now's time. It returns sooner when early is closed, or
// the client dies, or end, the run's end, is closed. While the client is stopped or
// hangs, d does not elapse and early is ignored.
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

// Living finds a client by name. It fails with [ErrGone] if the client is dead.
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

// Gate holds back the goroutines of a stopped process. Stops nest.
type Gate struct {
	mu      sync.Mutex
	stops   int
	waiting int           // goroutines that have come to the closed gate
	closed  chan struct{} // closed while the gate is closed
	opened  chan struct{} // closed when the gate opens
}

// NewGate makes an open gate.
func NewGate() *Gate { return &Gate{closed: make(chan struct{})} }

// Stop closes the gate.
func (g *Gate) Stop() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.stops++; g.stops == 1 {
		g.opened = make(chan struct{})
		g.waiting = 0
		close(g.closed)
	}
}

// Open undoes one stop.
func (g *Gate) Open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.stops--; g.stops == 0 {
		g.closed = make(chan struct{})
		close(g.opened)
	}
}

// Stopped returns a channel that is closed while the gate is, or when it next closes.
func (g *Gate) Stopped() <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.closed
}

// Pass waits until the gate is open. Waiting goroutines pass in the order in which
// they came, each at a different instant.
func (g *Gate) Pass() {
	for {
		g.mu.Lock()
		if g.stops == 0 {
			g.mu.Unlock()
			return
		}
		opened := g.opened
		g.waiting++
		place := g.waiting
		g.mu.Unlock()
		<-opened
		time.Sleep(time.Duration(place) * 1009 * time.Nanosecond)
	}
}
