package worker

import (
	"errors"
	"fmt"
	"strings"
)

// The errors of a process, told apart with errors.Is. After any of them but
// [ErrRefused], the process is dead or about to be: only Close is left.
var (
	// ErrCommand: the worker's command line cannot be run.
	ErrCommand = errors.New("worker cannot be started")
	// ErrRefused: the worker would not start; the error's text has its reason.
	ErrRefused = errors.New("worker refused to start")
	// ErrDied: the process ended, or closed its output. See [Death].
	ErrDied = errors.New("worker died")
	// ErrKilled: it was ended by [Process.Kill], by Close or by the context. Such
	// an error is an ErrDied too.
	ErrKilled = errors.New("worker was killed")
	// ErrRubbish: it said what is no answer to the request.
	ErrRubbish = errors.New("worker said rubbish")
	// ErrSilent: it did not answer in time.
	ErrSilent = errors.New("worker did not answer")
	// ErrNotPaused: its processes did not all stop on SIGSTOP.
	ErrNotPaused = errors.New("worker did not stop")
	// ErrUnsupported: this system has no signals that stop a process.
	ErrUnsupported = errors.New("workers need a Unix system")
)

// Death is how a process ended.
type Death struct {
	Pid    int
	Status string // as "exit status 7" or "killed by signal 9"
	Killed bool   // by the harness
	Log    string // the end of what it wrote to the standard error
}

// Error tells the status and the log's most telling line.
func (d *Death) Error() string {
	text := fmt.Sprintf("%v: pid %d: %s", ErrDied, d.Pid, d.Status)
	if words := telling(d.Log); words != "" {
		text += fmt.Sprintf("; its last words: %.200s", words)
	}
	return text
}

// Is tells that a Death is an [ErrDied], and an [ErrKilled] where it was killed.
func (d *Death) Is(target error) bool {
	return target == ErrDied || target == ErrKilled && d.Killed
}

// telling is the line that tells why the process died: that which begins a
// panic of Go or names an exception, since a trace of calls follows it; else the
// last one.
func telling(log string) string {
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

// rubbish is an ErrRubbish with the offending line, cut to a bound. Where that was
// never meant for an answer, it ends with the remedy.
func rubbish(line []byte, format string, args ...any) error {
	const most = 120
	dots, remedy := "", ""
	if strictly(line, &Answer{}) != nil {
		remedy = "; a worker's standard output is for answers alone: print to the standard error"
	}
	if len(line) > most {
		line, dots = line[:most], "…"
	}
	return fmt.Errorf("%w: %s: %q%s%s", ErrRubbish, fmt.Sprintf(format, args...), line, dots, remedy)
}
