//go:build unix

package worker

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

const (
	sigStop = syscall.SIGSTOP
	sigCont = syscall.SIGCONT
	sigKill = syscall.SIGKILL

	killedStatus = "killed by signal 9"
)

// ownGroup starts the process in a group of its own, and where the system can,
// has it killed with this program.
func ownGroup(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	dieWithParent(cmd.SysProcAttr)
	return nil
}

// signalGroup signals all processes of a group. The leader may be reaped already:
// a group's number is not given away while anybody is in it.
func signalGroup(group int, s syscall.Signal) error { return syscall.Kill(-group, s) }

func statusOf(s *os.ProcessState) string {
	if w, ok := s.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return fmt.Sprintf("killed by signal %d", int(w.Signal()))
	}
	return s.String()
}
