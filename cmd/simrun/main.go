// Command simrun shows when a Redis lock loses mutual exclusion, and what damage follows.
// See package sim, the entry point for programs that bring a lock of their own.
package main

import (
	"os"

	"github.com/lockchaos/simrun/sim"
)

func main() { os.Exit(sim.Main(os.Args[1:], os.Stdout, os.Stderr)) }
