package results

import (
	"fmt"
	"slices"
)

// Verdict is pass, fail or unknown. The zero value is unknown: a missing verdict
// must never read as a pass.
type Verdict uint8

// The verdicts. [Verdict.Worse] ranks them pass < unknown < fail.
const (
	Unknown Verdict = iota
	Pass
	Fail
)

var words = []string{Unknown: "unknown", Pass: "pass", Fail: "fail"}

// String returns "pass", "fail" or "unknown".
func (v Verdict) String() string { return words[v] }

// MarshalText writes the verdict's word.
func (v Verdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads a verdict's word.
func (v *Verdict) UnmarshalText(b []byte) error {
	i := slices.Index(words, string(b))
	if i < 0 {
		return fmt.Errorf("verdict %q: want pass, fail or unknown", b)
	}
	*v = Verdict(i)
	return nil
}

// Worse returns the verdict of a whole whose parts have the verdicts v and w.
func (v Verdict) Worse(w Verdict) Verdict {
	switch {
	case v == Fail || w == Fail:
		return Fail
	case v == Unknown || w == Unknown:
		return Unknown
	default:
		return Pass
	}
}

// Guarantee says whether a lock kept what a lock promises, whatever was expected
// of it.
type Guarantee string

// The guarantees. Broken: a property was breached in some run, or the lock
// misbehaved as a program. Unclear: neither, but some run was too little evidence.
const (
	Holds   Guarantee = "holds"
	Broken  Guarantee = "broken"
	Unclear Guarantee = "unknown"
)

// Expectation says whether a cell is as the scenario expects.
type Expectation string

// The expectations. NotAsked: nothing is expected, or there is too little evidence
// to judge it.
const (
	AsExpected Expectation = "as-expected"
	Changed    Expectation = "changed"
	NotAsked   Expectation = "not-asked"
)

// Why no rung of the ladder avoids a harm.
const (
	InherentInLeases  = "inherent to leases: only the fence prevents the harm"
	InherentButFenced = "inherent to leases: the fence keeps it from doing harm" // said of a lock that gives fences
	NoLockHolds       = "no lock on this Redis holds"
)
