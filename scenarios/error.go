package scenarios

import (
	"errors"
	"fmt"

	"github.com/goccy/go-yaml/token"

	"github.com/lockchaos/simrun/internal/text"
)

// The kinds of mistake in a scenario, for errors.Is.
var (
	// ErrSyntax: not YAML, or YAML that scenarios do not use.
	ErrSyntax = errors.New("syntax")
	// ErrUnknown: a word that is not valid in its place.
	ErrUnknown = errors.New("unknown word")
	// ErrDuplicate: a key that its mapping already has.
	ErrDuplicate = errors.New("duplicate key")
	// ErrMissing: something required is absent.
	ErrMissing = errors.New("missing")
	// ErrValue: a value of the wrong kind or out of bounds.
	ErrValue = errors.New("bad value")
	// ErrTooBig: the file is larger than [MaxSize] or too deeply nested.
	ErrTooBig = errors.New("too big")
	// ErrNoScenario: no built-in scenario and no file has that name.
	ErrNoScenario = errors.New("no such scenario")
)

// Error is a mistake in a scenario with its place. Line and Col count from 1,
// Col in characters.
type Error struct {
	File      string
	Line, Col int
	Msg       string // what is wrong
	Hint      string // what to do about it; may be empty
	Kind      error  // one of this package's errors
}

// Error is one line: "file:line:col: message; hint".
func (e *Error) Error() string {
	line := fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Col, e.Msg)
	if e.Hint != "" {
		line += "; " + e.Hint
	}
	return text.OneLine(line)
}

// Unwrap returns the kind of mistake.
func (e *Error) Unwrap() error { return e.Kind }

// shown quotes what the author wrote, cut to a readable length.
func shown(s string) string {
	const longest = 40
	if runes := []rune(s); len(runes) > longest {
		s = string(runes[:longest]) + "…"
	}
	return fmt.Sprintf("%q", s)
}

// place is a position in a file. Both count from 1, col in characters.
type place struct{ line, col int }

func placeOf(t *token.Token) place {
	if t == nil || t.Position == nil {
		return place{1, 1}
	}
	return place{max(t.Position.Line, 1), max(t.Position.Column, 1)}
}

// reader reads one scenario. Its methods return values alone: the first mistake
// ends the reading, since fail panics with an [*Error] that the function which
// made the reader recovers with catch.
type reader struct{ file string }

func (r *reader) fail(p place, kind error, msg, hint string) {
	panic(&Error{File: r.file, Line: p.line, Col: p.col, Msg: msg, Hint: hint, Kind: kind})
}

// catch, deferred, stores the error of a failed reader in err.
func catch(err *error) {
	switch e := recover().(type) {
	case nil:
	case *Error:
		*err = e
	default:
		panic(e)
	}
}
