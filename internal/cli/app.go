// Package cli is simrun's command line, for simrun itself and for programs that
// bring a lock of their own:
//
//	func main() {
//		sim.Register(sim.Strategy{Name: "mine", Summary: "our lock", New: newLock})
//		os.Exit(sim.Main(os.Args[1:], os.Stdout, os.Stderr))
//	}
//
// Goals: flags in, exit code out; one file a verb; every mistake in the
// arguments is found before anything runs and told in one line with its remedy.
// Non-goals: running seeds (package runner), judging (package check), drawing
// (package reports).
package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/lockchaos/simrun/internal/live/worker"
	"github.com/lockchaos/simrun/internal/proc"
	"github.com/lockchaos/simrun/internal/results"
	"github.com/lockchaos/simrun/internal/runner"
	"github.com/lockchaos/simrun/internal/text"
	"github.com/lockchaos/simrun/scenarios"
)

// The exit codes, as in Jepsen.
const (
	ExitPass     = 0
	ExitFail     = 1
	ExitUnknown  = 2   // too little evidence, or interrupted
	ExitUsage    = 254 // bad arguments, a bad scenario or history file
	ExitInternal = 255 // a fault of simrun itself
)

// env is what a verb works with.
type env struct {
	out, err io.Writer
	flags    *flags
	args     []string // what stood beside the flags and the verb
}

// verb is one of the things that simrun does. It returns an exit code, or an
// error from which the code follows.
type verb struct {
	name    string
	summary string
	flags   []string // that go with it
	run     func(*env) (int, error)
}

func verbs() []verb {
	return []verb{
		{"run", "run seeds of a scenario under each strategy (the default)", runFlags, run},
		{"list", "list the built-in scenarios and the strategies", nil, list},
		{"explain", "tell what happens in a scenario and what is expected", nil, explain},
		{"check", "judge recorded histories again", []string{"v"}, judge},
		{"help", "show this", nil, help},
		{"version", "show the version", nil, version},
	}
}

// usageError is a mistake in the arguments.
type usageError struct{ text string }

func (e usageError) Error() string { return e.text }

func usagef(format string, args ...any) error { return usageError{fmt.Sprintf(format, args...)} }

// errInterrupted: the interrupt came before the first run.
var errInterrupted = errors.New("interrupted before anything ran")

// Main runs simrun with the arguments that follow the program's name, and
// returns the code to exit with. Call it from main, with every strategy
// registered: in a process that was started to run seeds, or as a live client, it
// serves as such.
func Main(args []string, stdout, stderr io.Writer) int {
	switch {
	case runner.IsChild():
		runner.Child()
	case worker.Is():
		worker.Run()
	case proc.IsReaper(args):
		proc.RunReaper()
	}
	code, err := dispatch(args, stdout, stderr)
	if err == nil {
		return code
	}
	text := err.Error()
	if !errors.Is(err, runner.ErrInternal) { // which ends with a stack
		text = strings.ReplaceAll(text, "\n", " ")
	}
	fmt.Fprintf(stderr, "simrun: %s\n", text)
	return exitCode(err)
}

func exitCode(err error) int {
	if errors.Is(err, errInterrupted) {
		return ExitUnknown
	}
	var usage usageError
	var scenario *scenarios.Error
	if errors.As(err, &usage) || errors.As(err, &scenario) || errors.Is(err, scenarios.ErrNoScenario) {
		return ExitUsage
	}
	return ExitInternal
}

func dispatch(args []string, stdout, stderr io.Writer) (int, error) {
	f, rest, err := parse(args)
	if err != nil {
		return 0, err
	}
	e := &env{out: stdout, err: stderr, flags: f}
	all := verbs()
	v := all[0]
	switch {
	case f.help:
		v = verb{name: "help", flags: f.names(), run: help}
	case len(rest) > 0:
		var names []string
		for _, w := range all {
			names = append(names, w.name)
			if w.name == rest[0] {
				v, e.args = w, rest[1:]
			}
		}
		if v.name != rest[0] {
			return 0, usagef("unknown verb %q; %s", rest[0], text.Suggest(rest[0], names))
		}
	case len(args) == 0:
		return 0, usagef("nothing to do; try %s list, %s -scenario expiry, or %s help", program(), program(), program())
	}
	if name := f.stray(v.flags); name != "" {
		return 0, usagef("-%s does not go with %s; see %s help", name, v.name, program())
	}
	return v.run(e)
}

// program is this program as its user types it.
func program() string {
	name := os.Args[0]
	if i := strings.LastIndexAny(name, `/\`); i >= 0 {
		name = name[i+1:]
	}
	return strings.TrimSuffix(name, ".exe")
}

func codeOf(v results.Verdict) int {
	switch v {
	case results.Pass:
		return ExitPass
	case results.Fail:
		return ExitFail
	default:
		return ExitUnknown
	}
}
