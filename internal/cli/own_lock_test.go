package cli

import (
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The example program tests a lock that simrun does not know, in children of
// its own.
func TestAProgramBringsItsOwnLock(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "ownlock")
	if out, err := exec.Command("go", "build", "-o", program, "../../examples/ownlock").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	run := func(args ...string) (string, int) {
		cmd := exec.Command(program, args...)
		cmd.Dir = dir
		out, err := cmd.Output()
		if e := (*exec.ExitError)(nil); err != nil && !errors.As(err, &e) {
			t.Fatal(err)
		}
		return string(out), cmd.ProcessState.ExitCode()
	}
	if out, code := run("list"); code != ExitPass || !strings.Contains(out, "the lock of our service") {
		t.Errorf("list exits %d:\n%s", code, out)
	}
	// No expectation names it: it is held to the highest rung that it could be.
	out, code := run("-scenario", "expiry", "-strategy", "ours", "-seed", "1")
	if code != ExitFail || !strings.Contains(out, "ours      ✗ broken   no") || !strings.Contains(out, "ownlock -scenario expiry -strategy ours -seed 1") ||
		!strings.Contains(out, "expiry, ours, seed 1: stale-write: ") {
		t.Errorf("exits %d:\n%s", code, out)
	}
}
