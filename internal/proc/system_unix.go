//go:build unix

package proc

import "syscall"

const (
	sigStop = syscall.SIGSTOP
	sigCont = syscall.SIGCONT
)

// attributes make a child die with this program where the system can do that,
// and lead a group of its own unless it shares this program's.
func attributes(sharesGroup bool) (*syscall.SysProcAttr, error) {
	a := &syscall.SysProcAttr{Setpgid: !sharesGroup}
	dieWithParent(a)
	return a, nil
}

// ownSession keeps signals to this program's group or terminal from a child.
func ownSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// signalGroup signals all processes of a group. Its leader may be reaped already:
// the system does not reuse a group's number while it has members.
func signalGroup(group int, s syscall.Signal) error { return syscall.Kill(-group, s) }
