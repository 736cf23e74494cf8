package worker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/kballard/go-shellquote"

	"github.com/lockchaos/simrun/internal/proc"
)

// ErrCommand: the worker's command line cannot be run.
var ErrCommand = errors.New("worker cannot be started")

// Verb is the argument that makes a program with registered strategies serve as
// a worker.
const Verb = "__simrun-worker"

// Is reports whether this process was started as a worker.
func Is() bool { return len(os.Args) == 2 && os.Args[1] == Verb }

// Command is a program that serves as a worker. It must stay in the process
// group it is started in.
type Command struct {
	Path string // as exec.Command takes it
	Args []string
	Env  []string // added to this program's environment
}

// Self is this program, started again with [Verb]. One thread for Go code is
// enough for a lock, and leaves the cores to the other clients.
func Self() (Command, error) {
	exe, err := os.Executable()
	if err != nil {
		return Command{}, fmt.Errorf("%w: finding this program: %w", ErrCommand, err)
	}
	return Command{Path: exe, Args: []string{Verb}, Env: []string{"GOMAXPROCS=1", "GOTRACEBACK=single"}}, nil
}

// IsSelf reports whether the command is [Self].
func (c Command) IsSelf() bool { return len(c.Args) == 1 && c.Args[0] == Verb }

// String is the command line without quotes.
func (c Command) String() string { return strings.Join(append([]string{c.Path}, c.Args...), " ") }

// Check reports whether the program exists and the system can run it: it is
// started, and killed before it has done much. It fails with [ErrCommand] or
// [proc.ErrUnsupported].
func (c Command) Check() error {
	if _, err := exec.LookPath(c.Path); err != nil {
		return fmt.Errorf("%w: %w; name a program, in $PATH or by its path", ErrCommand, err)
	}
	trial, err := c.launch(context.Background(), proc.Options{})
	if err != nil {
		return err
	}
	_, _ = trial.Kill() // an error is that it has ended by itself
	return nil
}

func (c Command) launch(ctx context.Context, o proc.Options) (*proc.Child, error) {
	cmd := exec.Command(c.Path, c.Args...)
	cmd.Env = append(os.Environ(), c.Env...)
	child, err := proc.Start(ctx, cmd, o)
	if err != nil && !errors.Is(err, proc.ErrUnsupported) {
		err = fmt.Errorf("%w: %w; name a program, or a script whose first line is #! and its interpreter", ErrCommand, err)
	}
	return child, err
}

// ParseCommand splits a command line into words, with quotes and backslashes as
// in a shell. Nothing else of a shell is understood, so that the paused process
// is the program itself rather than a shell around it.
func ParseCommand(line string) (Command, error) {
	words, err := shellquote.Split(line)
	if err != nil {
		return Command{}, fmt.Errorf("%w: %q ends inside a quote", ErrCommand, line)
	}
	if len(words) == 0 || words[0] == "" {
		return Command{}, fmt.Errorf("%w: %q names no program", ErrCommand, line)
	}
	return Command{Path: words[0], Args: words[1:]}, nil
}
