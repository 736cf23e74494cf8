package cli_test

import (
	"os"

	"github.com/lockchaos/simrun/internal/cli"
	"github.com/lockchaos/simrun/internal/strategy"
	"github.com/lockchaos/simrun/lock"
)

// A program that brings its own lock registers it and hands over.
func ExampleMain() {
	strategy.Register(strategy.Strategy{
		Name:    "mine",
		Summary: "the lock of our own service",
		New: func(e strategy.Env) (lock.Locker, error) {
			return lock.NewToken(e.Redis, e.Key)
		},
	})
	os.Exit(cli.Main(os.Args[1:], os.Stdout, os.Stderr))
}
