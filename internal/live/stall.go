package live

import (
	"sync"
	"time"
)

// maxSchedulerDelay is how late a real machine may be before it is to blame: the
// bounds of a live run are longer by this, and a longer delay spoils the run.
const maxSchedulerDelay = 50 * time.Millisecond

// stallInterval is how often the stall detector asks to be woken.
const stallInterval = 5 * time.Millisecond

// stallDetector notices when the machine stalls: it asks to be woken every few
// milliseconds and records every late wake-up. A lock whose process was not
// scheduled could do nothing, so what it then did too late proves nothing.
type stallDetector struct {
	stop chan struct{}
	done chan struct{}

	mu     sync.Mutex
	stalls []stall
}

// stall is a period in which the machine did nothing.
type stall struct{ from, to time.Time }

func startStallDetector() *stallDetector {
	d := &stallDetector{stop: make(chan struct{}), done: make(chan struct{})}
	go d.run()
	return d
}

func (d *stallDetector) run() {
	defer close(d.done)
	timer := time.NewTimer(stallInterval)
	defer timer.Stop()
	for last := time.Now(); ; {
		select {
		case <-d.stop:
			return
		case <-timer.C:
		}
		now := time.Now()
		d.woken(last, now)
		last = now
		timer.Reset(stallInterval)
	}
}

// woken records a stall if two consecutive wake-ups are too far apart.
func (d *stallDetector) woken(last, now time.Time) {
	if now.Sub(last) < stallInterval+maxSchedulerDelay {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.stalls = append(d.stalls, stall{last.Add(stallInterval), now})
}

// longest returns the longest stall that overlaps a period, or 0.
func (d *stallDetector) longest(from, to time.Time) time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	var most time.Duration
	for _, s := range d.stalls {
		if s.from.Before(to) && from.Before(s.to) {
			most = max(most, s.to.Sub(s.from))
		}
	}
	return most
}

func (d *stallDetector) close() {
	close(d.stop)
	<-d.done
}
