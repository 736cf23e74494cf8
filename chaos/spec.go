package chaos

import (
	"errors"
	"fmt"
	"time"
)

// ErrUnsupported: this world cannot do that fault.
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

// Param describes one parameter of a fault, beyond those that every fault
// shares (client, at, on, after, nth, every, for).
type Param struct {
	Name     string
	Kind     ParamKind
	Required bool
	Signed   bool     // a KindDuration that may be negative
	OneOf    []string // for a KindWord
	Doc      string   // one line
}

// Args holds a fault's parameters, checked by the reader against its Params.
// Absent optional parameters are zero.
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
	Target bool   // it hits a client (else the server)
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
	// Text tells the fault in a few words, in which {client} stands for whom it
	// hits: "stops the whole process of {client}".
	Text func(Args) string
}

// ParamError is a parameter that a fault refuses.
type ParamError struct {
	Param string   // the parameter's name
	Key   string   // the name within it, for Attributes; empty if it is the whole
	Got   string   // the unknown word, where Valid says what it could have been
	Valid []string // the words that are allowed, if the error is about a word
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

// positive refuses a duration that is zero or negative.
func positive(name string, d time.Duration) error {
	if d <= 0 {
		return &ParamError{Param: name, Msg: "must be above 0s"}
	}
	return nil
}
