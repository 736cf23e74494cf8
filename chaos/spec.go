package chaos

import (
	"errors"
	"fmt"
	"time"
)

// ErrUnsupported: this world cannot do what the fault asks for.
var ErrUnsupported = errors.New("fault not supported by this world")

// ParamKind is the kind of a parameter's value.
type ParamKind uint8

// The kinds of parameter.
const (
	KindDuration   ParamKind = iota // a Go duration with its unit; may be negative where Signed
	KindNumber                      // a floating-point number
	KindWord                        // one of OneOf
	KindAttributes                  // a mapping of names to whole numbers
)

// Param describes one of a fault's own parameters, beside those that every fault
// has (client, at, on, after, nth, every, for).
type Param struct {
	Name     string
	Kind     ParamKind
	Required bool
	Signed   bool     // a KindDuration that may be negative
	OneOf    []string // for a KindWord
	Doc      string   // one line
}

// Args holds the values of a fault's parameters, which the reader has checked
// against its Params: a duration is above 0 unless its parameter is Signed. Absent
// optional parameters are zero.
type Args struct {
	Durations  map[string]time.Duration
	Numbers    map[string]float64
	Words      map[string]string
	Attributes map[string]int64
}

// Spec is a fault's entry in the vocabulary.
type Spec struct {
	Name   string // as users type it
	Doc    string // one line
	Target bool   // it hits a client, not the server
	Lasts  bool   // it takes `for`
	// NeedsToxics: it calls World.AddToxic. The virtual world then puts Toxiproxy's
	// links into every connection; without, AddToxic fails.
	NeedsToxics bool
	// StopsProcess: while it lasts, its victim's process does not run, so that no
	// deadline of its own can be held against it.
	StopsProcess bool
	Params       []Param
	// New makes the fault. It fails with a [*ParamError] where a parameter is
	// missing, out of bounds or at odds with another.
	New func(Args) (Fault, error)
	// Text describes the fault in a few words, in which {client} stands for whom
	// it hits: "stops the whole process of {client}".
	Text func(Args) string
}

// ParamError is a value of a parameter that a fault rejects.
type ParamError struct {
	Param string   // the parameter's name
	Key   string   // the name within it, for Attributes; empty if it is the whole
	Got   string   // the unknown word, if Valid is set
	Valid []string // the valid words, if the error is about a word
	Msg   string   // what is wrong
}

// Error is "parameter: message", or "parameter.key: message".
func (e *ParamError) Error() string {
	name := e.Param
	if e.Key != "" {
		name += "." + e.Key
	}
	return fmt.Sprintf("%s: %s", name, e.Msg)
}

// positive rejects a duration that is zero or negative.
func positive(name string, d time.Duration) error {
	if d <= 0 {
		return &ParamError{Param: name, Msg: "must be above 0s"}
	}
	return nil
}
