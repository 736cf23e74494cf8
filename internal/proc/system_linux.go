package proc

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// dieWithParent makes the system kill the process when the thread that started
// it ends.
func dieWithParent(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGKILL }

// stat holds the fields used of /proc/<pid>/stat; see proc(5).
type stat struct {
	state string
	group int
	born  string // when the process started, in clock ticks since boot; may be empty
}

// parseStat counts fields from the last parenthesis, since the name before it
// may contain spaces and parentheses: state, parent, group, and so on.
func parseStat(text string) (stat, error) {
	const starttime = 19
	fields := strings.Fields(text[strings.LastIndexByte(text, ')')+1:])
	if len(fields) < 3 || len(fields[0]) != 1 {
		return stat{}, fmt.Errorf("no state in %.80q", text)
	}
	group, err := strconv.Atoi(fields[2])
	if err != nil {
		return stat{}, fmt.Errorf("no group in %.80q", text)
	}
	s := stat{state: fields[0], group: group}
	if len(fields) > starttime {
		s.born = fields[starttime]
	}
	return s, nil
}

// readStat reads the stat file in a directory of a process or of a thread.
func readStat(dir string) (stat, error) {
	text, err := os.ReadFile(filepath.Join(dir, "stat"))
	if err != nil {
		return stat{}, err
	}
	return parseStat(string(text))
}

func statOf(pid int) (stat, error) { return readStat(filepath.Join("/proc", strconv.Itoa(pid))) }

func stateOf(pid int) (string, error) {
	s, err := statOf(pid)
	return s.state, err
}

// bornOf identifies a process among those that have had the same pid. It is
// empty if there is no such process.
func bornOf(pid int) string {
	s, _ := statOf(pid)
	return s.born
}

// alive reports whether pid runs. A zombie does not.
func alive(pid int) bool {
	s, err := statOf(pid)
	return err == nil && !isDead(s.state)
}

// isDead reports whether a state is that of a zombie, or of a process about to
// be one.
func isDead(state string) bool { return state == "Z" || state == "X" }

// members returns the /proc directories of a group's processes, without zombies.
func members(group int) ([]string, error) {
	all, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return nil, err
	}
	var dirs []string
	for _, dir := range all {
		// An error means that the process has just ended.
		if s, err := readStat(dir); err == nil && s.group == group && !isDead(s.state) {
			dirs = append(dirs, dir)
		}
	}
	return dirs, nil
}

// GroupAlive reports whether a process of the group runs. A zombie does not.
func GroupAlive(group int) bool {
	dirs, err := members(group)
	return err == nil && len(dirs) > 0
}

// groupStopped examines every thread of every process of the group. If all are
// stopped, detail is the proof; otherwise it names one that is not.
func groupStopped(leader int) (ok bool, detail string, err error) {
	dirs, err := members(leader)
	if err != nil {
		return false, "", err
	}
	for _, dir := range dirs {
		threads, err := filepath.Glob(dir + "/task/[0-9]*")
		if err != nil {
			return false, "", err
		}
		for _, thread := range threads {
			if s, err := readStat(thread); err == nil && s.state != "T" && !isDead(s.state) {
				return false, fmt.Sprintf("pid %s thread %s state %s", filepath.Base(dir), filepath.Base(thread), s.state), nil
			}
		}
	}
	state, err := stateOf(leader)
	if err != nil {
		return false, "", err
	}
	detail = fmt.Sprintf("pid %d state %s", leader, state)
	if n := len(dirs); n > 1 {
		detail += fmt.Sprintf(", and %d more of its group", n-1)
	}
	return state == "T", detail, nil
}
