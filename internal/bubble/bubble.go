// Package bubble opens synctest bubbles, in which time is virtual, inside an
// ordinary binary as well as in a test.
//
// Goals: this is the only file, tests aside, that imports testing.
// Non-goals: knowing what runs in a bubble.
package bubble

import (
	"flag"
	"fmt"
	"os"
	"testing"
	"testing/synctest"
)

// Host opens bubbles. It comes from [Main] in a binary and from [In] in a test.
type Host struct{ t *testing.T }

// In returns the host of a test.
func In(t *testing.T) Host { return Host{t} }

// Main calls f with a host and exits the process with the code that f returns.
// Call it once, from the main goroutine, after parsing the command line: it clears
// the arguments and flags, which package testing would read.
func Main(f func(Host) int) {
	run := func(t *testing.T) { os.Exit(f(Host{t})) }
	match := func(_, _ string) (bool, error) { return true, nil }
	os.Args = os.Args[:1]
	flag.CommandLine = flag.NewFlagSet(os.Args[0], flag.ExitOnError)
	testing.Init()
	testing.Main(match, []testing.InternalTest{{Name: "bubble", F: run}}, nil, nil)
}

// Run calls f in a bubble and returns when f and all goroutines that it started
// have ended. It returns an error if the bubble deadlocked or f left goroutines
// that never end; those remain in the process.
func (h Host) Run(f func()) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("bubble: %v", p)
		}
	}()
	synctest.Test(h.t, func(*testing.T) { f() })
	return nil
}
