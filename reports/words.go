package reports

import (
	_ "embed"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/lockchaos/simrun/internal/check"
	"github.com/lockchaos/simrun/internal/results"
	"github.com/lockchaos/simrun/internal/timeline"
)

// propertyOrder is the order of columns: that of the checks. Names that are
// not in it follow in alphabetical order.
var propertyOrder = func() []string {
	var names []string
	for _, p := range check.Properties {
		names = append(names, p.Name)
	}
	return names
}()

// brokenText says what it means that a property was breached; empty for one
// that nobody knows.
func brokenText(property string) string {
	p, _ := check.Lookup(property)
	return p.Broken
}

// properties lists the properties that any of the strategies breached or was
// expected to have or not to have, in the order of columns.
func properties(strategies []results.Strategy) []string {
	seen := map[string]bool{}
	for _, s := range strategies {
		for p := range s.Violations {
			seen[p] = true
		}
		for p := range s.Expected {
			seen[p] = true
		}
	}
	for _, o := range check.Observations {
		delete(seen, o.Name)
	}
	names := make([]string, 0, len(seen))
	for p := range seen {
		names = append(names, p)
	}
	rank := func(p string) int {
		if i := slices.Index(propertyOrder, p); i >= 0 {
			return i
		}
		return len(propertyOrder)
	}
	slices.SortFunc(names, func(a, b string) int {
		if d := rank(a) - rank(b); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	return names
}

// breached lists the properties that one strategy breached.
func breached(s results.Strategy) []string {
	var out []string
	for _, p := range properties([]results.Strategy{s}) {
		if s.Violations[p].Count > 0 {
			out = append(out, p)
		}
	}
	return out
}

// millis is a length of time for people, from milliseconds.
func millis(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "–"
	}
	return timeline.Duration(int64(v * 1e6))
}

// seconds is a length of time for people, from seconds; long ones in hours and
// days.
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

// thousands writes a count with thin groups: "12 345".
func thousands(n int) string {
	s := strconv.Itoa(n)
	sign := ""
	if n < 0 {
		sign, s = "−", s[1:]
	}
	var b strings.Builder
	for i, c := range s {
		if i > 0 && (len(s)-i)%3 == 0 && len(s) > 4 {
			b.WriteRune('\u00a0')
		}
		b.WriteRune(c)
	}
	return sign + b.String()
}

// list joins words for a sentence: "a, b and c".
func list(words []string) string {
	switch len(words) {
	case 0:
		return ""
	case 1:
		return words[0]
	default:
		return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
	}
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return thousands(n) + " " + many
}

// lease is a configured length of time, which needs no more digits than it has.
func lease(ms float64) string {
	number, unit, ok := strings.Cut(millis(ms), " ")
	if !ok || !strings.Contains(number, ".") {
		return millis(ms)
	}
	return strings.TrimRight(strings.TrimRight(number, "0"), ".") + " " + unit
}

// setupFacts say what live runs were made of.
func setupFacts(s *results.Setup) []string {
	if s == nil {
		return nil
	}
	facts := []string{s.Redis, "Toxiproxy " + s.Toxiproxy, fmt.Sprintf("%g times faster than the scenario", s.Scale)}
	if s.Worker != "" {
		facts = append(facts, "workers: "+oneLine(s.Worker))
	}
	return facts
}

// oneLine makes text safe for one line of a terminal: control characters, as
// a lock under test may put into an error, become spaces.
func oneLine(s string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsControl(c) {
			return ' '
		}
		return c
	}, strings.TrimSpace(s))
}
