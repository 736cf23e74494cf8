package chaos

import (
	"strconv"
	"strings"

	"github.com/lockchaos/simrun/internal/text"
)

// Describe describes a plan in one sentence without a full stop: "stops the whole
// process of the client for 40 s, 1–10 s after it entered, every 3rd time".
func Describe(p Plan, a Args) string {
	whom, who := names(p)
	var b strings.Builder
	b.WriteString(strings.ReplaceAll(p.Spec.Text(a), "{client}", whom))
	if p.Spec.Lasts {
		b.WriteString(" for " + p.For.String())
	}
	if p.At != nil {
		return b.String() + ", " + p.At.String() + " into the run"
	}
	when := strings.ReplaceAll(triggerText(p.On), "{client}", who)
	if p.After == (Range{}) {
		b.WriteString(", as soon as " + when)
	} else {
		b.WriteString(", " + p.After.String() + " after " + when)
	}
	return b.String() + ", " + often(p)
}

// names returns the words for whom the fault hits and for who causes the event that
// sets it off: "it" if they are the same.
func names(p Plan) (whom, who string) {
	switch {
	case p.Client == "all":
		return "every client", "a client"
	case p.Client == "any" && p.At != nil:
		return "a client drawn from the seed", ""
	case p.Client == "any":
		return "the client", "it"
	case p.Client == "":
		return "", "a client"
	default:
		return "client " + p.Client, "it"
	}
}

func often(p Plan) string {
	switch {
	case p.Every == 1:
		return "every time"
	case p.Every > 1:
		return "every " + ordinal(p.Every) + " time"
	case p.Nth > 1:
		return "the " + ordinal(p.Nth) + " time"
	default:
		return "the first time"
	}
}

func ordinal(n int) string {
	suffix := "th"
	if tens := n / 10 % 10; tens != 1 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return strconv.Itoa(n) + suffix
}

// String is "40 s", or "1–10 s" where the ends differ.
func (r Range) String() string {
	low, high := text.Duration(r.Min), text.Duration(r.Max)
	if low == high {
		return low
	}
	lowNumber, lowUnit, _ := strings.Cut(low, " ")
	_, highUnit, _ := strings.Cut(high, " ")
	if lowUnit == highUnit || r.Min == 0 {
		return lowNumber + "–" + high
	}
	return low + " – " + high
}
