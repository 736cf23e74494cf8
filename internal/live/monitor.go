package live

import (
	"context"
	"sync"
	"time"
)

// monitor looks at something regularly and notes the periods in which it failed.
type monitor struct {
	close func() // ends it, and waits for the last look

	mu       sync.Mutex
	failures []failure
}

// failure is a period in which something did not do what it should.
type failure struct {
	from, to time.Time
	err      error // nil for a stall
}

// startMonitor calls look every so often with the times of its last look and of this
// one.
func startMonitor(interval time.Duration, look func(ctx context.Context, m *monitor, last, now time.Time)) *monitor {
	ctx, cancel := context.WithCancel(context.Background())
	var looking sync.WaitGroup
	m := &monitor{close: func() { cancel(); looking.Wait() }}
	looking.Go(func() {
		timer := time.NewTimer(interval)
		defer timer.Stop()
		for last := time.Now(); ; timer.Reset(interval) {
			select {
			case <-ctx.Done():
				return
			case <-timer.C:
			}
			now := time.Now()
			look(ctx, m, last, now)
			last = now
		}
	})
	return m
}

func (m *monitor) note(one failure) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.failures = append(m.failures, one)
}

// longest returns the longest failure that overlaps a period; of none, it is zero.
func (m *monitor) longest(from, to time.Time) (most failure) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, f := range m.failures {
		if f.from.Before(to) && from.Before(f.to) && f.length() > most.length() {
			most = f
		}
	}
	return most
}

func (f failure) length() time.Duration { return f.to.Sub(f.from) }

// maxSchedulerDelay is how late a real machine may be before it is to blame: the
// bounds of a live run are longer by this, and a longer delay spoils the run.
const maxSchedulerDelay = 50 * time.Millisecond

// stallInterval is how often the stall detector asks to be woken.
const stallInterval = 5 * time.Millisecond

// detectStall notes that the machine stalled if a monitor was woken far too late. A
// lock whose process was not scheduled could do nothing, so what it then did too late
// proves nothing.
func detectStall(_ context.Context, m *monitor, last, now time.Time) {
	if now.Sub(last) >= stallInterval+maxSchedulerDelay {
		m.note(failure{from: last.Add(stallInterval), to: now})
	}
}
