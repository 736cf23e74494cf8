// Package strategy registers the locks that can be tested: the reference locks, and
// those that a program adds.
//
// Goals: one registry; a new reference lock is one entry in ladder.go.
// Non-goals: the locks themselves (package lock) and what is expected of them
// (package scenarios).
package strategy

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/redis/go-redis/v9"

	"github.com/lockchaos/simrun/lock"
	"github.com/lockchaos/simrun/scenarios"
)

// Env is what a strategy makes a client's lock from.
type Env struct {
	// Redis is the client's own connection pool. A strategy that needs a client
	// of another library dials with Redis.Options().Dialer.
	Redis  *redis.Client
	Key    string         // the lock's key
	Owner  string         // the client's name, unique in the run
	Lease  time.Duration  // how long the key lives
	Renew  time.Duration  // between renewals
	Cap    int            // the most renewals, for a lock that caps them
	Jitter func() float64 // in [0,1), from the client's own seeded generator
	// Scale is how many times faster than the scenario's times the run goes, in
	// live mode; 0 means 1. Lease and Renew are scaled already; a strategy divides
	// the pauses that it chooses itself by Scale.
	Scale float64
}

// Strategy is a lock under test.
type Strategy struct {
	Name    string
	Summary string // one line
	// Like names the strategy whose expectations apply in scenarios that do not
	// name this one; empty if there is none.
	Like string
	New  func(Env) (lock.Locker, error)
	// Keeps names keys that may outlive the run without expiry, such as a
	// fence counter; nil if there are none.
	Keeps func(key string) []string
}

var registered []Strategy

// Register adds a strategy. It panics if the name is empty or taken, or has a comma
// or a control character, since that is a mistake in the program. Call it before the
// command line runs.
func Register(s Strategy) {
	if s.Name == "" || s.New == nil {
		panic("strategy: a strategy needs a name and a constructor")
	}
	if strings.ContainsFunc(s.Name, func(r rune) bool { return r == ',' || unicode.IsControl(r) }) {
		panic(fmt.Sprintf("strategy: strategy %q: a name has no comma, which separates names on the command line, and no control characters", s.Name))
	}
	if _, taken := Lookup(s.Name); taken {
		panic(fmt.Sprintf("strategy: strategy %q is registered twice", s.Name))
	}
	registered = append(registered, s)
}

// Expected is what a scenario expects of the strategy, by its name or else by Like;
// nil if nothing is expected.
func (s Strategy) Expected(in *scenarios.Scenario) map[string]scenarios.Expectation {
	if own, ok := in.Expect[s.Name]; ok {
		return own
	}
	return in.Expect[s.Like]
}

// All lists the registered strategies, in order.
func All() []Strategy { return slices.Clone(registered) }

// Lookup finds a strategy by name.
func Lookup(name string) (Strategy, bool) {
	if i := slices.IndexFunc(registered, func(s Strategy) bool { return s.Name == name }); i >= 0 {
		return registered[i], true
	}
	return Strategy{}, false
}
