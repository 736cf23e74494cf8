package cli

import (
	"fmt"
	"strings"

	"github.com/lockchaos/simrun/scenarios"
)

// explain tells scenarios in words.
func explain(e *env) (int, error) {
	if len(e.args) == 0 {
		return 0, usagef("explain needs the name or the file of a scenario; %s list shows the built-in ones", program())
	}
	for i, name := range e.args {
		in, err := input(name)
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
