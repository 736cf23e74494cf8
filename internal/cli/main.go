// Package cli is simrun's command line, for simrun itself and for programs that
// bring a lock of their own through package sim.
//
// Goals: flags in, exit code out; every mistake in the arguments is found before
// anything runs and reported in one line with its remedy.
// Non-goals: running seeds (package runner), judging (package check), drawing
// (package reports).
package cli

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/lockchaos/simrun/internal/live/worker"
	"github.com/lockchaos/simrun/internal/modversion"
	"github.com/lockchaos/simrun/internal/proc"
	"github.com/lockchaos/simrun/internal/results"
	"github.com/lockchaos/simrun/internal/runner"
	"github.com/lockchaos/simrun/internal/strategy"
	"github.com/lockchaos/simrun/internal/text"
	"github.com/lockchaos/simrun/scenarios"
)

// verb is one of simrun's commands. run returns an exit code, or an error that
// [exitCode] turns into one.
type verb struct {
	name    string
	summary string
	run     func(*env) (int, error)
}

func verbs() []verb {
	return []verb{
		{verbRun, "run seeds of a scenario under each strategy (the default)", runSeeds},
		{"list", "list the built-in scenarios and the strategies", printList},
		{"explain", "describe what happens in a scenario and what is expected of each lock", printScenarios},
		{verbCheck, "judge recorded histories again", judgeHistories},
		{"diff", "say in Markdown what changed between two result folders", diffResults},
		{"report", "draw the reports of an old result folder anew", drawAgain},
		{"help", "show this", printHelp},
		{"version", "show the version of simrun and of what it was built with", printVersion},
	}
}

// Main runs simrun with the arguments that follow the program's name, and
// returns the code to exit with. Every strategy must be registered. In a process
// that simrun started to run seeds or as a live client, Main does not return.
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
	said := err.Error()
	if !errors.Is(err, runner.ErrInternal) { // which ends with a stack
		said = strings.ReplaceAll(said, "\n", " ")
	}
	fmt.Fprintf(stderr, "simrun: %s\n", said)
	return exitCode(err)
}

func dispatch(args []string, stdout, stderr io.Writer) (int, error) {
	f, rest, err := parseFlags(args)
	if err != nil {
		return 0, err
	}
	e := &env{out: stdout, err: stderr, flags: f, began: time.Now()}
	all := verbs()
	v := all[0]
	switch {
	case f.help:
		return printHelp(e)
	case len(rest) > 0:
		i := slices.IndexFunc(all, func(v verb) bool { return v.name == rest[0] })
		if i < 0 {
			var names []string
			for _, v := range all {
				names = append(names, v.name)
			}
			return 0, usagef("unknown verb %q; %s", rest[0], text.Suggest(rest[0], names))
		}
		v, e.args = all[i], rest[1:]
	case len(args) == 0:
		return 0, usagef("nothing to do; try %s list, %s -scenario expiry, or %s help", program(), program(), program())
	}
	if err := f.check(v.name); err != nil {
		return 0, err
	}
	return v.run(e)
}

// printHelp shows the verbs, the flags and the exit codes.
func printHelp(e *env) (int, error) {
	p := program()
	fmt.Fprintf(e.out, `simrun shows exactly when a Redis lock loses mutual exclusion, and what damage follows.

usage:
  %[1]s -scenario NAME|FILE|all [-strategy a,b] [-seeds N | -seed K] [-mode sim|live|both] [-out DIR]
  %[1]s list
  %[1]s explain NAME|FILE
  %[1]s check history.jsonl
  %[1]s diff OLD NEW
  %[1]s report DIR

`, p)
	w := tabwriter.NewWriter(e.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "verbs:")
	for _, v := range verbs() {
		fmt.Fprintf(w, "  %s\t%s\n", v.name, v.summary)
	}
	fmt.Fprintln(w, "\nflags:")
	(&flags{}).flagSet().VisitAll(func(f *flag.Flag) {
		value, usage := flag.UnquoteUsage(f)
		if value != "" {
			value = " " + value
		}
		fmt.Fprintf(w, "  -%s%s\t%s\n", f.Name, value, usage)
	})
	fmt.Fprintln(w, "\nexit codes:")
	for _, c := range []struct {
		code int
		text string
	}{
		{ExitPass, "pass: every expectation held"},
		{ExitFail, "fail: an expectation did not hold, in either direction, or a lock panicked, hung or leaked; with -baseline, and of diff: something got worse"},
		{ExitUnknown, "unknown: too little evidence, or interrupted"},
		{ExitUsage, "bad arguments or a bad file; nothing ran"},
		{ExitInternal, "a bug in simrun itself"},
	} {
		fmt.Fprintf(w, "  %d\t%s\n", c.code, c.text)
	}
	return ExitPass, w.Flush()
}

// printList prints what can be run.
func printList(e *env) (int, error) {
	if len(e.args) > 0 {
		return 0, usagef("list takes no arguments, but got %q", e.args[0])
	}
	w := tabwriter.NewWriter(e.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "scenarios")
	for _, s := range scenarios.Builtin() {
		fmt.Fprintf(w, "  %s\t%s\n", s.Name, s.Summary)
	}
	fmt.Fprintln(w, "\nstrategies")
	for _, s := range strategy.All() {
		fmt.Fprintf(w, "  %s\t%s\n", s.Name, s.Summary)
	}
	return ExitPass, w.Flush()
}

// printScenarios describes scenarios in words.
func printScenarios(e *env) (int, error) {
	if len(e.args) == 0 {
		return 0, usagef("explain needs the name or the file of a scenario; %s list shows the built-in ones", program())
	}
	for i, name := range e.args {
		in, err := readScenario(name)
		if err != nil {
			return 0, err
		}
		if i > 0 {
			fmt.Fprintln(e.out)
		}
		fmt.Fprintln(e.out, strings.TrimRight(scenarios.Explain(in.Scenario), "\n"))
	}
	return ExitPass, nil
}

// printVersion shows what this program is and what it was built with.
func printVersion(e *env) (int, error) {
	fmt.Fprintf(e.out, "simrun %s (%s %s/%s)\n", modversion.Main(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	for _, m := range []struct{ name, path string }{
		{"go-redis", "github.com/redis/go-redis/v9"},
		{"miniredis", "github.com/alicebob/miniredis/v2"},
		{"toxiproxy", "github.com/Shopify/toxiproxy/v2"},
	} {
		fmt.Fprintf(e.out, "%-9s %s\n", m.name, modversion.Version(m.path))
	}
	return ExitPass, nil
}

// made says what writes the results, for the results.
func (e *env) made() *results.Made {
	return &results.Made{
		Simrun:  modversion.Main(),
		Command: program() + e.flags.arguments(func(flagDef) bool { return true }),
		Date:    e.began.UTC().Format(time.RFC3339),
	}
}
