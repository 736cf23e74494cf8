package lock

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	mrand "math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// Option configures a lock. A strategy validates, and otherwise ignores, an option
// that it does not use.
type Option func(*config) error

// policy is what distinguishes the renewed strategies from each other.
type policy struct {
	capped bool // stop renewing after maxRenewals
	guard  bool // end the lease on the holder's own clock
	fence  bool // draw fencing tokens
}

type config struct {
	policy
	lease         time.Duration
	renewEvery    time.Duration // 0: not set
	maxRenewals   int
	wait          time.Duration // 0: no bound
	pollMin       time.Duration
	pollMax       time.Duration
	owner         string // empty: not set
	driftFraction float64
	driftFixed    time.Duration
	jitter        func() float64 // nil: not set
}

func optionError(option, format string, args ...any) error {
	return fmt.Errorf("%w: %s: %s", ErrInvalidOption, option, fmt.Sprintf(format, args...))
}

// WithLease sets how long the key lives without renewal, rounded down to whole
// milliseconds. Default 30 s.
func WithLease(d time.Duration) Option {
	return func(c *config) error {
		if d < time.Millisecond {
			return optionError("WithLease", "%v is shorter than 1ms", d)
		}
		c.lease = d.Truncate(time.Millisecond)
		return nil
	}
}

// WithRenewEvery sets the time between renewals, which must be shorter than the
// lease. Default: a third of the lease.
func WithRenewEvery(d time.Duration) Option {
	return func(c *config) error {
		if d <= 0 {
			return optionError("WithRenewEvery", "%v is not positive", d)
		}
		c.renewEvery = d
		return nil
	}
}

// WithMaxRenewals sets how often a capped lock renews a lease. Default 5.
func WithMaxRenewals(n int) Option {
	return func(c *config) error {
		if n < 1 {
			return optionError("WithMaxRenewals", "%d is less than 1", n)
		}
		c.maxRenewals = n
		return nil
	}
}

// WithWait limits how long one Acquire waits before it fails, with
// [ErrNotAcquired] if another owner holds the lock. Default 0: only the context
// limits it.
func WithWait(d time.Duration) Option {
	return func(c *config) error {
		if d < 0 {
			return optionError("WithWait", "%v is negative", d)
		}
		c.wait = d
		return nil
	}
}

// WithPoll sets the shortest and longest pause between attempts; the pause doubles
// from one to the other. Naive and token always poll, the other strategies only
// after network errors. Default 50 ms to 1 s.
func WithPoll(shortest, longest time.Duration) Option {
	return func(c *config) error {
		if shortest <= 0 || longest < shortest {
			return optionError("WithPoll", "%v to %v is not a range of positive pauses", shortest, longest)
		}
		c.pollMin, c.pollMax = shortest, longest
		return nil
	}
}

// WithOwner names the owner in Redis. The name must be unique among all users of
// the key, across processes and restarts: two owners of the same name share the
// lock. It must not contain '#'. Default: 128 random bits.
func WithOwner(name string) Option {
	return func(c *config) error {
		if err := checkOwner(name); err != nil {
			return err
		}
		c.owner = name
		return nil
	}
}

// checkOwner keeps owners distinct from nonces, which are an owner, # and a number.
func checkOwner(name string) error {
	if name == "" || strings.Contains(name, "#") {
		return optionError("WithOwner", "%q is empty or contains #", name)
	}
	return nil
}

// WithDrift sets by how much a guarded lock ends its lease early to allow for
// clock drift: a fraction of the lease plus a fixed time. Default 0.01 and 2 ms.
func WithDrift(fraction float64, fixed time.Duration) Option {
	return func(c *config) error {
		if !(fraction >= 0 && fraction < 1) || fixed < 0 {
			return optionError("WithDrift", "%v and %v are not a fraction below 1 and a time", fraction, fixed)
		}
		c.driftFraction, c.driftFixed = fraction, fixed
		return nil
	}
}

// WithJitter sets the source of random numbers in [0,1) for pauses. A lock and all
// its owners never call it concurrently. Default: a generator seeded at random.
func WithJitter(draw func() float64) Option {
	return func(c *config) error {
		if draw == nil {
			return optionError("WithJitter", "the source is nil")
		}
		c.jitter = draw
		return nil
	}
}

// checkClient rejects a Ring. A Ring spreads keys over independent servers: when
// one of them is down its keys move to another, where the lock is free.
func checkClient(rdb redis.UniversalClient) error {
	if rdb == nil {
		return fmt.Errorf("%w: the redis client is nil", ErrInvalidOption)
	}
	if _, ring := rdb.(*redis.Ring); ring {
		return fmt.Errorf("%w: a redis.Ring cannot keep a lock", ErrInvalidOption)
	}
	return nil
}

// clientTimeouts returns the client's read and write timeouts, if they are known.
func clientTimeouts(rdb redis.UniversalClient) []time.Duration {
	switch c := rdb.(type) {
	case *redis.Client:
		return []time.Duration{c.Options().ReadTimeout, c.Options().WriteTimeout}
	case *redis.ClusterClient:
		return []time.Duration{c.Options().ReadTimeout, c.Options().WriteTimeout}
	}
	return nil
}

func newConfig(p policy, opts []Option) (config, error) {
	c := config{
		policy:        p,
		lease:         30 * time.Second,
		maxRenewals:   5,
		pollMin:       50 * time.Millisecond,
		pollMax:       time.Second,
		driftFraction: 0.01,
		driftFixed:    2 * time.Millisecond,
	}
	for _, opt := range opts {
		if err := opt(&c); err != nil {
			return config{}, err
		}
	}
	if c.renewEvery == 0 {
		c.renewEvery = c.lease / 3
	}
	if c.owner == "" {
		c.owner = rand.Text()
	}
	if c.jitter == nil {
		c.jitter = newGenerator()
	}
	c.jitter = serialized(c.jitter)
	return c, nil
}

// margin is the time by which a guarded holder shortens its lease.
func (c config) margin() time.Duration {
	return driftMargin(c.lease, c.driftFraction, c.driftFixed)
}

// checkRenewal validates what only a renewed lock needs.
func (c config) checkRenewal() error {
	if c.renewEvery >= c.lease {
		return optionError("WithRenewEvery", "%v is not shorter than the lease of %v", c.renewEvery, c.lease)
	}
	if c.guard && c.renewEvery >= c.lease-c.margin() {
		return optionError("WithDrift", "a lease of %v less %v ends before its first renewal after %v",
			c.lease, c.margin(), c.renewEvery)
	}
	return nil
}

// newGenerator is seeded at random, so that no two processes pause alike.
func newGenerator() func() float64 {
	var seed [16]byte
	rand.Read(seed[:]) // never fails: crypto/rand would end the program
	return mrand.New(mrand.NewPCG(
		binary.LittleEndian.Uint64(seed[:8]), binary.LittleEndian.Uint64(seed[8:]))).Float64
}

func serialized(draw func() float64) func() float64 {
	var mu sync.Mutex
	return func() float64 {
		mu.Lock()
		defer mu.Unlock()
		return draw()
	}
}
