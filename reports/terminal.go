package reports

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"

	"github.com/lockchaos/simrun/internal/results"
	"github.com/lockchaos/simrun/internal/text"
)

// TerminalOptions says what to write for a terminal.
type TerminalOptions struct {
	Width   int    // columns; 0 means no limit
	Colour  bool   // ANSI colours
	Details bool   // show every scenario in full, even if there are many
	Dir     string // the result folder, whose files the last lines name; "" names none
}

// TerminalFor returns the options for what a report is written to: colour and width
// only on a terminal, and no colour if NO_COLOR is set or TERM is "dumb".
func TerminalFor(w io.Writer) TerminalOptions {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return TerminalOptions{}
	}
	o := TerminalOptions{Colour: os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}
	if w, _, err := term.GetSize(int(f.Fd())); err == nil {
		o.Width = w
	}
	return o
}

// Terminal writes results for people at a terminal: a table for one scenario; for
// many, a matrix and the scenarios that did not pass. The verdict comes last.
func Terminal(w io.Writer, r Results, o TerminalOptions) error {
	t := terminal{o: o, s: style{o.Colour}}
	if len(r.Scenarios) > 1 {
		t.matrix(r)
	}
	for _, sc := range r.Scenarios {
		if len(r.Scenarios) == 1 || o.Details || sc.Verdict != results.Pass {
			t.scenario(sc)
		}
	}
	t.summary(r)
	_, err := io.WriteString(w, t.out.String())
	return err
}

type terminal struct {
	o   TerminalOptions
	s   style
	out strings.Builder
}

func (t *terminal) line(parts ...string) { t.out.WriteString(strings.Join(parts, "") + "\n") }

func (t *terminal) dim(text string) string { return t.s.paint(dim, text) }

// verdictSign shows a verdict in one character.
func verdictSign(v results.Verdict) cell {
	switch v {
	case results.Pass:
		return cell{"✓", good}
	case results.Fail:
		return cell{"✗", harm}
	default:
		return cell{"?", warn}
	}
}

func verdictCell(v results.Verdict) cell {
	c := verdictSign(v)
	return cell{c.text + " " + v.String(), c.tone}
}

// matrix writes a row for each scenario and a column for each strategy. Letters
// beside the verdict say what the lock violated: a lock that fails as expected
// passes, and still fails its users.
func (t *terminal) matrix(r Results) {
	names := strategyNames(r)
	rows := [][]cell{row(dim, append([]string{"scenario"}, names...)...)}
	for _, sc := range r.Scenarios {
		line := row(plain, sc.Name)
		for _, n := range names {
			c := cell{"·", dim}
			if s := findStrategy(sc, n); s != nil {
				c = verdictSign(s.Verdict)
				c.text = strings.TrimSpace(c.text + " " + letters(*s))
			}
			line = append(line, c)
		}
		rows = append(rows, line)
	}
	t.out.WriteString(table{rows: rows, fixed: 1}.layout(t.o.Width, t.s))
	t.line()
	t.legend("✓ as expected", "✗ not as expected", "? too little evidence")
	var parts []string
	for _, l := range letterNames(r) {
		parts = append(parts, l.Letter+" "+l.Name)
	}
	if len(parts) > 0 {
		parts[0] = "Violations: " + parts[0]
		t.legend(parts...)
	}
	t.line()
}

// legend writes parts on as few lines as the width allows.
func (t *terminal) legend(parts ...string) {
	line := parts[0]
	for _, p := range parts[1:] {
		next := line + "   " + p
		if t.o.Width > 0 && utf8.RuneCountInString(next) > t.o.Width {
			t.line(t.dim(line))
			next = p
		}
		line = next
	}
	t.line(t.dim(line))
}

