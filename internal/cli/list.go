package cli

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/lockchaos/simrun/internal/strategy"
	"github.com/lockchaos/simrun/scenarios"
)

// printList prints what can be run.
func printList(e *env) (int, error) {
	if len(e.args) > 0 {
		return 0, usagef("list takes no argument, and got %q", e.args[0])
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
