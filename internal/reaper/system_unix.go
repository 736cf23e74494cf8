//go:build unix

package reaper

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

// apart puts the janitor in a session of its own, out of reach of a signal to
// its owner's group or terminal.
func apart() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// deafen keeps the janitor at work where all processes are asked to end at
// once: its owner's end is what it waits for.
func deafen() { signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP) }

// kill ends the group that pid leads, and pid itself if it leads none.
func kill(pid int) {
	// An error is that there is no such process, which is what is wanted.
	_ = syscall.Kill(-pid, syscall.SIGKILL)
	_ = syscall.Kill(pid, syscall.SIGKILL)
}

// alive reports whether pid runs: a dead process that nobody has waited for
// does not.
func alive(pid int) bool {
	if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return false
	}
	fields := stat(pid)
	return len(fields) == 0 || fields[0] != "Z"
}

// born is when pid started, in the system's own ticks; empty where the system
// does not tell, or there is no such process.
func born(pid int) string {
	const starttime = 19 // of the fields behind the name; see proc(5)
	fields := stat(pid)
	if len(fields) <= starttime {
		return ""
	}
	return fields[starttime]
}

// stat returns the fields of /proc/<pid>/stat from the state on.
func stat(pid int) []string {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return nil
	}
	// The name before the state is in brackets and may hold anything.
	_, rest, ok := cutLast(string(b), ") ")
	if !ok {
		return nil
	}
	return strings.Fields(rest)
}

func cutLast(s, sep string) (before, after string, ok bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}
