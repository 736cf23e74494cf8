package virtual

import "time"

// serverClock is Redis's clock: it runs at a rate of its own and can be stepped.
type serverClock struct {
	origin time.Time     // the bubble's time when rate was set
	shown  time.Time     // what the clock showed then
	rate   float64       // of real time
	offset time.Duration // sum of the steps since
}

func newServerClock() serverClock {
	now := time.Now()
	return serverClock{origin: now, shown: now, rate: 1}
}

// now is what the clock shows.
func (c serverClock) now() time.Time {
	passed := time.Since(c.origin)
	if c.rate != 1 {
		passed = time.Duration(float64(passed) * c.rate)
	}
	return c.shown.Add(passed + c.offset)
}

// real is how long the clock takes to advance by d, never too short.
func (c serverClock) real(d time.Duration) time.Duration {
	if c.rate == 1 {
		return d
	}
	return time.Duration(float64(d)/c.rate) + time.Microsecond
}

// at is the same clock, running at another rate from now on.
func (c serverClock) at(rate float64) serverClock {
	return serverClock{origin: time.Now(), shown: c.now(), rate: rate}
}
