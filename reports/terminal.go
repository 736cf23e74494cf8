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

	"github.com/lockchaos/simrun/internal/check"
	"github.com/lockchaos/simrun/internal/results"
	"github.com/lockchaos/simrun/internal/strategy"
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
// many, a matrix and the scenarios that did not pass. Whether the locks are safe
// comes first; what failed, with the commands that show it, and whether all was as
// expected come last. No line is wider than the width.
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
	t.failed(r)
	t.summary(r)
	_, err := io.WriteString(w, t.out.String())
	return err
}

type terminal struct {
	o     TerminalOptions
	s     style
	out   strings.Builder
	alone bool // the lock is the only one of its scenario: there is room for stacks
}

// line writes a line, on several where it is too wide.
func (t *terminal) line(parts ...string) {
	t.out.WriteString(wrap(strings.Join(parts, ""), t.o.Width, "") + "\n")
}

func (t *terminal) dim(text string) string { return t.s.paint(dim, text) }

// matrix writes how each lock stands, and a row for each scenario with a column for
// each lock. Letters say what the lock violated.
func (t *terminal) matrix(r Results) {
	names := leadNames(r)
	var lead [][]cell
	for _, n := range names {
		all, _ := standingOf(r, n)
		c := guaranteeSign(all.guarantee())
		lead = append(lead, []cell{{text.OneLine(n), strong}, {c.text + " " + text.OneLine(standingText(r, n)), c.tone}})
	}
	for line := range strings.Lines(table{rows: lead, fixed: 2}.layout(0, t.s)) {
		t.line(strings.TrimSuffix(line, "\n"))
	}
	for _, n := range names {
		if avoidable := avoidableText(r, n); avoidable != "" && !slices.Contains(strategy.Ladder(), n) {
			t.line(text.OneLine(n + ": " + avoidable))
		}
	}
	t.line()
	rows := [][]cell{row(dim, append([]string{"scenario"}, names...)...)}
	for _, sc := range r.Scenarios {
		line := row(plain, sc.Name)
		for _, n := range names {
			c := cell{"·", dim}
			if s := findStrategy(sc, n); s != nil {
				c = guaranteeSign(s.Guarantee)
				c.text = strings.TrimSpace(c.text + " " + letters(*s))
				if s.Expectation == results.Changed {
					c.text += " " + signChanged
				}
			}
			line = append(line, c)
		}
		rows = append(rows, line)
	}
	t.out.WriteString(table{rows: rows, fixed: 1}.layout(t.o.Width, t.s))
	t.line()
	t.legend("✓ holds", "✗ broken", "? too little evidence", signChanged+" not as expected")
	var parts []string
	for _, l := range letterNames(r) {
		parts = append(parts, l.Letter+" "+l.Name)
	}
	if len(parts) > 0 {
		parts[0] = "Violations: " + parts[0]
		t.legend(parts...)
	}
	if slices.ContainsFunc(names, func(n string) bool { all, _ := standingOf(r, n); return all.Avoidable > 0 }) {
		t.legend("avoidable: a better lock of the ladder holds there")
	}
	t.legend("simrun list says what happens in each scenario")
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
	g, sentence := headline(Results{Scenarios: []results.Scenario{sc}})
	sign := guaranteeSign(g)
	t.line(t.s.paint(strong, text.OneLine(sc.Name)), "  ", t.s.paint(sign.tone, sign.text+" "+text.OneLine(sentence)))
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
	fitted, zero, others := strategyTable(sc).fit(t.o.Width)
	t.out.WriteString(fitted.layout(t.o.Width, t.s))
	var left []string
	if len(zero) > 0 {
		left = append(left, "0 everywhere: "+strings.Join(zero, ", "))
	}
	if len(others) > 0 {
		left = append(left, "for want of room: "+strings.Join(others, ", "))
	}
	if len(left) > 0 {
		t.line(t.dim("left out  " + strings.Join(left, "; ")))
	}
	t.line()
	t.notes(sc)
}

// strategyTable is the table of one scenario.
func strategyTable(sc results.Scenario) table {
	props := properties(sc.Strategies...)
	head := slices.Concat([]string{"strategy", "guarantee", "as expected", "runs", "sections"}, props, []string{"aborted", "rejected", "wait p50", "p99"})
	rows := [][]cell{row(dim, head...)}
	for _, s := range sc.Strategies {
		line := append(row(plain, s.Name), guaranteeCell(s.Guarantee), expectationCell(s))
		line = append(line, row(plain, text.Number(s.Runs), text.Number(s.Sections))...)
		for _, p := range props {
			c := cell{"0", good}
			if s.Guarantee == results.Unclear {
				c = cell{"?", warn}
			}
			if v := s.Violations[p]; v.Count > 0 {
				c = cell{fmt.Sprintf("%s (%s)", text.Number(v.Count), text.Number(v.Runs)), harm}
			}
			line = append(line, markMismatch(c, s, p))
		}
		line = append(line,
			markMismatch(cell{text.Number(s.Aborted), plain}, s, "aborted"),
			markMismatch(cell{text.Number(s.RejectedWrites), plain}, s, "rejected"))
		line = append(line, row(plain, millis(s.Wait.P50), millis(s.Wait.P99))...)
		if s.Runs == s.UnknownRuns { // runs that are too little evidence count for nothing
			for i := 3; i < len(line); i++ {
				if i > 3 && s.Runs > 0 && line[i].tone != harm {
					line[i] = cell{"?", warn}
				} else if s.Runs == 0 {
					line[i] = cell{"–", dim}
				}
			}
		}
		rows = append(rows, line)
	}
	return table{rows: rows, fixed: 3, right: true, drop: leastFirst(head, props)}
}

// leastFirst orders the columns of a scenario's table that may be left out: what is
// no breach first, then the breaches, the least severe first.
func leastFirst(head, props []string) (columns []int) {
	props = slices.SortedFunc(slices.Values(props), func(a, b string) int { return check.Compare(b, a) })
	for _, name := range slices.Concat([]string{"p99", "wait p50", "rejected", "aborted", "sections", "runs"}, props) {
		columns = append(columns, slices.Index(head, name))
	}
	return columns
}

func expectationCell(s results.Strategy) cell {
	c := cell{expectationText(s), plain}
	if s.Expectation == results.Changed {
		c.tone = harm
	}
	return c
}

// markMismatch marks a cell whose count is not as expected.
func markMismatch(c cell, s results.Strategy, name string) cell {
	if slices.ContainsFunc(s.Mismatches, func(m results.Mismatch) bool { return m.Property == name }) {
		return cell{c.text + " " + signChanged, harm}
	}
	return c
}

func (t *terminal) summary(r Results) {
	tones := map[results.Verdict]tone{results.Pass: plain, results.Fail: harm, results.Unknown: warn}
	t.line(t.s.paint(tones[r.Verdict], r.Verdict.String()+": "+outcome(r)), "  ", scopeText(r), "; ", paceText(r))
	if facts := setupFacts(r.Setup); len(facts) > 0 {
		t.line("live     ", strings.Join(facts, ", "))
	}
	if r.Interrupted {
		t.line(t.s.paint(warn, "interrupted"), ": what is shown is right, but not complete; fewer -seeds are sooner done")
	}
	for _, what := range notRunTexts(r) {
		t.line(t.s.paint(warn, text.OneLine(what)))
	}
	if next := nextStep(r); next != "" {
		t.line("next     ", text.OneLine(next))
	}
	if t.o.Dir != "" {
		t.line("report   ", filepath.Join(t.o.Dir, ReportFile))
		t.line("results  ", filepath.Join(t.o.Dir, ResultsFile))
	}
}
