package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/lockchaos/simrun/internal/live"
	"github.com/lockchaos/simrun/internal/results"
	"github.com/lockchaos/simrun/internal/runner"
	"github.com/lockchaos/simrun/reports"
	"github.com/lockchaos/simrun/scenarios"
)

// runSeeds runs seeds of scenarios under strategies and reports what happened.
func runSeeds(e *env) (int, error) {
	p, o, err := newPlan(e)
	if err != nil {
		return 0, err
	}
	var before results.Results
	if e.flags.given("baseline") {
		if before, err = readResults(e.flags.baseline); err != nil {
			return 0, usagef("-baseline: %w", err)
		}
	}
	ctx, stop := signal.NotifyContext(context.Background(), interrupts()...)
	defer stop()
	// A second Ctrl-C ends the process at once, whatever it is doing.
	context.AfterFunc(ctx, stop)
	var session *live.Session
	if e.flags.mode != modeSim {
		if err := checkScale(e.flags, p); err != nil {
			return 0, err
		}
		if session, err = openSession(ctx, e.flags); err != nil && ctx.Err() != nil {
			return 0, errInterrupted
		} else if err != nil {
			return 0, err
		}
		defer func() { _ = session.Close() }()
	}
	dir, err := openDir(e.flags.out, e.flags.scenario, written(p, e.flags.mode))
	if err != nil {
		return 0, err
	}
	if e.flags.mode == modeBoth {
		return runBoth(ctx, e, p, o, session, dir)
	}
	if session != nil {
		planLive(e.flags, &p, &o, session)
	}
	r, err := runInto(ctx, e, p, o, dir.path)
	if err != nil {
		return 0, err
	}
	dir.linkOrWarn(e.err)
	if e.flags.given("baseline") {
		d := results.Compare(before, r)
		return codeOf(d.Verdict()), reports.TerminalDiff(e.out, e.flags.baseline, d, reports.TerminalFor(e.out))
	}
	return codeOf(r.Verdict), nil
}

// runInto runs a plan, writes its reports into a folder and prints them. If live
// runs cannot go on, it does so for those that were done, and returns the error.
func runInto(ctx context.Context, e *env, p runner.Plan, o runner.Options, dir string) (results.Results, error) {
	o.Dir = dir
	r, broken := runner.Run(ctx, p, o)
	if broken != nil && len(r.Scenarios) == 0 {
		return r, broken
	}
	r.Made = e.made()
	files, err := reports.Write(dir, r)
	if err != nil {
		return r, errors.Join(broken, err)
	}
	if err := show(e, dir, r, files); err != nil {
		return r, err
	}
	if broken == nil && (e.flags.verbose || e.flags.given("seed")) {
		return r, narrateFirst(e.out, dir, r)
	}
	return r, broken
}

// show prints results, and what was written into their folder.
func show(e *env, dir string, r results.Results, files []string) error {
	t := reports.TerminalFor(e.out)
	t.Dir = dir
	if err := reports.Terminal(e.out, r, t); err != nil {
		return err
	}
	count := func(ending string) (n int) {
		for _, f := range files {
			if strings.HasSuffix(f, ending) {
				n++
			}
		}
		return n
	}
	if charts := count(".png"); charts > 0 {
		fmt.Fprintf(e.out, "and      %s, charts (%d), traces (%d)\n", reports.JUnitFile, charts, count("trace.json"))
	}
	return nil
}

// interrupts are the signals that end a run early. The hangup of a terminal is one,
// unless simrun was started with it ignored, as nohup does.
func interrupts() []os.Signal {
	all := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		all = append(all, syscall.SIGHUP)
	}
	return all
}

// againSeeds is how many more live seeds run for a cell that does not agree: a single
// unseeded run is little evidence.
const againSeeds = 9

// enoughAgree is the share of cells that must agree: if the two worlds differ more
// than that, neither is evidence.
const enoughAgree = 0.95

// runBoth runs the plan in virtual time and one seed of it live, and reports
// where they agree. Its verdict is the worst of all, and unknown at best where too many
// cells do not agree.
func runBoth(ctx context.Context, e *env, p runner.Plan, o runner.Options, session *live.Session, dir outDir) (int, error) {
	verdict := results.Pass
	var sides []results.Side
	run := func(folder string, p runner.Plan) error {
		r, err := runInto(ctx, e, p, o, filepath.Join(dir.path, folder))
		sides, verdict = append(sides, results.Side{Folder: folder, Results: r}), verdict.Worse(r.Verdict)
		return err
	}
	if err := removeOld(dir.path); err != nil {
		return 0, err
	}
	fmt.Fprint(e.out, "In virtual time:\n\n")
	if err := run(virtualFolder, p); err != nil {
		return 0, err
	}
	if ctx.Err() != nil { // what was done is written; nothing was compared
		dir.linkOrWarn(e.err)
		return codeOf(verdict), nil
	}
	planLive(e.flags, &p, &o, session)
	fmt.Fprint(e.out, "\nLive:\n\n")
	if err := run(liveFolder, p); err != nil {
		return 0, err
	}
	a := results.Agree(sides[0].Results, sides[1:]...)
	if again := doubtful(p, a); len(again.Scenarios) > 0 && ctx.Err() == nil {
		fmt.Fprintf(e.out, "\nSome cells disagree, or only just agree: running %d more live seeds of those.\n\n", againSeeds)
		if err := run(againFolder, again); err != nil {
			return 0, err
		}
		a = results.Agree(sides[0].Results, sides[1:]...)
	}
	a.Made = e.made()
	var folders []string
	for _, s := range sides {
		folders = append(folders, s.Folder)
	}
	dir.linkOrWarn(e.err)
	fmt.Fprintln(e.out)
	if err := concludeBoth(e, dir.path, a, folders); err != nil {
		return 0, err
	}
	if a.Share() < enoughAgree {
		verdict = verdict.Worse(results.Unknown)
	}
	return codeOf(verdict), nil
}

// removeOld removes the conclusions of an earlier run into the folder: until this
// run is through, they would look like its own.
func removeOld(dir string) error {
	names := []string{reports.AgreementFile, reports.AgreementPage}
	for _, folder := range []string{liveFolder, againFolder} {
		names = append(names, filepath.Join(folder, reports.ResultsFile), filepath.Join(folder, reports.ReportFile))
	}
	for _, name := range names {
		if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

// doubtful returns the plan that runs more seeds of the cells that do not agree, or
// only just.
func doubtful(p runner.Plan, a results.Agreement) runner.Plan {
	chosen := p.Strategies
	p.First, p.Count = p.First+uint64(p.Count), againSeeds
	p.Strategies = func(s *scenarios.Scenario) []string {
		return slices.DeleteFunc(slices.Clone(chosen(s)), func(strategy string) bool { return !a.Doubtful(s.Name, strategy) })
	}
	p.Scenarios = slices.DeleteFunc(slices.Clone(p.Scenarios), func(in runner.Input) bool { return len(p.Strategies(in.Scenario)) == 0 })
	return p
}

// concludeBoth writes and prints where the two worlds agree.
func concludeBoth(e *env, dir string, a results.Agreement, folders []string) error {
	if err := reports.WriteAgreement(dir, a, folders...); err != nil {
		return err
	}
	if err := reports.TerminalAgreement(e.out, dir, a); err != nil {
		return err
	}
	_, err := fmt.Fprintf(e.out, "page       %s\nagreement  %s\n",
		filepath.Join(dir, reports.AgreementPage), filepath.Join(dir, reports.AgreementFile))
	return err
}
