package check

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// span formats a length of time: "15.0 s", "350 ms", "12 µs".
func span(ns int64) string {
	switch d := time.Duration(ns); {
	case d >= time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d >= time.Millisecond:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d >= time.Microsecond:
		return fmt.Sprintf("%d µs", d.Microseconds())
	}
	return fmt.Sprintf("%d ns", ns)
}

// about formats a length of time that was configured: span without an empty
// fraction, as "30 s", and minutes from ten minutes on.
func about(ns int64) string {
	if d := time.Duration(ns); d >= 10*time.Minute {
		return strings.Replace(fmt.Sprintf("%.1f min", d.Minutes()), ".0 min", " min", 1)
	}
	return strings.Replace(span(ns), ".0 s", " s", 1)
}

// proof lists the known events, in order, each once.
func proof(refs ...ref) []int {
	var out []int
	for _, r := range refs {
		if r.known() {
			out = append(out, r.seq)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// named lists the known clients, each once.
func named(clients ...*client) []string {
	var out []string
	for _, c := range clients {
		if c != nil && !slices.Contains(out, c.name) {
			out = append(out, c.name)
		}
	}
	return out
}
