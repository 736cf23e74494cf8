//go:build unix && !linux

package proc

import (
	"fmt"
	"os/exec"
	"strings"
	"syscall"
)

// dieWithParent does nothing here: the end of its input ends a child, and the
// system wakes a stopped group whose parent has ended.
func dieWithParent(*syscall.SysProcAttr) {}

// processes asks ps for those that have not ended. It prints the state as its
// first letter, and no threads.
func processes() ([]thread, error) {
	out, err := exec.Command("ps", "-A", "-o", "pid=", "-o", "pgid=", "-o", "state=").Output()
	if err != nil {
		return nil, fmt.Errorf("asking ps for the processes: %w", err)
	}
	var all []thread
	for line := range strings.Lines(string(out)) {
		var t thread
		if n, _ := fmt.Sscanf(line, "%d %d %1s", &t.pid, &t.group, &t.state); n == 3 && !t.dead() {
			t.id = t.pid
			all = append(all, t)
		}
	}
	return all, nil
}

func statOf(pid int) (stat, error) {
	all, err := processes()
	for _, t := range all {
		if t.pid == pid {
			return t.stat, nil
		}
	}
	return stat{}, fmt.Errorf("no process %d: %w", pid, err)
}

func threadsOf(group int) (threads []thread, err error) {
	all, err := processes()
	for _, t := range all {
		if t.group == group {
			threads = append(threads, t)
		}
	}
	return threads, err
}
