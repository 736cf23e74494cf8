package sim_test

import (
	"os"

	"github.com/lockchaos/simrun/lock"
	"github.com/lockchaos/simrun/sim"
)

// A program registers its lock and hands over to simrun. Its main prints nothing
// before that.
func Example() {
	sim.Register(sim.Strategy{
		Name:    "mine",
		Summary: "the lock of our own service",
		New: func(e sim.Env) (lock.Locker, error) {
			return lock.NewToken(e.Redis, e.Key)
		},
	})
	os.Exit(sim.Main(os.Args[1:], os.Stdout, os.Stderr))
}
