package check

import (
	"slices"
	"time"

	"github.com/lockchaos/simrun/internal/text"
)

// span formats a measured time, in nanoseconds.
func span(ns int64) string { return text.Measured(time.Duration(ns)) }

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
