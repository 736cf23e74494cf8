package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/term"

	"github.com/lockchaos/simrun/internal/live"
	"github.com/lockchaos/simrun/internal/results"
	"github.com/lockchaos/simrun/internal/runner"
	"github.com/lockchaos/simrun/reports"
)

var runFlags = append([]string{"scenario", "strategy", "out", "seeds", "seed", "procs", "v", "q", "mode"}, liveFlags...)

// base holds the options that no flag sets.
var base runner.Options

// run runs seeds of scenarios under strategies and reports what happened.
func run(e *env) (int, error) {
	p, o, err := plan(e)
	if err != nil {
		return 0, err
	}
	ctx, stop := signal.NotifyContext(context.Background(), interrupts()...)
	defer stop()
	// A second Ctrl-C ends the process at once, whatever it is doing.
	context.AfterFunc(ctx, stop)
	var lab *live.Lab
	if e.flags.mode != modeSim {
		if err := checkScale(e.flags, p); err != nil {
			return 0, err
		}
		if lab, err = openLab(ctx, e.flags); err != nil && ctx.Err() != nil {
			return 0, errInterrupted
		} else if err != nil {
			return 0, err
		}
		defer lab.Close()
	}
	dir, err := openDir(e.flags.out, e.flags.scenario, written(p, e.flags.mode))
	if err != nil {
		return 0, err
	}
	if e.flags.mode == modeBoth {
		return runBoth(ctx, e, p, o, lab, dir)
	}
	if lab != nil {
		planLive(e.flags, &p, &o, lab)
	}
	r, err := runInto(ctx, e, p, o, dir.path)
	if err != nil {
		return 0, err
	}
	if err := dir.link(); err != nil {
		fmt.Fprintf(e.err, "simrun: no link to the latest results: %v\n", err)
	}
	return codeOf(r.Verdict), nil
}

// interrupts are the signals that end a run early. The hangup of a terminal is one,
// unless whoever started simrun had it ignored, as nohup does.
func interrupts() []os.Signal {
	all := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		all = append(all, syscall.SIGHUP)
	}
	return all
}

// runInto runs a plan, writes its reports into a folder and prints them. Where
// live runs could not go on, it does so with those that were done.
func runInto(ctx context.Context, e *env, p runner.Plan, o runner.Options, dir string) (results.Results, error) {
	o.Dir = dir
	r, broken := runner.Run(ctx, p, o)
	if broken != nil && len(r.Scenarios) == 0 {
		return r, broken
	}
	files, err := reports.WriteAll(dir, r)
	if err != nil {
		return r, errors.Join(broken, err)
	}
	t := terminalOf(e)
	t.Dir = dir
	if err := reports.Terminal(e.out, r, t); err != nil {
		return r, err
	}
	if n := len(files.Charts); n > 0 {
		fmt.Fprintf(e.out, "and      %s, %s, %s\n", filepath.Base(files.JUnit), count(n, "chart"), count(len(files.Traces), "trace"))
	}
	if broken != nil {
		return r, broken
	}
	if e.flags.verbose || e.flags.given("seed") {
		return r, tellFirst(e.out, dir, r)
	}
	return r, nil
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// plan reads what is to be run.
func plan(e *env) (runner.Plan, runner.Options, error) {
	f := e.flags
	o := base
	o.Procs, o.Program, o.Progress = f.procs, program(), progress(e)
	p := runner.Plan{First: 1, Count: f.seeds}
	if len(e.args) > 0 {
		return p, o, usagef("unexpected %q; see %s help", e.args[0], program())
	}
	if f.given("seed") {
		p.First, p.Count, p.Replay = f.seed, 1, true
	}
	if f.scenario == "" {
		return p, o, usagef("-scenario is missing; %s list shows the built-in ones", program())
	}
	if err := checkLike(); err != nil {
		return p, o, err
	}
	only, err := strategies(f.strategy)
	if err != nil {
		return p, o, err
	}
	if p.Scenarios, err = inputs(f.scenario); err != nil {
		return p, o, err
	}
	p.Strategies = choose(only)
	return p, o, nil
}

func terminalOf(e *env) reports.TerminalOptions {
	if f, ok := e.out.(*os.File); ok {
		return reports.TerminalFor(f)
	}
	return reports.TerminalOptions{}
}

func progress(e *env) runner.Progress {
	if e.flags.quiet {
		return nil
	}
	if f, ok := e.err.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return &runner.Bar{W: f}
	}
	return &runner.Lines{W: e.err}
}

// words splits a list at its commas.
func words(list string) []string {
	var out []string
	for _, w := range strings.Split(list, ",") {
		if w = strings.TrimSpace(w); w != "" {
			out = append(out, w)
		}
	}
	return out
}
