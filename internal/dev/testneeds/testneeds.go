// Package testneeds finds the programs that some tests need beside Go.
//
// Goals: one rule for all tests: on a laptop without the program the test is
// skipped, and where [CI] is set it fails, since CI skips nothing.
// Non-goals: starting the program, and any use outside tests.
package testneeds

import (
	"os"
	"os/exec"
	"strings"
)

// CI is the environment variable that, set to anything, forbids skipping.
const CI = "SIMRUN_CI"

// Test is what of a *testing.T is used here.
type Test interface {
	Helper()
	Skip(...any)
	Fatal(...any)
}

// RedisServer is the path of redis-server.
func RedisServer(t Test) string {
	t.Helper()
	return Program(t, "redis-server")
}

// Python is the path of a Python interpreter of version 3.
func Python(t Test) string {
	t.Helper()
	return Program(t, "python3")
}

// Program is the path of the first of the named programs that is in $PATH. It
// does not return where there is none.
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

// Missing ends a test that cannot run, and says why.
func Missing(t Test, why string) {
	t.Helper()
	if os.Getenv(CI) != "" {
		t.Fatal(why + ", and " + CI + " is set")
		return
	}
	t.Skip(why)
}
