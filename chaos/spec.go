package chaos

import (
	"errors"
	"time"
)

// ErrUnsupported: this world cannot do that fault.
var ErrUnsupported = errors.New("fault not supported by this world")

// Kind of a parameter's value.
type ParamKind uint8

// The kinds of parameter.
const (
	Duration   ParamKind = iota // a Go duration with its unit; may be negative where Signed
	Number                      // a floating-point number
	Word                        // one of OneOf
	Attributes                  // a mapping of names to whole numbers
)

// Param describes one parameter of a fault, beyond those that every fault
// shares (client, at, on, after, nth, every, for).
type Param struct {
	Name     string
	Kind     ParamKind
	Required bool
	Signed   bool     // a Duration that may be negative
	OneOf    []string // for a Word
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
	Params []Param
	// New makes the fault. It fails where parameters contradict each other.
	New func(Args) (Fault, error)
	// Text tells the fault in a few words, as "stops the whole process".
	Text func(Args) string
}
