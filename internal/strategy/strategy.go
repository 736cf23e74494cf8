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

	"github.com/lockchaos/simrun/internal/check"
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
	// Like names the strategy that this one is held to in scenarios that do not name
	// it. Empty: the highest rung of the ladder that its interface allows.
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

// Terms are what a strategy is judged by in one scenario.
type Terms struct {
	// Expected is what the scenario expects, by property or observation. If it does
	// not name the strategy, these are the properties that HeldTo must not breach.
	Expected map[string]scenarios.Expectation
	// HeldTo names the lock that a strategy is held to, if the scenario does not
	// name the strategy; empty if there is none, or the scenario does not name it.
	HeldTo string

	known   map[string]uint64
	listed  bool // known lists every property that may be breached
	limited bool // beside known, those that are a limit of leases may be, too
}

// Asked reports whether anything is expected.
func (t Terms) Asked() bool { return len(t.Expected) > 0 || t.HeldTo != "" }

// Tolerate reports whether the property may be breached although it is not in
// Expected: the reference lock is known to breach it, or what that one breaches is
// not known.
func (t Terms) Tolerate(property string) bool {
	p, _ := check.Lookup(property)
	return !t.listed || t.known[property] > 0 || t.limited && p.LeaseLimit
}

// Terms returns what the strategy is judged by in a scenario that names it; or in
// one that names the lock that it is held to. That is Like, or else the highest rung
// of the ladder that its interface allows: fenced if it gives fencing tokens, else
// guarded. That a rung shows a flaw binds nobody but the rung itself; and where a
// rung meets a limit of leases, another lock may meet it in another way.
func (s Strategy) Terms(in *scenarios.Scenario, fences bool) Terms {
	rung := s.Name
	expected, named := in.Expect[rung]
	var t Terms
	if named {
		t.Expected = expected
	} else {
		if rung = s.Like; rung == "" {
			rung = "guarded"
			if fences {
				rung = "fenced"
			}
		}
		if expected, named = in.Expect[rung]; !named {
			return t
		}
		t.HeldTo, t.Expected = rung, map[string]scenarios.Expectation{}
	}
	if in.File == "" {
		t.known, t.listed = KnownBreaches(in.Name, rung)
	}
	if t.HeldTo == "" {
		return t
	}
	for property := range t.known {
		p, _ := check.Lookup(property)
		t.limited = t.limited || p.LeaseLimit
	}
	for property, e := range expected {
		if p, _ := check.Lookup(property); e == scenarios.None && !(t.limited && p.LeaseLimit) {
			t.Expected[property] = e
		}
	}
	return t
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
