package cli

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"testing"
)

// simrun prepares a run of the program in a process of its own.
func simrun(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return &exec.Cmd{Path: exe, Args: append([]string{"simrun"}, args...), Dir: t.TempDir()}
}

// outcome is what a run of the program said and how it ended.
type outcome struct {
	stdout, stderr string
	code           int
}

func finish(t *testing.T, cmd *exec.Cmd) outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		t.Fatal(err)
	}
	return outcome{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}

// lastingYAML is a scenario in which nothing goes wrong for a long time.
const lastingYAML = `name: lasting
summary: The work takes very long.
clients: 3
sections: 100
work: 100s
lease: 200s
limit: 2h
expect:
  naive: {lost-update: none}
`

// briefYAML is one that is soon over.
const briefYAML = `name: brief
summary: The work outlives the lease.
clients: 2
sections: 2
work: 45s
expect:
  naive: {overlap: some}
  fenced: {overlap: none}
`

// file writes one of them where the program runs.
func file(t *testing.T, cmd *exec.Cmd, name, text string) {
	t.Helper()
	if err := os.WriteFile(cmd.Dir+"/"+name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
