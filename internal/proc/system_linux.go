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

// parseStat parses /proc/<pid>/stat; see proc(5). It counts fields from the last
// parenthesis, since the name before it may contain spaces and parentheses:
// state, parent, group, and so on.
func parseStat(text string) (stat, error) {
	const starttime = 19 // in clock ticks since boot
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

// threadsOf lists the threads of a group's processes.
func threadsOf(group int) ([]thread, error) {
	processes, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return nil, err
	}
	var all []thread
	for _, process := range processes {
		// An error means that the process, or below the thread, has just ended.
		if s, err := readStat(process); err != nil || s.group != group || s.dead() {
			continue
		}
		dirs, err := filepath.Glob(process + "/task/[0-9]*")
		if err != nil {
			return nil, err
		}
		for _, dir := range dirs {
			s, err := readStat(dir)
			if err != nil || s.dead() {
				continue
			}
			pid, _ := strconv.Atoi(filepath.Base(process))
			id, _ := strconv.Atoi(filepath.Base(dir))
			all = append(all, thread{pid, id, s})
		}
	}
	return all, nil
}
