package reports

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"

	"github.com/lockchaos/simrun/internal/results"
	"github.com/lockchaos/simrun/internal/timeline"
)

// millis writes a duration given in milliseconds.
func millis(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "–"
	}
	return timeline.Duration(int64(v * 1e6))
}

// shortMillis is millis without trailing zeros: for configured durations and axes.
func shortMillis(v float64) string {
	number, unit, ok := strings.Cut(millis(v), " ")
	if !ok || !strings.Contains(number, ".") {
		return millis(v)
	}
	return strings.TrimRight(strings.TrimRight(number, "0"), ".") + " " + unit
}

// seconds writes a duration given in seconds; long ones in hours and days.
func seconds(v float64) string {
	switch {
	case v >= 2*86400:
		return fmt.Sprintf("%.1f days", v/86400)
	case v >= 2*3600:
		return fmt.Sprintf("%.1f h", v/3600)
	case v >= 600:
		return fmt.Sprintf("%.0f min", v/60)
	default:
		return millis(v * 1000)
	}
}

func percent(share float64) string {
	if share < 0.001 {
		return "< 0.1 %"
	}
	return fmt.Sprintf("%.1f %%", 100*share)
}

// lostText is the share of the time in the critical section without the lease.
func lostText(s results.Strategy) string {
	if s.LostMS <= 0 || s.InsideMS <= 0 {
		return "0 %"
	}
	return percent(s.LostMS / s.InsideMS)
}

// barPercent is the width of a bar for CSS, in percent of the longest.
func barPercent(part, longest float64) string {
	if longest <= 0 || part <= 0 {
		return "0"
	}
	return fmt.Sprintf("%.2f", 100*part/longest)
}

// thousands groups the digits of a count: "12 345".
func thousands(n int) string {
	s := strconv.Itoa(n)
	minus := ""
	if n < 0 {
		minus, s = "−", s[1:]
	}
	var b strings.Builder
	for i, c := range s {
		if i > 0 && (len(s)-i)%3 == 0 && len(s) > 4 {
			b.WriteRune('\u00a0')
		}
		b.WriteRune(c)
	}
	return minus + b.String()
}

// outOf writes a number of runs: "23 of 30".
func outOf(n, runs int) string { return fmt.Sprintf("%s of %s", thousands(n), thousands(runs)) }

// plural writes a count of a regular noun: "1 run", "3 strategies".
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if stem, y := strings.CutSuffix(noun, "y"); y {
		noun = stem + "ie"
	}
	return thousands(n) + " " + noun + "s"
}

// joinWords joins words for a sentence: "a, b and c".
func joinWords(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// oneLine makes text safe for one line of a terminal: control characters, which
// a lock under test may put into an error, become spaces.
func oneLine(s string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsControl(c) {
			return ' '
		}
		return c
	}, strings.TrimSpace(s))
}
