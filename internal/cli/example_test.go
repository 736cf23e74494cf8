package app_test

import (
	"os"

	"github.com/lockchaos/simrun/cmd/simrun/app"
	"github.com/lockchaos/simrun/lock"
	"github.com/lockchaos/simrun/sim"
)

// A program that brings its own lock registers it and hands over.
func ExampleMain() {
	sim.Register(sim.Strategy{
		Name:    "mine",
		Summary: "the lock of our own service",
		New: func(e sim.Env) (lock.Locker, error) {
			return lock.NewToken(e.Redis, e.Key)
		},
	})
	os.Exit(app.Main(os.Args[1:], os.Stdout, os.Stderr))
}
