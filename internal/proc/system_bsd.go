//go:build unix && !linux

package proc

import (
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

// dieWithParent does nothing here: the end of its input ends a child, and the
// system wakes a stopped group whose parent has ended.
func dieWithParent(*syscall.SysProcAttr) {}

// stateOf asks ps, which prints the state as its first letter.
func stateOf(pid int) (string, error) {
	out, err := exec.Command("ps", "-o", "state=", "-p", strconv.Itoa(pid)).Output()
	if err != nil {
		return "", fmt.Errorf("asking ps for pid %d: %w", pid, err)
	}
	text := strings.TrimSpace(string(out))
	if text == "" {
		return "", fmt.Errorf("ps does not list pid %d", pid)
	}
	return text[:1], nil
}

// bornOf is unknown here.
func bornOf(int) string { return "" }

// groupStopped examines the leader alone.
func groupStopped(leader int) (ok bool, detail string, err error) {
	state, err := stateOf(leader)
	return state == "T", fmt.Sprintf("pid %d state %s", leader, state), err
}

// GroupAlive reports whether the group has a process, zombies included.
func GroupAlive(group int) bool { return syscall.Kill(-group, 0) == nil }

// alive reports whether there is such a process, zombies included.
func alive(pid int) bool { return !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }
