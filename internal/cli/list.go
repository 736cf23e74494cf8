package cli

import (
	"fmt"
	"text/tabwriter"

	"github.com/lockchaos/simrun/internal/strategy"
	"github.com/lockchaos/simrun/scenarios"
)

// list shows what can be run.
func list(e *env) (int, error) {
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
