package reports

import (
	"fmt"
	"strings"

	"github.com/lockchaos/simrun/internal/results"
)

// mismatchOf is a mismatch where the strategy's name already stands before it.
func mismatchOf(s results.Strategy, m results.Mismatch) string {
	return strings.TrimPrefix(mismatchText(m), s.Name+": ")
}

func mismatchText(m results.Mismatch) string {
	text := fmt.Sprintf("%s: expected %s, got %s", m.Property, wantText(m.Want), m.Got)
	if m.Text != "" {
		text = m.Text
	}
	return text
}

// wantText is an expectation in words.
func wantText(want string) string {
	switch want {
	case "some":
		return "some"
	case "none":
		return "none"
	case "every":
		return "it in every run"
	default:
		return want
	}
}

func findingText(f results.Finding) string {
	return fmt.Sprintf("%s in %s: %s", f.Class, plural(f.Count, "run", "runs"), f.Detail)
}

func unknownText(s results.Strategy) string {
	text := "too little evidence"
	if s.UnknownRuns > 0 {
		text += fmt.Sprintf(" in %d of %s", s.UnknownRuns, plural(s.Runs, "run", "runs"))
	}
	if s.UnknownReason != "" {
		text += ": " + s.UnknownReason
	}
	return text
}

// stackLines is how much of a stack stands under a table.
const stackLines = 6

// misbehavedText explains letterMisdeed.
const misbehavedText = "panicked, blocked or left goroutines behind"

// misbehaved tells whether some lock did so as a program.
func misbehaved(r results.Results) bool {
	for _, sc := range r.Scenarios {
		for _, s := range sc.Strategies {
			if len(s.Findings) > 0 {
				return true
			}
		}
	}
	return false
}

// strategyNames lists the strategies of all scenarios in the order in which
// they first appear.
func strategyNames(r results.Results) []string {
	var names []string
	seen := map[string]bool{}
	for _, sc := range r.Scenarios {
		for _, s := range sc.Strategies {
			if !seen[s.Name] {
				seen[s.Name] = true
				names = append(names, s.Name)
			}
		}
	}
	return names
}

func findStrategy(sc results.Scenario, name string) (results.Strategy, bool) {
	for _, s := range sc.Strategies {
		if s.Name == name {
			return s, true
		}
	}
	return results.Strategy{}, false
}
