package proc

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
)

var (
	// ErrUnsupported: this system has no signals that stop a process.
	ErrUnsupported = errors.New("stopping a process needs a Unix system")
	// ErrDied: the process has ended. See [ExitError].
	ErrDied = errors.New("process died")
	// ErrKilled: the process was killed by [Child.Kill] or by its context. Such
	// an error is also an ErrDied.
	ErrKilled = errors.New("process was killed")
	// ErrNotStopped: some process of the group did not stop on SIGSTOP.
	ErrNotStopped = errors.New("process did not stop")
	// ErrReaper: the reaper has died, and so cannot clean up.
	ErrReaper = errors.New("reaper died")
)

// ExitError is the error of a process that has ended. It is an [ErrDied], and an
// [ErrKilled] if Killed is set.
type ExitError struct {
	Pid    int
	Status string // such as "exit status 7" or "killed by signal 9"
	Killed bool   // by this program
	Log    string // the end of what it printed
}

// Error includes the status and the most informative line of the log.
func (e *ExitError) Error() string {
	text := fmt.Sprintf("pid %d: %s", e.Pid, e.Status)
	if line := causeLine(e.Log); line != "" {
		text += fmt.Sprintf("; its last words: %.200s", line)
	}
	return text
}

// Is makes an ExitError match [ErrDied] and, if it was killed, [ErrKilled].
func (e *ExitError) Is(target error) bool {
	return target == ErrDied || target == ErrKilled && e.Killed
}

// statusOf says how a process ended.
func statusOf(s *os.ProcessState) string {
	if w, ok := s.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return bySignal(w.Signal())
	}
	return s.String()
}

// bySignal is the status of a process that a signal ended.
func bySignal(s syscall.Signal) string { return fmt.Sprintf("killed by signal %d", int(s)) }

// causeLine returns the line that explains why a process died: the first that
// begins a Go panic or names an exception, since a stack trace follows it; else
// the last line that is not blank.
func causeLine(log string) string {
	last := ""
	for line := range strings.Lines(log) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		last = line
		if strings.HasPrefix(line, "panic:") || strings.HasPrefix(line, "fatal error:") ||
			strings.Contains(line, "Exception") || strings.Contains(line, "Error:") {
			return line
		}
	}
	return last
}
