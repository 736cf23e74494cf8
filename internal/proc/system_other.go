//go:build !unix

package proc

import (
	"os"
	"syscall"
)

type sig int

const (
	sigStop sig = iota
	sigCont
	sigKill

	killedStatus = "killed"
)

// Supported returns [ErrUnsupported] if processes cannot be stopped here.
func Supported() error { return ErrUnsupported }

func attributes(bool) *syscall.SysProcAttr { return nil }

func ownSession() *syscall.SysProcAttr { return nil }

func ignoreSignals() {}

// signalGroup can only kill, and only the leader.
func signalGroup(group int, s sig) error {
	if s != sigKill {
		return ErrUnsupported
	}
	killAll(group)
	return nil
}

func killAll(pid int) {
	if p, err := os.FindProcess(pid); err == nil {
		_ = p.Kill() // the error is that it has ended
	}
}

func alive(int) bool { return false }

func bornOf(int) string { return "" }

func stateOf(int) (string, error) { return "", ErrUnsupported }

func groupStopped(int) (ok bool, detail string, err error) { return false, "", ErrUnsupported }

// GroupAlive is unknown here.
func GroupAlive(int) bool { return false }

func statusOf(s *os.ProcessState) string { return s.String() }

func terminated(*os.ProcessState) bool { return false }
