package worker

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"github.com/lockchaos/simrun/internal/strategy"
	"github.com/lockchaos/simrun/lock"
)

const (
	// The defaults of go-redis, from which the timeouts are scaled.
	dialTimeout  = 5 * time.Second
	readTimeout  = 5 * time.Second
	poolTimeout  = readTimeout + time.Second
	dialInterval = 100 * time.Millisecond // between attempts to connect

	// releaseTimeout bounds a release, as in the virtual world.
	releaseTimeout = 10 * time.Second

	// leastTimeout is more than a busy machine takes to wake a process and pass a
	// command through two proxies: a shorter timeout would measure the machine
	// rather than the lock.
	leastTimeout = 50 * time.Millisecond
)

// scaled converts a timeout in the scenario's time to the run's.
func scaled(d time.Duration, scale float64) time.Duration {
	return max(time.Duration(float64(d)/scale), leastTimeout)
}

// newLock makes the lock of a registered strategy, and its client.
func newLock(c *Config) (lock.Locker, *redis.Client, error) {
	switch {
	case c == nil || c.Version != Version:
		return nil, nil, fmt.Errorf("this worker speaks only version %d of the protocol", Version)
	case !(c.Scale >= 1):
		return nil, nil, fmt.Errorf("the scale is %v, less than 1", c.Scale)
	}
	st, ok := strategy.Lookup(c.Strategy)
	if !ok {
		return nil, nil, fmt.Errorf("unknown strategy %q", c.Strategy)
	}
	rdb := redis.NewClient(redisOptions(c))
	l, err := st.New(strategy.Env{
		Redis: rdb, Key: c.Key, Owner: c.Owner,
		Lease: duration(c.LeaseMS), Renew: duration(c.RenewMS), Cap: c.Cap,
		Jitter: rand.New(rand.NewPCG(c.JitterSeed, 0)).Float64,
		Scale:  c.Scale,
	})
	if err != nil {
		return nil, nil, errors.Join(err, rdb.Close())
	}
	return l, rdb, nil
}

// redisOptions are those of the virtual world's clients, in the run's time. The
// timeouts are scaled with the lease: a client that waits 5 s for a reply while
// the lease is 300 ms would behave unlike one that waits 5 s with a lease of 30 s.
func redisOptions(c *Config) *redis.Options {
	return &redis.Options{
		Addr:                     c.Redis,
		Password:                 c.Password,
		Protocol:                 2,
		DisableIdentity:          true,
		DialTimeout:              scaled(dialTimeout, c.Scale),
		DialerRetryTimeout:       max(time.Duration(float64(dialInterval)/c.Scale), time.Millisecond),
		ReadTimeout:              scaled(readTimeout, c.Scale),
		WriteTimeout:             scaled(readTimeout, c.Scale),
		PoolTimeout:              scaled(poolTimeout, c.Scale),
		MinRetryBackoff:          -1, // as in the virtual world, where backoff cannot be seeded
		MaxRetryBackoff:          -1,
		PoolSize:                 20,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	}
}
