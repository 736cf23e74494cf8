package lock

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	mrand "math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// ErrInvalidOption is wrapped by every error of a constructor; the error's text
// names the option.
var ErrInvalidOption = errors.New("invalid lock option")

// Option sets one thing of a lock. An option that a strategy has no use for is
// checked and otherwise ignored by it.
type Option func(*config) error

type config struct {
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

func invalid(option, format string, args ...any) error {
	return fmt.Errorf("%w: %s: %s", ErrInvalidOption, option, fmt.Sprintf(format, args...))
}

// WithLease sets how long the key lives unless it is renewed, in whole
// milliseconds (rounded down). Default 30 s.
func WithLease(d time.Duration) Option {
	return func(c *config) error {
		if d < time.Millisecond {
			return invalid("WithLease", "%v is shorter than 1ms", d)
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
			return invalid("WithRenewEvery", "%v is not positive", d)
		}
		c.renewEvery = d
		return nil
	}
}

// WithMaxRenewals sets how often a capped lock renews a lease. Default 5.
func WithMaxRenewals(n int) Option {
	return func(c *config) error {
		if n < 1 {
			return invalid("WithMaxRenewals", "%d is less than 1", n)
		}
		c.maxRenewals = n
		return nil
	}
}

// WithWait bounds one Acquire, which then fails with [ErrNotAcquired] if
// somebody else holds the lock. Default 0: only the context bounds it.
func WithWait(d time.Duration) Option {
	return func(c *config) error {
		if d < 0 {
			return invalid("WithWait", "%v is negative", d)
		}
		c.wait = d
		return nil
	}
}

// WithPoll sets the shortest and longest pause between tries where a lock polls:
// always for naive and token, after network errors for the others. The pause
// doubles from one to the other. Default 50 ms to 1 s.
func WithPoll(shortest, longest time.Duration) Option {
	return func(c *config) error {
		if shortest <= 0 || longest < shortest {
			return invalid("WithPoll", "%v to %v is not a range of positive pauses", shortest, longest)
		}
		c.pollMin, c.pollMax = shortest, longest
		return nil
	}
}

// WithOwner names the owner in Redis. It must be unique among all that use the
// key, in every process and in every life of a process: who has the name holds
// the lock. It must not contain '#'. Default: 128 random bits.
func WithOwner(name string) Option {
	return func(c *config) error {
		if err := checkOwner(name); err != nil {
			return err
		}
		c.owner = name
		return nil
	}
}

// checkOwner keeps owners apart from nonces, which are an owner, # and a number.
func checkOwner(name string) error {
	if name == "" || strings.Contains(name, "#") {
		return invalid("WithOwner", "%q is empty or contains #", name)
	}
	return nil
}

// WithDrift sets how far a guarded lock distrusts its clock: it believes its
// lease over earlier by fraction of the lease and by fixed. Default 0.01 and 2 ms.
func WithDrift(fraction float64, fixed time.Duration) Option {
	return func(c *config) error {
		if !(fraction >= 0 && fraction < 1) || fixed < 0 {
			return invalid("WithDrift", "%v and %v are not a fraction below 1 and a time", fraction, fixed)
		}
		c.driftFraction, c.driftFixed = fraction, fixed
		return nil
	}
}

// WithJitter sets the source of randomness in [0,1) for pauses. A lock, with all
// its owners, never calls it twice at once. Default: a generator of the lock's own.
func WithJitter(draw func() float64) Option {
	return func(c *config) error {
		if draw == nil {
			return invalid("WithJitter", "the source is nil")
		}
		c.jitter = draw
		return nil
	}
}

// checkClient refuses a Ring: it spreads keys over servers that know nothing of
// each other, so that a key moves, and is free again, when one of them is down.
func checkClient(rdb redis.UniversalClient) error {
	if rdb == nil {
		return fmt.Errorf("%w: the redis client is nil", ErrInvalidOption)
	}
	if _, ring := rdb.(*redis.Ring); ring {
		return fmt.Errorf("%w: a redis.Ring cannot keep a lock", ErrInvalidOption)
	}
	return nil
}

// timeouts are how long the client waits for a command to be sent and answered,
// none where it does not tell.
func timeouts(rdb redis.UniversalClient) []time.Duration {
	switch c := rdb.(type) {
	case *redis.Client:
		return []time.Duration{c.Options().ReadTimeout, c.Options().WriteTimeout}
	case *redis.ClusterClient:
		return []time.Duration{c.Options().ReadTimeout, c.Options().WriteTimeout}
	}
	return nil
}

func newConfig(opts []Option) (config, error) {
	c := config{
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
	c.jitter = oneAtATime(c.jitter)
	return c, nil
}

// margin is what a guarded holder takes off its lease.
func (c config) margin() time.Duration {
	return driftMargin(c.lease, c.driftFraction, c.driftFixed)
}

// checkRenewal checks what only a renewed lock needs.
func (c config) checkRenewal(guarded bool) error {
	if c.renewEvery >= c.lease {
		return invalid("WithRenewEvery", "%v is not shorter than the lease of %v", c.renewEvery, c.lease)
	}
	if guarded && c.renewEvery >= c.lease-c.margin() {
		return invalid("WithDrift", "a lease of %v less %v ends before its first renewal after %v",
			c.lease, c.margin(), c.renewEvery)
	}
	return nil
}

// newGenerator seeds from the system, so that no two processes pause alike.
func newGenerator() func() float64 {
	var seed [16]byte
	rand.Read(seed[:]) // never fails: crypto/rand ends the program instead
	return mrand.New(mrand.NewPCG(
		binary.LittleEndian.Uint64(seed[:8]), binary.LittleEndian.Uint64(seed[8:]))).Float64
}

func oneAtATime(draw func() float64) func() float64 {
	var mu sync.Mutex
	return func() float64 {
		mu.Lock()
		defer mu.Unlock()
		return draw()
	}
}