func (t *terminal) scenario(sc results.Scenario) {
	v := verdictCell(sc.Verdict)
	t.line(t.s.paint(strong, text.OneLine(sc.Name)), "  ", t.s.paint(v.tone, v.text))
	if sc.Summary != "" {
		t.line(text.OneLine(sc.Summary))
	}
	if sc.Clients > 0 {
		t.line(t.dim(fmt.Sprintf("%s, lease %s; violations: count (runs)", text.Count(sc.Clients, "client"), exactMillis(sc.LeaseMS))))
	}
	for _, f := range sc.Faults {
		t.line(t.dim("fault  " + text.OneLine(f)))
	}
	t.line()
	t.out.WriteString(strategyTable(sc).layout(t.o.Width, t.s))
	t.line()
	t.notes(sc)
}

// strategyTable is the table of one scenario.
func strategyTable(sc results.Scenario) table {
	props := properties(sc.Strategies...)
	rows := [][]cell{row(dim, slices.Concat(
		[]string{"strategy", "verdict", "runs", "sections"}, props, []string{"aborted", "rejected", "wait p50", "p99"})...)}
	for _, s := range sc.Strategies {
		line := append(row(plain, s.Name), verdictCell(s.Verdict))
		line = append(line, row(plain, text.Number(s.Runs), text.Number(s.Sections))...)
		for _, p := range props {
			c := cell{"0", good}
			if v := s.Violations[p]; v.Count > 0 {
				c = cell{fmt.Sprintf("%s (%s)", text.Number(v.Count), text.Number(v.Runs)), harm}
			}
			line = append(line, markMismatch(c, s, p))
		}
		line = append(line,
			markMismatch(cell{text.Number(s.Aborted), plain}, s, "aborted"),
			markMismatch(cell{text.Number(s.RejectedWrites), plain}, s, "rejected"))
		rows = append(rows, append(line, row(plain, millis(s.Wait.P50), millis(s.Wait.P99))...))
	}
	return table{rows: rows, fixed: 2, right: true}
}

// markMismatch marks a cell whose count is not as expected.
func markMismatch(c cell, s results.Strategy, name string) cell {
	if slices.ContainsFunc(s.Mismatches, func(m results.Mismatch) bool { return m.Property == name }) {
		return cell{c.text + " ✗", harm}
	}
	return c
}

// notes are the lines under a table: whatever is not as expected, one line each
// with the command that shows it, and each strategy's first violation.
func (t *terminal) notes(sc results.Scenario) {
	before := t.out.Len()
	note := func(c cell, head, what, replay string) {
		line := t.s.paint(c.tone, c.text+" "+text.OneLine(head)) + " " + text.OneLine(what)
		if replay != "" {
			line += "  " + t.dim("→") + " " + text.OneLine(replay)
		}
		t.line(line)
	}
	for _, s := range sc.Strategies {
		for _, m := range s.Mismatches {
			note(verdictSign(results.Fail), s.Name+":", mismatchText(s, m), m.Replay)
		}
		for _, f := range s.Findings {
			note(cell{letterFinding, harm}, s.Name+":", findingText(f), f.Replay)
			if len(sc.Strategies) == 1 || s.Runs == 1 {
				for _, fr := range stackFrames(f.Stack) {
					t.line("    ", text.OneLine(fr.Call), "  ", t.dim(text.OneLine(fr.Place)))
				}
			}
		}
		if why := unknownText(s); why != "" {
			note(verdictSign(results.Unknown), s.Name+":", why, "")
		}
	}
	for _, s := range sc.Strategies {
		if f := s.FirstViolation; f != nil {
			note(cell{"·", dim}, s.Name+":", f.Property+": "+f.Violation.Text, f.Replay)
		}
	}
	if t.out.Len() > before {
		t.line()
	}
}

func (t *terminal) summary(r Results) {
	c := verdictCell(r.Verdict)
	t.line(t.s.paint(c.tone, c.text), "  ", scopeText(r), "; ", paceText(r))
	if facts := setupFacts(r.Setup); len(facts) > 0 {
		t.line("live     ", strings.Join(facts, ", "))
	}
	if r.Interrupted {
		t.line(t.s.paint(warn, "interrupted"), ": the results are sound, but not complete")
	}
	if t.o.Dir != "" {
		t.line("report   ", filepath.Join(t.o.Dir, ReportFile))
		t.line("results  ", filepath.Join(t.o.Dir, ResultsFile))
	}
}
