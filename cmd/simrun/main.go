// Command simrun shows when a Redis lock stops excluding, and what that costs.
// See package app, which holds all of it.
package main

import (
	"os"

	"github.com/lockchaos/simrun/cmd/simrun/app"
)

func main() {
	os.Exit(app.Main(os.Args[1:], os.Stdout, os.Stderr))
}
