package worker

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// Command is a program that serves as a worker. It must not leave the process
// group it is started in.
type Command struct {
	Path string // as exec.Command takes it
	Args []string
	Env  []string // added to this program's own
}

// Self is this program, started again with [Verb]. One thread for Go code is
// enough for a lock, and leaves the cores to the others.
func Self() (Command, error) {
	exe, err := os.Executable()
	if err != nil {
		return Command{}, fmt.Errorf("%w: finding this program: %w", ErrCommand, err)
	}
	return Command{Path: exe, Args: []string{Verb}, Env: []string{"GOMAXPROCS=1", "GOTRACEBACK=single"}}, nil
}

// IsSelf reports whether the command is [Self].
func (c Command) IsSelf() bool { return len(c.Args) == 1 && c.Args[0] == Verb }

// String is the command as one would type it, but for quotes.
func (c Command) String() string { return strings.Join(append([]string{c.Path}, c.Args...), " ") }

// Check reports whether there is such a program, and whether the system can run
// it: it is started, and killed before it has done much. It fails with
// [ErrCommand] or [ErrUnsupported].
func (c Command) Check() error {
	if _, err := exec.LookPath(c.Path); err != nil {
		return fmt.Errorf("%w: %w; name a program, in $PATH or by its path", ErrCommand, err)
	}
	trial := exec.Command(c.Path, c.Args...)
	if err := ownGroup(trial); err != nil {
		return err
	}
	if err := trial.Start(); err != nil {
		return fmt.Errorf("%w: %w; name a program, or a script whose first line is #! and its interpreter", ErrCommand, err)
	}
	_ = signalGroup(trial.Process.Pid, sigKill)
	_ = trial.Wait() // it was killed
	return nil
}

// ParseCommand reads a command line: words, apart by spaces, with quotes and
// backslashes as a shell reads them. Nothing else of a shell is understood, so
// that the program is the process that is paused, and not a shell around it.
func ParseCommand(line string) (Command, error) {
	var words []string
	var word strings.Builder
	within, quote, escaped := false, rune(0), false
	for _, r := range line {
		switch {
		case escaped:
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'':
			within, escaped = true, true
		case r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			within, quote = true, r
		case r == ' ' || r == '\t' || r == '\n':
			if within {
				words = append(words, word.String())
				word.Reset()
			}
			within = false
		default:
			within = true
			word.WriteRune(r)
		}
	}
	if quote != 0 || escaped {
		return Command{}, fmt.Errorf("%w: %q ends inside a quote", ErrCommand, line)
	}
	if within {
		words = append(words, word.String())
	}
	if len(words) == 0 || words[0] == "" {
		return Command{}, fmt.Errorf("%w: %q names no program", ErrCommand, line)
	}
	return Command{Path: words[0], Args: words[1:]}, nil
}
