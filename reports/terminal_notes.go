package reports

import (
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

// stack writes the top of a finding's stack.
func (t *terminal) stack(f results.Finding) {
	for _, fr := range stackFrames(f.Stack, stackLines) {
		t.line("    ", oneLine(fr.Call), "  ", t.s.paint(dim, oneLine(fr.Place)))
	}
}
