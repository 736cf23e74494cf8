// Command mylock is simrun with a lock of its own: all that it takes to test a
// lock that simrun does not know.
package main

import (
	"os"

	"github.com/lockchaos/simrun/lock"
	"github.com/lockchaos/simrun/sim"
)

func main() {
	sim.Register(sim.Strategy{Name: "mine", Summary: "the lock of our own service", New: func(e sim.Env) (lock.Locker, error) {
		return &mine{redis: e.Redis, key: e.Key, owner: e.Owner, lease: e.Lease}, nil
	}})
	os.Exit(sim.Main(os.Args[1:], os.Stdout, os.Stderr))
}
