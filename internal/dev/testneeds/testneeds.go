// Package testneeds finds the programs that some tests need besides Go.
//
// Goals: one rule for all tests: without the program a test is skipped, unless [CI]
// is set, where it fails: CI skips nothing.
// Non-goals: starting the program, and any use outside tests.
package testneeds

import (
	"os"
	"os/exec"
	"strings"
)

// CI is the environment variable that forbids skipping if it is not empty.
const CI = "SIMRUN_CI"

// Test is the part of *testing.T used here.
type Test interface {
	Helper()
	Skip(...any)
	Fatal(...any)
}

// RedisServer returns the path of redis-server.
func RedisServer(t Test) string {
	t.Helper()
	return Program(t, "redis-server")
}

// Python returns the path of a Python 3 interpreter.
func Python(t Test) string {
	t.Helper()
	return Program(t, "python3")
}

// Program returns the path of the first of the named programs that is in $PATH. If
// there is none, it ends the test.
func Program(t Test, names ...string) string {
	t.Helper()
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	Missing(t, "there is no "+strings.Join(names, " and no ")+" in $PATH")
	return ""
}

// Missing skips or fails a test that cannot run.
func Missing(t Test, why string) {
	t.Helper()
	if os.Getenv(CI) != "" {
		t.Fatal(why + ", and " + CI + " is set")
		return
	}
	t.Skip(why)
}
