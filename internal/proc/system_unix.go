//go:build unix

package proc

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

const (
	sigStop = syscall.SIGSTOP
	sigCont = syscall.SIGCONT
	sigKill = syscall.SIGKILL

	killedStatus = "killed by signal 9"
)

// Supported returns [ErrUnsupported] if processes cannot be stopped here.
func Supported() error { return nil }

// attributes make a child die with this program where the system can do that,
// and lead a group of its own unless it shares this program's.
func attributes(sharesGroup bool) *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{Setpgid: !sharesGroup}
	dieWithParent(a)
	return a
}

// ownSession keeps signals to this program's group or terminal from a child.
func ownSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// ignoreSignals ignores the signals that ask all processes to end at once.
func ignoreSignals() { signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP) }

// signalGroup signals all processes of a group. Its leader may be reaped already:
// the system does not reuse a group's number while it has members.
func signalGroup(group int, s syscall.Signal) error { return syscall.Kill(-group, s) }

// killAll kills the group that pid leads, and pid itself even if it leads none.
func killAll(pid int) {
	// The error is that there is no such process.
	_ = syscall.Kill(-pid, syscall.SIGKILL)
	_ = syscall.Kill(pid, syscall.SIGKILL)
}

func statusOf(s *os.ProcessState) string {
	if w, ok := s.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return fmt.Sprintf("killed by signal %d", int(w.Signal()))
	}
	return s.String()
}

// terminated reports whether SIGKILL or SIGTERM ended a process.
func terminated(s *os.ProcessState) bool {
	w, ok := s.Sys().(syscall.WaitStatus)
	return ok && w.Signaled() && (w.Signal() == syscall.SIGKILL || w.Signal() == syscall.SIGTERM)
}
