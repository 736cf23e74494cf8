//go:build unix && !linux

package worker

import (
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

// dieWithParent can do nothing here: the end of its input ends the worker, and a
// stopped group whose parent is gone is woken by the system.
func dieWithParent(*syscall.SysProcAttr) {}

// stateOf asks ps, whose first letter is the state.
func stateOf(pid int) (string, error) {
	out, err := exec.Command("ps", "-o", "state=", "-p", strconv.Itoa(pid)).Output()
	if err != nil {
		return "", fmt.Errorf("asking ps for pid %d: %w", pid, err)
	}
	text := strings.TrimSpace(string(out))
	if text == "" {
		return "", fmt.Errorf("ps says nothing of pid %d", pid)
	}
	return text[:1], nil
}

// stopped looks at the leader alone.
func stopped(leader int) (all bool, what string, err error) {
	state, err := stateOf(leader)
	return state == "T", fmt.Sprintf("pid %d state %s", leader, state), err
}

// peopled tells whether a process of the group has not been reaped.
func peopled(group int) bool { return syscall.Kill(-group, 0) == nil }
