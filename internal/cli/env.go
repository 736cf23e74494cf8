package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/lockchaos/simrun/internal/results"
	"github.com/lockchaos/simrun/scenarios"
)

// The exit codes, as in Jepsen.
const (
	ExitPass     = 0
	ExitFail     = 1
	ExitUnknown  = 2   // too little evidence, or interrupted
	ExitUsage    = 254 // bad arguments, a bad scenario or history file
	ExitInternal = 255 // a fault of simrun itself
)

// usageError is a mistake in the arguments.
type usageError struct{ text string }

func (e usageError) Error() string { return e.text }

func usagef(format string, args ...any) error { return usageError{fmt.Sprintf(format, args...)} }

// errInterrupted: the interrupt came before the first run.
var errInterrupted = errors.New("interrupted before anything ran")

func exitCode(err error) int {
	if errors.Is(err, errInterrupted) {
		return ExitUnknown
	}
	var usage usageError
	var scenario *scenarios.Error
	if errors.As(err, &usage) || errors.As(err, &scenario) || errors.Is(err, scenarios.ErrNoScenario) {
		return ExitUsage
	}
	return ExitInternal
}

// program is this program's name, for commands that its user may type.
func program() string { return strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe") }

func codeOf(v results.Verdict) int {
	switch v {
	case results.Pass:
		return ExitPass
	case results.Fail:
		return ExitFail
	default:
		return ExitUnknown
	}
}

// splitList splits a list at its commas.
func splitList(list string) []string {
	var out []string
	for _, w := range strings.Split(list, ",") {
		if w = strings.TrimSpace(w); w != "" {
			out = append(out, w)
		}
	}
	return out
}
