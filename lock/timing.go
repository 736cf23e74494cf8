package lock

import "time"

// The arithmetic of time, apart from timers, so that tables can test it.

// driftMargin is what a guarded holder takes off its lease: fraction of the
// lease for clocks that run at different rates, and fixed for the rounding of
// Redis's expiry (antirez, Redlock: 1 % and 2 ms).
func driftMargin(lease time.Duration, fraction float64, fixed time.Duration) time.Duration {
	return time.Duration(float64(lease)*fraction) + fixed
}

// leaseEnd is when a holder must believe its lease over. Redis counts from when
// it got the command, which is never before the command was sent.
func leaseEnd(sent time.Time, lease, margin time.Duration) time.Time {
	return sent.Add(lease - margin)
}

// backoff is the pause after the n-th failed try, n counted from 0: it doubles
// from shortest to longest, and the upper half of it is random, so that clients
// that failed together do not come back together. jitter is in [0,1).
func backoff(n int, shortest, longest time.Duration, jitter float64) time.Duration {
	d := shortest
	for ; n > 0 && d < longest; n-- {
		d *= 2
	}
	d = min(d, longest)
	return d/2 + time.Duration(float64(d/2)*jitter)
}

// wakeBound is how long a waiter may wait for a message: no longer than the key
// can live. pttl is Redis's answer; a key without expiry has -1 ms and is looked
// at again once a lease. -2 ms is a key that expired while the script looked at
// it, where a server's clock goes on meanwhile: that one is free.
func wakeBound(pttl, lease time.Duration) time.Duration {
	if pttl == -time.Millisecond {
		return lease
	}
	return max(pttl, time.Millisecond)
}

// resendAfter is the time after which a client with these timeouts may have sent
// a command twice. One that is not above 0 is none.
func resendAfter(timeouts ...time.Duration) time.Duration {
	d := resendBound
	for _, t := range timeouts {
		if t > 0 {
			d = min(d, t)
		}
	}
	return d
}

// renewalsDue is how many renewals of a hold were due by now.
func renewalsDue(start, now time.Time, every time.Duration) int {
	return int(now.Sub(start) / every)
}

// nextRenewal is when to renew next: at the next multiple of every since start,
// or sooner after a failure, since most failures are over in a moment.
func nextRenewal(start, now time.Time, every time.Duration, failed bool) time.Time {
	next := start.Add(time.Duration(renewalsDue(start, now, every)+1) * every)
	if soon := now.Add(every / 4); failed && soon.Before(next) {
		return soon
	}
	return next
}
