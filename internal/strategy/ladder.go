package strategy

import (
	"slices"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockchaos/simrun/lock"
)

var ladder []string

// Ladder lists the reference locks, each a step up from the one before.
func Ladder() []string { return slices.Clone(ladder) }

// A new reference lock is an entry here.
func init() {
	capped := func(e Env) []lock.Option { return append(renewed(e), lock.WithMaxRenewals(e.Cap)) }
	for _, s := range []Strategy{
		{Name: "naive", Summary: "SET NX PX, plain DEL", New: reference(lock.NewNaive, common)},
		{Name: "token", Summary: "SET NX PX of a token, compare and delete", New: reference(lock.NewToken, common)},
		{Name: "watchdog", Summary: "Redisson's RLock: renewed until released", New: reference(lock.NewWatchdog, renewed)},
		{Name: "capped", Summary: "watchdog that cancels its holder after a fixed number of renewals", New: reference(lock.NewCapped, capped)},
		{Name: "guarded", Summary: "watchdog that counts its lease on its own clock too", New: reference(lock.NewGuarded, renewed)},
		{
			Name: "fenced", Summary: "guarded, with fencing tokens that the resource checks", New: reference(lock.NewFenced, renewed),
			Keeps: func(key string) []string { return []string{"{" + key + "}:fence"} },
		},
	} {
		Register(s)
		ladder = append(ladder, s.Name)
	}
}

// reference makes a lock of package lock with its constructor.
func reference[L lock.Locker](
	constructor func(redis.UniversalClient, string, ...lock.Option) (L, error), options func(Env) []lock.Option,
) func(Env) (lock.Locker, error) {
	return func(e Env) (lock.Locker, error) { return constructor(e.Redis, e.Key, options(e)...) }
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
