package lock

import (
	"strings"
	"testing"
	"time"
)

const ms, sec = time.Millisecond, time.Second

var epoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

func TestLeaseEndsAMarginBeforeRedisCanExpireIt(t *testing.T) {
	for _, c := range []struct {
		lease    time.Duration
		fraction float64
		fixed    time.Duration
		want     time.Duration // after the command was sent
	}{
		{30 * sec, 0.01, 2 * ms, 29_698 * ms}, // Redlock's figures
		{30 * sec, 0, 0, 30 * sec},
		{sec, 0.5, 0, 500 * ms},
	} {
		got := leaseEnd(epoch, c.lease, driftMargin(c.lease, c.fraction, c.fixed)).Sub(epoch)
		if got != c.want {
			t.Errorf("lease %v, drift %v + %v: ends after %v, want %v", c.lease, c.fraction, c.fixed, got, c.want)
		}
	}
}

func TestResendAfterTheShortestTimeout(t *testing.T) {
	for _, c := range []struct {
		timeouts []time.Duration
		want     time.Duration
	}{
		{nil, sec},
		{[]time.Duration{5 * sec, 5 * sec}, sec},
		{[]time.Duration{5 * sec, 200 * ms}, 200 * ms},
		{[]time.Duration{0, -1}, sec}, // without a timeout
	} {
		if got := resendAfter(c.timeouts...); got != c.want {
			t.Errorf("timeouts %v: sent again after %v, want %v", c.timeouts, got, c.want)
		}
	}
}

func TestBackoffDoublesUpToTheLongest(t *testing.T) {
	for _, c := range []struct {
		n      int
		jitter float64
		want   time.Duration
	}{
		{0, 0, 25 * ms}, {0, 0.5, 37_500 * time.Microsecond}, {1, 0, 50 * ms}, {4, 0, 400 * ms},
		{5, 0, 500 * ms}, {1000, 0, 500 * ms}, {1000, 0.999, 999_500 * time.Microsecond}, {-1, 0, 25 * ms},
	} {
		if got := backoff(c.n, 50*ms, sec, c.jitter); got != c.want {
			t.Errorf("backoff %d with jitter %v is %v, want %v", c.n, c.jitter, got, c.want)
		}
	}
}

func TestWaiterNeverSleepsBeyondTheKeysLife(t *testing.T) {
	for _, c := range []struct{ pttl, want time.Duration }{
		{12 * sec, 12 * sec}, {0, ms}, {-ms, 30 * sec}, {-2 * ms, ms},
	} {
		if got := wakeBound(c.pttl, 30*sec); got != c.want {
			t.Errorf("with PTTL %v it waits %v, want %v", c.pttl, got, c.want)
		}
	}
}

func TestNextRenewalKeepsToItsGrid(t *testing.T) {
	for _, c := range []struct {
		name   string
		now    time.Duration
		failed bool
		want   time.Duration
	}{
		{"the first", 0, false, 10 * sec},
		{"after a quick success", 10*sec + ms, false, 20 * sec},
		{"after one that took long", 27 * sec, false, 30 * sec},
		{"after a failure: soon", 10 * sec, true, 12_500 * ms},
		{"after a failure just before the next", 19 * sec, true, 20 * sec},
	} {
		if got := nextRenewal(epoch, epoch.Add(c.now), 10*sec, c.failed).Sub(epoch); got != c.want {
			t.Errorf("%s: next at %v, want %v", c.name, got, c.want)
		}
	}
}

func TestRenewalsDue(t *testing.T) {
	for _, c := range []struct {
		now  time.Duration
		want int
	}{{9 * sec, 0}, {10 * sec, 1}, {52 * sec, 5}, {60 * sec, 6}} {
		if got := renewalsDue(epoch, epoch.Add(c.now), 10*sec); got != c.want {
			t.Errorf("after %v %d renewals were due, want %d", c.now, got, c.want)
		}
	}
}

func TestNamesShareTheKeysHashTag(t *testing.T) {
	for _, c := range []struct{ key, fence string }{
		{"sale", "{sale}:fence"},
		{"{shop}:sale", "{shop}:sale:fence"},
		{"a{b}c{d}", "a{b}c{d}:fence"},
		{"a{b", "{a{b}:fence"},
	} {
		n, err := newNames(c.key)
		if err != nil || n.fence != c.fence {
			t.Errorf("key %q: fence %q, error %v, want %q", c.key, n.fence, err, c.fence)
		}
	}
	for _, key := range []string{"", "a}b", "{}", "a{}b", "}{"} {
		if n, err := newNames(key); err == nil {
			t.Errorf("key %q gave %v, want an error: no name can share its slot", key, n)
		}
	}
}

// slotted is the part of a key that Redis Cluster hashes.
func slotted(key string) string {
	if open := strings.IndexByte(key, '{'); open >= 0 {
		if n := strings.IndexByte(key[open+1:], '}'); n > 0 {
			return key[open+1 : open+1+n]
		}
	}
	return key
}

func FuzzNamesStayInTheKeysSlot(f *testing.F) {
	for _, key := range []string{"sale", "{shop}:sale", "a{b", "{}", "a}b", "{{a}}", "{a}{b}"} {
		f.Add(key)
	}
	f.Fuzz(func(t *testing.T, key string) {
		n, err := newNames(key)
		if err != nil {
			return
		}
		for _, derived := range []string{n.fence, n.tombstone("a#1"), n.tombstone("{x}#1"), n.channel} {
			if slotted(derived) != slotted(key) {
				t.Errorf("%q hashes %q, its key %q hashes %q", derived, slotted(derived), key, slotted(key))
			}
		}
	})
}
