// Package sim is the entry point of simrun for a program that brings a lock of its
// own:
//
//	func main() {
//		sim.Register(sim.Strategy{Name: "mine", Summary: "our lock", New: newLock})
//		os.Exit(sim.Main(os.Args[1:], os.Stdout, os.Stderr))
//	}
//
//	func newLock(e sim.Env) (lock.Locker, error) { return ours(e.Redis, e.Key, e.Lease), nil }
//
// That program takes every flag that simrun takes, and runs its lock beside the
// reference locks.
//
// Goals: exactly what such a program needs.
// Non-goals: the machinery, which is in internal (see docs/architecture.md).
package sim

import (
	"io"

	"github.com/lockchaos/simrun/internal/cli"
	"github.com/lockchaos/simrun/internal/strategy"
)

// Strategy is a lock under test: Name, Summary (one line), New, which makes the
// lock of one client from its [Env], and optionally Like, a strategy whose
// expectations this one is held to, and Keeps, which names keys that may outlive
// a run without expiry.
type Strategy = strategy.Strategy

// Env is what [Strategy].New makes a client's lock from: the client's connection
// pool (Redis), the lock's Key, the client's name (Owner, unique in the run), how
// long the key lives (Lease), the time between renewals (Renew), the maximum number
// of renewals (Cap), a seeded generator of numbers in [0, 1) (Jitter), and how many
// times faster than the scenario a live run goes (Scale).
type Env = strategy.Env

// Register adds a strategy. Call it before [Main]. It panics if the name is empty or
// taken, or contains a comma or a control character: a mistake in the program.
func Register(s Strategy) { strategy.Register(s) }

// Main runs simrun with the arguments that follow the program's name and returns
// the code to exit with: 0 pass, 1 fail, 2 unknown or interrupted, 254 bad
// arguments, 255 a bug in simrun itself. Call it from main, with every strategy
// registered. The program must print nothing before that: simrun starts it again, to
// run seeds and as a live client, and in such a process Main does not return.
func Main(args []string, stdout, stderr io.Writer) int { return cli.Main(args, stdout, stderr) }
