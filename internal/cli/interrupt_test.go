package cli

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/lockchaos/simrun/internal/results"
	"github.com/lockchaos/simrun/reports"
)

// Ctrl-C in the middle of a long run, or the hangup of its terminal, keeps what is
// done, marks it, and exits as unknown.
func TestInterrupt(t *testing.T) {
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(s.String(), func(t *testing.T) {
			checkInterrupted(t, nil, func(p *os.Process) error { return p.Signal(s) })
		})
	}
}

// checkInterrupted starts a long run, interrupts it, and checks what it leaves.
func checkInterrupted(t *testing.T, attr *syscall.SysProcAttr, interrupt func(*os.Process) error) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "r")
	cmd := &exec.Cmd{Path: exe, Args: []string{"simrun", "-scenario", "expiry", "-strategy", "naive,fenced", "-seeds", "100000", "-out", dir}, SysProcAttr: attr}
	var stdout bytes.Buffer
	cmd.Stdout = &stdout
	progress, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(progress)
	if !lines.Scan() || !strings.Contains(lines.Text(), "of 200000 runs, 0 of 2 cells") {
		t.Fatalf("first line of progress is %q", lines.Text())
	}
	if err := interrupt(cmd.Process); err != nil {
		t.Fatal(err)
	}
	for lines.Scan() {
		if !strings.Contains(lines.Text(), "of 200000 runs") {
			t.Errorf("standard error says %q", lines.Text())
		}
	}
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != ExitUnknown {
		t.Errorf("exit code is %d", code)
	}
	if !strings.Contains(stdout.String(), "interrupted") {
		t.Errorf("the table does not say so:\n%s", stdout.String())
	}
	r, err := reports.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	naive := r.Scenarios[0].Strategies[0]
	if !r.Interrupted || r.Verdict != results.Unknown || naive.Runs == 0 || naive.Runs == 100_000 || len(naive.Findings) != 0 {
		t.Errorf("interrupted %t, %s, %d runs, findings %+v", r.Interrupted, r.Verdict, naive.Runs, naive.Findings)
	}
	if naive.UnknownReason != "not all seeds ran" {
		t.Errorf("reason is %q", naive.UnknownReason)
	}
}
