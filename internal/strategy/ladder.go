package strategy

import (
	"time"

	"github.com/lockchaos/simrun/lock"
)

// The reference locks. A new one is a line here, in the order of the ladder.
func init() {
	Register(naive)
	Register(token)
	Register(watchdog)
	Register(capped)
	Register(guarded)
	Register(fenced)
}

var naive = Strategy{
	Name:    "naive",
	Summary: "SET NX PX, plain DEL",
	New: func(e Env) (lock.Locker, error) {
		return lock.NewNaive(e.Redis, e.Key, common(e)...)
	},
}

var token = Strategy{
	Name:    "token",
	Summary: "SET NX PX of a token, compare and delete",
	New: func(e Env) (lock.Locker, error) {
		return lock.NewToken(e.Redis, e.Key, common(e)...)
	},
}

var watchdog = Strategy{
	Name:    "watchdog",
	Summary: "Redisson's RLock: renewed until released",
	New: func(e Env) (lock.Locker, error) {
		return lock.NewWatchdog(e.Redis, e.Key, renewed(e)...)
	},
}

var capped = Strategy{
	Name:    "capped",
	Summary: "watchdog that cancels its holder after so many renewals",
	New: func(e Env) (lock.Locker, error) {
		return lock.NewCapped(e.Redis, e.Key, append(renewed(e), lock.WithMaxRenewals(e.Cap))...)
	},
}

var guarded = Strategy{
	Name:    "guarded",
	Summary: "watchdog that counts its lease on its own clock too",
	New: func(e Env) (lock.Locker, error) {
		return lock.NewGuarded(e.Redis, e.Key, renewed(e)...)
	},
}

var fenced = Strategy{
	Name:    "fenced",
	Summary: "guarded, with fencing tokens that the resource checks",
	New: func(e Env) (lock.Locker, error) {
		return lock.NewFenced(e.Redis, e.Key, renewed(e)...)
	},
	Keeps: func(key string) []string { return []string{"{" + key + "}:fence"} },
}

func common(e Env) []lock.Option {
	opts := []lock.Option{lock.WithOwner(e.Owner), lock.WithLease(e.Lease), lock.WithJitter(e.Jitter)}
	if e.Scale > 1 {
		opts = append(opts, lock.WithPoll(polls(e.Scale)))
	}
	return opts
}

// polls scales a lock's own pauses between tries, 50 ms to 1 s, down to what a
// machine can do without being busy with that alone.
func polls(scale float64) (shortest, longest time.Duration) {
	shortest = max(time.Duration(float64(50*time.Millisecond)/scale), 2*time.Millisecond)
	longest = max(time.Duration(float64(time.Second)/scale), 2*shortest)
	return shortest, longest
}

func renewed(e Env) []lock.Option {
	return append(common(e), lock.WithRenewEvery(e.Renew))
}
