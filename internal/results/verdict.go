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
