package reports

import (
	"fmt"
	"strings"

	"github.com/lockchaos/simrun/internal/results"
)

// notes are the lines under a table: what is not as expected, one line each
// with the command that shows it, and what each strategy broke first.
func (t *terminal) notes(sc results.Scenario) {
	wrote := false
	write := func(head, text, replay string) {
		wrote = true
		s := head + oneLine(text)
		if replay != "" {
			s += "  " + t.s.paint(dim, "→") + " " + oneLine(replay)
		}
		t.line(s)
	}
	note := func(c cell, strategy, text, replay string) {
		write(t.s.paint(c.tone, c.text+" "+oneLine(strategy))+"  ", text, replay)
	}
	for _, s := range sc.Strategies {
		for _, m := range s.Mismatches {
			c := sign(results.Fail)
			write(t.s.paint(c.tone, c.text+" "+oneLine(s.Name)+":")+" ", mismatchOf(s, m), m.Replay)
		}
		for _, f := range s.Findings {
			note(cell{"!", harm}, s.Name, findingText(f), f.Replay)
			if len(sc.Strategies) == 1 || s.Runs == 1 {
				t.stack(f)
			}
		}
		if s.UnknownRuns > 0 || s.Verdict == results.Unknown {
			note(sign(results.Unknown), s.Name, unknownText(s), "")
		}
	}
	for _, s := range sc.Strategies {
		if f := s.FirstViolation; f != nil {
			note(cell{"·", dim}, s.Name, f.Property+": "+f.Violation.Text, f.Replay)
		}
	}
	if wrote {
		t.line()
	}
}

// stackLines is how much of a stack stands under a table.
const stackLines = 6

// stack writes the top of a finding's stack.
func (t *terminal) stack(f results.Finding) {
	for _, fr := range stackFrames(f.Stack, stackLines) {
		t.line("    ", oneLine(fr.Call), "  ", t.s.paint(dim, oneLine(fr.Place)))
	}
}

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
