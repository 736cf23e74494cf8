package redisserver

import "time"

// clock runs at a rate of its own and can be stepped.
type clock struct {
	since time.Time     // the machine's time when rate was set
	shown time.Time     // what the clock showed then
	rate  float64       // of real time
	steps time.Duration // sum of the steps since
}

func newClock(now time.Time) clock { return clock{since: now, shown: now, rate: 1} }

// at is what the clock shows when the machine's shows now.
func (c clock) at(now time.Time) time.Time {
	passed := now.Sub(c.since)
	if c.rate != 1 {
		passed = time.Duration(float64(passed) * c.rate)
	}
	return c.shown.Add(passed + c.steps)
}

// stepped is the same clock, d further on.
func (c clock) stepped(d time.Duration) clock {
	c.steps += d
	return c
}

// running is the same clock, which runs at rate from now on.
func (c clock) running(now time.Time, rate float64) clock {
	return clock{since: now, shown: c.at(now), rate: rate}
}
