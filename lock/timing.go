package lock

import "time"

// Time limits, and arithmetic on times without timers, so that tests can tabulate it.

const (
	// tombstoneLife outlasts every copy of a command that the client or the
	// network may still deliver. By default go-redis gives up after four
	// attempts of five seconds; a partition that holds bytes back can add much
	// to that.
	tombstoneLife = time.Minute
	// releaseBound is how long go-redis by default tries to send a command:
	// four attempts of five seconds.
	releaseBound = 20 * time.Second
	// undoBound is short because it delays an Acquire that has already failed.
	undoBound = time.Second
	// resendBound: a command that took this long may have been sent twice, even
	// if the client's own timeouts are longer; see resendAfter.
	resendBound = time.Second
)

// driftMargin is the time by which a guarded holder shortens its lease: a
// fraction of the lease for clocks that run at different rates, plus a fixed time
// for the rounding of Redis's expiry (antirez, Redlock: 1 % and 2 ms).
func driftMargin(lease time.Duration, fraction float64, fixed time.Duration) time.Duration {
	return time.Duration(float64(lease)*fraction) + fixed
}

// leaseEnd is when a holder must consider its lease over. Redis counts from when
// it receives the command, which is never before the command was sent.
func leaseEnd(sent time.Time, lease, margin time.Duration) time.Time {
	return sent.Add(lease - margin)
}

// backoff is the pause after failed attempt n, counted from 0. It doubles from
// shortest to longest. Its upper half is random, so that clients that failed
// together do not return together. jitter is in [0,1).
func backoff(n int, shortest, longest time.Duration, jitter float64) time.Duration {
	d := shortest
	for ; n > 0 && d < longest; n-- {
		d *= 2
	}
	d = min(d, longest)
	return d/2 + time.Duration(float64(d/2)*jitter)
}

// wakeBound is how long a waiter may wait for a message: no longer than the key
// can live. pttl is Redis's answer. It is -1 ms for a key without expiry, which
// is checked again after one lease, and -2 ms for a key that expired while the
// script ran (on servers whose clock advances meanwhile), which is free.
func wakeBound(pttl, lease time.Duration) time.Duration {
	if pttl == -time.Millisecond {
		return lease
	}
	return max(pttl, time.Millisecond)
}

// resendAfter is the time after which a client with these timeouts may have sent
// a command twice. Timeouts that are not positive are ignored.
func resendAfter(timeouts ...time.Duration) time.Duration {
	d := resendBound
	for _, t := range timeouts {
		if t > 0 {
			d = min(d, t)
		}
	}
	return d
}

// renewalsDue is the number of renewals that a hold should have made by now.
func renewalsDue(start, now time.Time, every time.Duration) int {
	return int(now.Sub(start) / every)
}

// nextRenewal is the time of the next renewal: the next multiple of every since
// start, or sooner after a failure, since most failures are brief.
func nextRenewal(start, now time.Time, every time.Duration, failed bool) time.Time {
	next := start.Add(time.Duration(renewalsDue(start, now, every)+1) * every)
	if soon := now.Add(every / 4); failed && soon.Before(next) {
		return soon
	}
	return next
}
