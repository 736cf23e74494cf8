package worker

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"github.com/lockchaos/simrun/internal/strategy"
)

const (
	// The defaults of go-redis, which the timeouts are scaled from.
	dialTimeout  = 5 * time.Second
	readTimeout  = 5 * time.Second
	poolTimeout  = readTimeout + time.Second
	dialInterval = 100 * time.Millisecond // between tries to connect

	// releaseTimeout is what the worker of the virtual world gives a release.
	releaseTimeout = 10 * time.Second

	// leastTimeout is more than a machine under load takes to wake a process and
	// pass a command through two proxies: a shorter timeout would show how busy
	// the machine is, not what the lock does.
	leastTimeout = 50 * time.Millisecond
)

// scaled is a timeout of the scenario's time in the time of the run.
func scaled(d time.Duration, scale float64) time.Duration {
	return max(time.Duration(float64(d)/scale), leastTimeout)
}

// start makes the lock.
func (s *server) start(c *Setup) error {
	switch {
	case s.lock != nil:
		return errors.New("started already")
	case c == nil || c.Version != Version:
		return fmt.Errorf("this worker speaks version %d of the protocol alone", Version)
	case !(c.Scale >= 1):
		return fmt.Errorf("the scale is %v, which is less than 1", c.Scale)
	}
	st, ok := strategy.Lookup(c.Strategy)
	if !ok {
		return fmt.Errorf("unknown strategy %q", c.Strategy)
	}
	rdb := redis.NewClient(redisOptions(c))
	l, err := st.New(strategy.Env{
		Redis: rdb, Key: c.Key, Owner: c.Owner,
		Lease: duration(c.LeaseMS), Renew: duration(c.RenewMS), Cap: c.Cap,
		Jitter: rand.New(rand.NewPCG(c.JitterSeed, 0)).Float64,
		Scale:  c.Scale,
	})
	if err != nil {
		_ = rdb.Close()
		return err
	}
	s.rdb, s.lock, s.scale = rdb, l, c.Scale
	return nil
}

// redisOptions are those of the virtual world's clients, in the run's time. The
// timeouts are scaled with the lease: a client that waits 5 s for a reply while
// the lease is 300 ms would be another client than the one of 5 s and 30 s.
func redisOptions(c *Setup) *redis.Options {
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
		MinRetryBackoff:          -1, // as in the virtual world, where none can be seeded
		MaxRetryBackoff:          -1,
		PoolSize:                 20,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	}
}
