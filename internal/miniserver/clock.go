package miniserver

import "time"

// clock runs at its own rate and can be stepped. Methods take the machine's time.
type clock struct {
	since time.Time     // the machine's time when rate was set
	shown time.Time     // what the clock showed then
	rate  float64       // clock seconds per real second
	steps time.Duration // sum of the steps since
}

func newClock(now time.Time) clock { return clock{since: now, shown: now, rate: 1} }

// at is what the clock shows at now.
func (c clock) at(now time.Time) time.Time {
	passed := now.Sub(c.since)
	if c.rate != 1 {
		passed = time.Duration(float64(passed) * c.rate)
	}
	return c.shown.Add(passed + c.steps)
}

// real is how long the clock takes to advance by d, never too short.
func (c clock) real(d time.Duration) time.Duration {
	if c.rate == 1 {
		return d
	}
	return time.Duration(float64(d)/c.rate) + time.Microsecond
}

// stepped returns the clock moved forward by d.
func (c clock) stepped(d time.Duration) clock {
	c.steps += d
	return c
}

// running returns the clock running at rate from now on.
func (c clock) running(now time.Time, rate float64) clock {
	return clock{since: now, shown: c.at(now), rate: rate}
}
