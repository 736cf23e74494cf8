package live

import (
	"sync"
	"time"
)

// dawdle is how late a real machine may be without a lock being to blame: the
// bounds of a live run are wider by it, and a machine that is later than that
// has spoilt the run.
const dawdle = 50 * time.Millisecond

// pulse tells when the machine stood still: it asks to be woken every few
// milliseconds, and notes when that comes late. A lock in a process that the
// system did not run at all can do nothing, and what it then did too late says
// nothing of it.
type pulse struct {
	stop chan struct{}
	done chan struct{}

	mu     sync.Mutex
	stills []still
}

// still is a time in which the machine did nothing.
type still struct{ from, to time.Time }

// beat is how often the pulse wants to be woken.
const beat = 5 * time.Millisecond

func startPulse() *pulse {
	p := &pulse{stop: make(chan struct{}), done: make(chan struct{})}
	go p.run()
	return p
}

func (p *pulse) run() {
	defer close(p.done)
	timer := time.NewTimer(beat)
	defer timer.Stop()
	for last := time.Now(); ; {
		select {
		case <-p.stop:
			return
		case <-timer.C:
		}
		now := time.Now()
		p.woken(last, now)
		last = now
		timer.Reset(beat)
	}
}

// woken notes two times at which the pulse was awake, with none in between.
func (p *pulse) woken(last, now time.Time) {
	if now.Sub(last) < beat+dawdle {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stills = append(p.stills, still{last.Add(beat), now})
}

// longest is how long the machine stood still at most between two times, 0 if no
// longer than a run allows for.
func (p *pulse) longest(from, to time.Time) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	var most time.Duration
	for _, s := range p.stills {
		if s.from.Before(to) && from.Before(s.to) {
			most = max(most, s.to.Sub(s.from))
		}
	}
	return most
}

func (p *pulse) close() {
	close(p.stop)
	<-p.done
}
