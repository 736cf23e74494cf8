package cli

import (
	"os"
	"slices"
	"strings"

	"golang.org/x/term"

	"github.com/lockchaos/simrun/internal/runner"
	"github.com/lockchaos/simrun/internal/strategy"
	"github.com/lockchaos/simrun/internal/text"
	"github.com/lockchaos/simrun/scenarios"
)

// readScenarios reads the scenarios of a list; "all" stands for every built-in one.
func readScenarios(list string) ([]runner.Input, error) {
	var names []string
	for _, w := range splitList(list) {
		if w == "all" {
			names = append(names, scenarios.Names()...)
		} else {
			names = append(names, w)
		}
	}
	if len(names) == 0 {
		return nil, usagef("-scenario names no scenario; %s list shows the built-in ones", program())
	}
	var out []runner.Input
	for _, name := range names {
		in, err := readScenario(name)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(out, func(other runner.Input) bool { return other.Scenario.Name == in.Scenario.Name }) {
			return nil, usagef("-scenario gives two scenarios the name %q", in.Scenario.Name)
		}
		out = append(out, in)
	}
	return out, nil
}

// splitList splits a list at its commas.
func splitList(list string) []string {
	words := strings.Split(list, ",")
	for i, w := range words {
		words[i] = strings.TrimSpace(w)
	}
	return slices.DeleteFunc(words, func(w string) bool { return w == "" })
}

// readScenario reads one scenario, with its source where that is a file: the children
// read those same bytes, even if the file changes or was a pipe.
func readScenario(name string) (in runner.Input, err error) {
	if in.Scenario, in.Source, err = scenarios.Read(name); err == nil {
		err = in.Scenario.CheckStrategies(strategyNames())
	}
	if err != nil {
		err = usageError{err}
	}
	return in, err
}

// checkLike rejects a strategy that is Like an unknown one.
func checkLike() error {
	for _, st := range strategy.All() {
		if _, known := strategy.Lookup(st.Like); st.Like != "" && !known {
			return usagef("strategy %s is Like %q, which is unknown; %s", st.Name, st.Like, text.Suggest(st.Like, strategyNames()))
		}
	}
	return nil
}

func strategyNames() []string {
	var out []string
	for _, s := range strategy.All() {
		out = append(out, s.Name)
	}
	return out
}

// chooseStrategies returns the strategies that a scenario runs under: those of the
// list; by default, those that it has expectations about, and those that no built-in
// scenario knows, since a program registers its own lock in order to run it.
func chooseStrategies(list string) (func(*scenarios.Scenario) []string, error) {
	var only []string
	for _, name := range splitList(list) {
		if _, ok := strategy.Lookup(name); !ok {
			return nil, usagef("unknown strategy %q; %s", name, text.Suggest(name, strategyNames()))
		}
		if !slices.Contains(only, name) {
			only = append(only, name)
		}
	}
	if len(only) > 0 {
		return func(*scenarios.Scenario) []string { return only }, nil
	}
	if list != "" {
		return nil, usagef("-strategy names no strategy; use some of %s", strings.Join(strategyNames(), ", "))
	}
	known := make(map[string]bool)
	for _, s := range scenarios.Builtin() {
		for name := range s.Expect {
			known[name] = true
		}
	}
	return func(s *scenarios.Scenario) []string {
		var out []string
		for _, name := range strategyNames() {
			if _, expected := s.Expect[name]; expected || len(s.Expect) == 0 || !known[name] {
				out = append(out, name)
			}
		}
		return out
	}, nil
}

// newPlan reads from the flags what to run.
func newPlan(e *env) (runner.Plan, runner.Options, error) {
	f := e.flags
	o := base
	o.Procs, o.Program, o.Progress = f.procs, program(), newProgress(e)
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
	var err error
	if p.Strategies, err = chooseStrategies(f.strategy); err == nil {
		p.Scenarios, err = readScenarios(f.scenario)
	}
	return p, o, err
}

// newProgress shows progress on standard error, as a bar if that is a terminal.
func newProgress(e *env) func(runner.Progress) {
	if e.flags.quiet {
		return nil
	}
	if f, ok := e.err.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return runner.Bar(f)
	}
	return runner.Lines(e.err)
}

// base holds the options that no flag sets.
var base runner.Options
