package proc

import "fmt"

// alive reports whether pid runs. A zombie does not.
func alive(pid int) bool {
	s, err := statOf(pid)
	return err == nil && !s.dead()
}

// bornOf identifies a process among those that have had the same pid. It is
// empty if that is unknown.
func bornOf(pid int) string {
	s, _ := statOf(pid)
	return s.born
}

// GroupAlive reports whether a process of the group runs. A zombie does not.
func GroupAlive(group int) bool {
	all, err := threadsOf(group)
	return err == nil && len(all) > 0
}

// groupStopped examines every thread of every process of the group. If all are
// stopped, detail is the proof; otherwise it names one that is not.
func groupStopped(leader int) (ok bool, detail string, err error) {
	all, err := threadsOf(leader)
	if err != nil {
		return false, "", err
	}
	stopped := make(map[int]bool) // processes
	for _, t := range all {
		if t.state != "T" {
			return false, fmt.Sprintf("pid %d thread %d state %s", t.pid, t.id, t.state), nil
		}
		stopped[t.pid] = true
	}
	if !stopped[leader] {
		return false, fmt.Sprintf("pid %d has ended", leader), nil
	}
	detail = fmt.Sprintf("pid %d state T", leader)
	if n := len(stopped); n > 1 {
		detail += fmt.Sprintf(", and %d more of its group", n-1)
	}
	return true, detail, nil
}
