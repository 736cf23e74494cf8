package results

import "fmt"

// Verdict is pass, fail or unknown. The zero value is unknown: a verdict that
// nobody gave must never read as a pass.
type Verdict uint8

// The verdicts, in the order in which [Worse] ranks them: pass < unknown < fail.
const (
	Unknown Verdict = iota
	Pass
	Fail
)

// String is "pass", "fail" or "unknown".
func (v Verdict) String() string {
	switch v {
	case Pass:
		return "pass"
	case Fail:
		return "fail"
	default:
		return "unknown"
	}
}

// MarshalText writes the verdict's word.
func (v Verdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads a verdict's word.
func (v *Verdict) UnmarshalText(b []byte) error {
	switch string(b) {
	case "pass":
		*v = Pass
	case "fail":
		*v = Fail
	case "unknown":
		*v = Unknown
	default:
		return fmt.Errorf("verdict %q: want pass, fail or unknown", b)
	}
	return nil
}

// Worse is the verdict of a whole whose parts have verdicts v and w.
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
