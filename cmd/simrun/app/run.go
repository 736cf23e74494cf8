package app

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/term"

	"github.com/lockchaos/simrun/reports"
	"github.com/lockchaos/simrun/sim/runner"
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
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// A second Ctrl-C ends the process at once, whatever it is doing.
	context.AfterFunc(ctx, stop)
	if e.flags.mode == modeLive {
		lab, err := openLab(ctx, e, &o)
		if err != nil {
			return 0, err
		}
		defer lab.Close()
	}
	dir, err := openDir(e.flags.out, e.flags.scenario)
	if err != nil {
		return 0, err
	}
	o.Dir = dir.path
	r, err := runner.Run(ctx, p, o)
	stop()
	if err != nil {
		return 0, err
	}
	files, err := reports.WriteAll(dir.path, r)
	if err != nil {
		return 0, err
	}
	if err := dir.link(); err != nil {
		fmt.Fprintf(e.err, "simrun: no link to the latest results: %v\n", err)
	}
	t := terminalOf(e)
	t.Dir = dir.path
	if err := reports.Terminal(e.out, r, t); err != nil {
		return 0, err
	}
	if n := len(files.Charts); n > 0 {
		fmt.Fprintf(e.out, "and      %s, %d charts, %d traces\n", filepath.Base(files.JUnit), n, len(files.Traces))
	}
	if e.flags.verbose || p.Replay {
		if err := tellFirst(e.out, dir.path, r); err != nil {
			return 0, err
		}
	}
	return codeOf(r.Verdict), nil
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
	if f.mode == modeLive {
		planLive(f, &p, &o)
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
