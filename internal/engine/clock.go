package engine

import "time"

// Settling is how long after the last section, in the run's time, a delayed message,
// a timed-out command or a fault may still take effect.
const Settling = 2 * time.Minute

// Clock is the time of a run: time.Now's, real or a bubble's, scaled. A scenario's
// durations, a history's times and all of this package are in the run's time.
type Clock struct {
	start time.Time
	scale float64
}

// NewClock makes a clock that starts now. Scale is how many seconds of the run
// pass in one second of time.Now; it is 1 in a bubble.
func NewClock(scale float64) Clock { return Clock{time.Now(), scale} }

// Scale is how many seconds of the run pass in one second of time.Now.
func (c Clock) Scale() float64 { return c.scale }

// Now is the time since the run began.
func (c Clock) Now() time.Duration { return c.Told(time.Since(c.start)) }

// Told is how long a duration of time.Now is in the run.
func (c Clock) Told(d time.Duration) time.Duration {
	if c.scale == 1 {
		return d
	}
	return time.Duration(float64(d) * c.scale)
}

// Real is how long a duration of the run takes by time.Now.
func (c Clock) Real(d time.Duration) time.Duration {
	if c.scale == 1 {
		return d
	}
	return time.Duration(float64(d) / c.scale)
}

// Sleep waits for a duration of the run.
func (c Clock) Sleep(d time.Duration) { time.Sleep(c.Real(d)) }

// AfterFunc calls f after a duration of the run.
func (c Clock) AfterFunc(d time.Duration, f func()) *time.Timer {
	return time.AfterFunc(c.Real(d), f)
}
