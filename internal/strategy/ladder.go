package strategy

import (
	"time"

	"github.com/lockchaos/simrun/lock"
)

// The reference locks, each a step up from the one before. A new one is an entry
// here.
func init() {
	Register(Strategy{
		Name:    "naive",
		Summary: "SET NX PX, plain DEL",
		New: func(e Env) (lock.Locker, error) {
			return lock.NewNaive(e.Redis, e.Key, common(e)...)
		},
	})
	Register(Strategy{
		Name:    "token",
		Summary: "SET NX PX of a token, compare and delete",
		New: func(e Env) (lock.Locker, error) {
			return lock.NewToken(e.Redis, e.Key, common(e)...)
		},
	})
	Register(Strategy{
		Name:    "watchdog",
		Summary: "Redisson's RLock: renewed until released",
		New: func(e Env) (lock.Locker, error) {
			return lock.NewWatchdog(e.Redis, e.Key, renewed(e)...)
		},
	})
	Register(Strategy{
		Name:    "capped",
		Summary: "watchdog that cancels its holder after so many renewals",
		New: func(e Env) (lock.Locker, error) {
			return lock.NewCapped(e.Redis, e.Key, append(renewed(e), lock.WithMaxRenewals(e.Cap))...)
		},
	})
	Register(Strategy{
		Name:    "guarded",
		Summary: "watchdog that counts its lease on its own clock too",
		New: func(e Env) (lock.Locker, error) {
			return lock.NewGuarded(e.Redis, e.Key, renewed(e)...)
		},
	})
	Register(Strategy{
		Name:    "fenced",
		Summary: "guarded, with fencing tokens that the resource checks",
		New: func(e Env) (lock.Locker, error) {
			return lock.NewFenced(e.Redis, e.Key, renewed(e)...)
		},
		Keeps: func(key string) []string { return []string{"{" + key + "}:fence"} },
	})
}

func common(e Env) []lock.Option {
	opts := []lock.Option{lock.WithOwner(e.Owner), lock.WithLease(e.Lease), lock.WithJitter(e.Jitter)}
	if e.Scale > 1 {
		opts = append(opts, lock.WithPoll(polls(e.Scale)))
	}
	return opts
}

// polls scales a lock's pauses between tries, 50 ms to 1 s, but not so far down that
// polling keeps the machine busy.
func polls(scale float64) (shortest, longest time.Duration) {
	shortest = max(time.Duration(float64(50*time.Millisecond)/scale), 2*time.Millisecond)
	longest = max(time.Duration(float64(time.Second)/scale), 2*shortest)
	return shortest, longest
}

func renewed(e Env) []lock.Option {
	return append(common(e), lock.WithRenewEvery(e.Renew))
}
