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

	"github.com/lockchaos/simrun/internal/results"
	"github.com/lockchaos/simrun/internal/runner"
	"github.com/lockchaos/simrun/reports"
)

// runInto runs a plan, writes its reports into a folder and prints them. Where
// live runs could not go on, it does so with those that were done.
func runInto(ctx context.Context, e *env, p runner.Plan, o runner.Options, dir string) (results.Results, error) {
	o.Dir = dir
	r, broken := runner.Run(ctx, p, o)
	if broken != nil && len(r.Scenarios) == 0 {
		return r, broken
	}
	files, err := reports.Write(dir, r)
	if err != nil {
		return r, errors.Join(broken, err)
	}
	t := terminalOf(e)
	t.Dir = dir
	if err := reports.Terminal(e.out, r, t); err != nil {
		return r, err
	}
	charts, traces := 0, 0
	for _, f := range files {
		switch {
		case filepath.Ext(f) == ".png":
			charts++
		case strings.HasSuffix(f, "trace.json"):
			traces++
		}
	}
	if charts > 0 {
		fmt.Fprintf(e.out, "and      %s, charts (%d), traces (%d)\n", reports.JUnitFile, charts, traces)
	}
	if broken != nil {
		return r, broken
	}
	if e.flags.verbose || e.flags.given("seed") {
		return r, narrateFirst(e.out, dir, r)
	}
	return r, nil
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

// interrupts are the signals that end a run early. The hangup of a terminal is one,
// unless whoever started simrun had it ignored, as nohup does.
func interrupts() []os.Signal {
	all := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		all = append(all, syscall.SIGHUP)
	}
	return all
}
