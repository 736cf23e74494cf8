package engine

import (
	"sync"
	"time"
)

// Gate holds back the goroutines of a stopped process. Stops nest.
type Gate struct {
	mu      sync.Mutex
	stops   int
	waiting int           // goroutines that wait for the gate to open
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

// Stopped is closed while the gate is closed, or when it next closes.
func (g *Gate) Stopped() <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.closed
}

// Pass waits until the gate is open. Goroutines go on in the order in which
// they came, each at an instant of its own.
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
