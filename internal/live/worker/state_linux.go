package worker

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

func dieWithParent(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGKILL }

// stat is what is used of a line of /proc/<pid>/stat.
type stat struct {
	state string
	group int
}

// parseStat reads such a line. The name in it may hold spaces and brackets, so
// the fields are counted from its last bracket: state, parent, group.
func parseStat(text string) (stat, error) {
	fields := strings.Fields(text[strings.LastIndexByte(text, ')')+1:])
	if len(fields) < 3 || len(fields[0]) != 1 {
		return stat{}, fmt.Errorf("no state in %.80q", text)
	}
	group, err := strconv.Atoi(fields[2])
	if err != nil {
		return stat{}, fmt.Errorf("no group in %.80q", text)
	}
	return stat{state: fields[0], group: group}, nil
}

func readStat(dir string) (stat, error) {
	text, err := os.ReadFile(filepath.Join(dir, "stat"))
	if err != nil {
		return stat{}, err
	}
	return parseStat(string(text))
}

func procDir(pid int) string { return filepath.Join("/proc", strconv.Itoa(pid)) }

func stateOf(pid int) (string, error) {
	s, err := readStat(procDir(pid))
	return s.state, err
}

// members are the directories of a group's processes that have not ended.
func members(group int) ([]string, error) {
	all, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return nil, err
	}
	var dirs []string
	for _, dir := range all {
		// A process may end while we look.
		if s, err := readStat(dir); err == nil && s.group == group && !ended(s.state) {
			dirs = append(dirs, dir)
		}
	}
	return dirs, nil
}

// peopled tells whether a process of the group has not ended.
func peopled(group int) bool {
	dirs, err := members(group)
	return err == nil && len(dirs) > 0
}

// stopped looks at each thread of each process of the group. Where all are
// stopped, what is the proof; else it names one that is not.
func stopped(leader int) (all bool, what string, err error) {
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
			if s, err := readStat(thread); err == nil && s.state != "T" && !ended(s.state) {
				return false, fmt.Sprintf("pid %s thread %s state %s", filepath.Base(dir), filepath.Base(thread), s.state), nil
			}
		}
	}
	state, err := stateOf(leader)
	if err != nil {
		return false, "", err
	}
	proof := fmt.Sprintf("pid %d state %s", leader, state)
	if n := len(dirs); n > 1 {
		proof += fmt.Sprintf(", and %d more of its group", n-1)
	}
	return state == "T", proof, nil
}

// ended tells a zombie and a process on its way there.
func ended(state string) bool { return state == "Z" || state == "X" }
