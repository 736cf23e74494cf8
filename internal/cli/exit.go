package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/lockchaos/simrun/internal/results"
)

// The exit codes, as in Jepsen.
const (
	ExitPass     = 0
	ExitFail     = 1
	ExitUnknown  = 2   // too little evidence, or interrupted
	ExitUsage    = 254 // bad arguments, a bad scenario or history file
	ExitInternal = 255 // a bug in simrun itself
)

// usageError is a mistake in the arguments, or in a file that they name.
type usageError struct{ error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// errInterrupted: the interrupt came before the first run.
var errInterrupted = errors.New("interrupted before anything ran")

func exitCode(err error) int {
	if errors.Is(err, errInterrupted) {
		return ExitUnknown
	}
	if _, ok := errors.AsType[usageError](err); ok {
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
