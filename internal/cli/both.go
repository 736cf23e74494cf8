package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/lockchaos/simrun/internal/live"
	"github.com/lockchaos/simrun/internal/results"
	"github.com/lockchaos/simrun/internal/runner"
	"github.com/lockchaos/simrun/reports"
	"github.com/lockchaos/simrun/scenarios"
)

// againSeeds is how many more live seeds a cell gets that does not agree: one
// run of a machine that nobody seeds is little to go by.
const againSeeds = 9

// enoughAgree is the part of the cells that must agree: of two worlds that differ
// more than that, neither is evidence.
const enoughAgree = 0.95

// runBoth runs the plan in virtual time and one seed of it live, and tells where
// they agree. Its verdict is the worst of all, and unknown at best where too many
// cells do not agree.
func runBoth(ctx context.Context, e *env, p runner.Plan, o runner.Options, session *live.Session, dir outDir) (int, error) {
	side := func(folder string, p runner.Plan, o runner.Options) (results.Results, error) {
		path := filepath.Join(dir.path, folder)
		if err := os.MkdirAll(path, 0o777); err != nil {
			return results.Results{}, err
		}
		return runInto(ctx, e, p, o, path)
	}
	if err := forget(dir.path); err != nil {
		return 0, err
	}
	fmt.Fprint(e.out, "In virtual time:\n\n")
	virtual, err := side(virtualFolder, p, o)
	if err != nil {
		return 0, err
	}
	if ctx.Err() != nil { // what is done is there; nothing was compared
		return codeOf(virtual.Verdict), dir.link()
	}
	planLive(e.flags, &p, &o, session)
	fmt.Fprint(e.out, "\nLive:\n\n")
	real, err := side(liveFolder, p, o)
	if err != nil {
		return 0, err
	}
	verdict := virtual.Verdict.Worse(real.Verdict)
	from := []reports.Report{{Name: "virtual report", Folder: virtualFolder}, {Name: "live report", Folder: liveFolder}}
	a := results.Agree(virtual, results.Side{Folder: liveFolder, Results: real})
	if again := doubtful(p, a); len(again.Scenarios) > 0 && ctx.Err() == nil {
		fmt.Fprintf(e.out, "\nNot all cells agree beyond doubt. The others are run with %d more seeds.\n\n", againSeeds)
		more, err := side(againFolder, again, o)
		if err != nil {
			return 0, err
		}
		verdict = verdict.Worse(more.Verdict)
		from = append(from, reports.Report{Name: "live report of more seeds", Folder: againFolder})
		a = results.Agree(virtual, results.Side{Folder: liveFolder, Results: real}, results.Side{Folder: againFolder, Results: more})
	}
	if err := concludeBoth(e, dir, a, from); err != nil {
		return 0, err
	}
	if a.Share() < enoughAgree {
		verdict = verdict.Worse(results.Unknown)
	}
	return codeOf(verdict), nil
}

// forget removes what an earlier run into the folder has told of both worlds: it
// would seem to be of this one until this one is through.
func forget(dir string) error {
	for _, name := range []string{reports.AgreementFile, reports.AgreementPage} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	for _, folder := range []string{liveFolder, againFolder} {
		for _, name := range []string{reports.ResultsFile, reports.ReportFile} {
			if err := os.Remove(filepath.Join(dir, folder, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
				return err
			}
		}
	}
	return nil
}

// doubtful is the plan that runs more seeds of the cells that do not agree, or only
// just.
func doubtful(p runner.Plan, a results.Agreement) runner.Plan {
	all, chosen := p.Scenarios, p.Strategies
	p.First, p.Count = p.First+uint64(p.Count), againSeeds
	p.Strategies = func(s *scenarios.Scenario) []string {
		return slices.DeleteFunc(slices.Clone(chosen(s)), func(strategy string) bool { return !a.Doubtful(s.Name, strategy) })
	}
	p.Scenarios = nil
	for _, in := range all {
		if len(p.Strategies(in.Scenario)) > 0 {
			p.Scenarios = append(p.Scenarios, in)
		}
	}
	return p
}

// concludeBoth writes and prints where the two worlds agree.
func concludeBoth(e *env, dir outDir, a results.Agreement, from []reports.Report) error {
	file, page, err := reports.WriteAgreement(dir.path, a, from...)
	if err != nil {
		return err
	}
	if err := dir.link(); err != nil {
		fmt.Fprintf(e.err, "simrun: no link to the latest results: %v\n", err)
	}
	fmt.Fprintln(e.out)
	if err := reports.Agreement(e.out, dir.path, a); err != nil {
		return err
	}
	_, err = io.WriteString(e.out, "page       "+page+"\nagreement  "+file+"\n")
	return err
}
