package reports

import (
	"fmt"
	"strings"
	"time"

	"github.com/lockchaos/simrun/internal/results"
	"github.com/lockchaos/simrun/internal/text"
)

// millis writes a measured duration given in milliseconds.
func millis(v float64) string { return text.MeasuredSeconds(v / 1000) }

// exactMillis writes a configured duration, or one of an axis, given in milliseconds.
func exactMillis(v float64) string {
	return text.Duration(time.Duration(v * float64(time.Millisecond)))
}

// lostText is the share of the time in the critical section without the lease.
func lostText(s results.Strategy) string {
	switch share := s.LostMS / s.InsideMS; {
	case s.LostMS <= 0 || s.InsideMS <= 0:
		return "0 %"
	case share < 0.001:
		return "< 0.1 %"
	default:
		return fmt.Sprintf("%.1f %%", 100*share)
	}
}

// barPercent is the width of a bar for CSS, in percent of the longest.
func barPercent(part, longest float64) string {
	if longest <= 0 || part <= 0 {
		return "0"
	}
	return fmt.Sprintf("%.2f", 100*part/longest)
}

// outOf writes a number of runs: "23 of 30".
func outOf(n, runs int) string { return fmt.Sprintf("%s of %s", text.Number(n), text.Number(runs)) }

// joinWords joins words for a sentence: "a, b and c".
func joinWords(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}
