package reports

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/term"

	"github.com/lockchaos/simrun/internal/results"
)

// TerminalFor looks at the file that a table goes to: colour and width only on
// a terminal, and no colour where NO_COLOR is set or TERM is "dumb".
func TerminalFor(f *os.File) TerminalOptions {
	fd := int(f.Fd())
	if !term.IsTerminal(fd) {
		return TerminalOptions{}
	}
	o := TerminalOptions{Colour: os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}
	if w, _, err := term.GetSize(fd); err == nil {
		o.Width = w
	}
	return o
}

// Terminal writes results for people at a terminal: a table for one scenario,
// a matrix for many with what did not pass in full, and the verdict last.
func Terminal(w io.Writer, r results.Results, o TerminalOptions) error {
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

func (t *terminal) scenario(sc results.Scenario) {
	v := verdictCell(sc.Verdict)
	t.line(t.s.paint(strong, oneLine(sc.Name)), "  ", t.s.paint(v.tone, v.text))
	if sc.Summary != "" {
		t.line(oneLine(sc.Summary))
	}
	if sc.Clients > 0 {
		t.line(t.s.paint(dim, fmt.Sprintf("%s, lease %s; violations are count (runs)", plural(sc.Clients, "client", "clients"), lease(sc.LeaseMS))))
	}
	for _, f := range sc.Faults {
		t.line(t.s.paint(dim, "fault  "+oneLine(f)))
	}
	t.line()
	t.out.WriteString(layout(columns(sc), 2, t.o.Width, t.s))
	t.line()
	t.notes(sc)
}

// columns is the table of one scenario.
func columns(sc results.Scenario) []column {
	props := properties(sc.Strategies)
	cols := []column{{head: "strategy"}, {head: "verdict"}, {head: "runs", right: true}, {head: "sections", right: true}}
	for _, p := range props {
		cols = append(cols, column{head: p, right: true})
	}
	for _, h := range []string{"aborted", "rejected", "wait p50", "p99"} {
		cols = append(cols, column{head: h, right: true})
	}
	for _, s := range sc.Strategies {
		row := []cell{{oneLine(s.Name), plain}, verdictCell(s.Verdict), {thousands(s.Runs), plain}, {thousands(s.Sections), plain}}
		for _, p := range props {
			row = append(row, breachCell(s, p))
		}
		row = append(row, observed(s, "aborted", s.Aborted), observed(s, "rejected", s.RejectedWrites),
			cell{millis(s.Wait.P50), plain}, cell{millis(s.Wait.P99), plain})
		for i := range row {
			cols[i].cells = append(cols[i].cells, row[i])
		}
	}
	return cols
}

func breachCell(s results.Strategy, property string) cell {
	b := s.Violations[property]
	c := cell{"0", good}
	if b.Count > 0 {
		c = cell{fmt.Sprintf("%s (%s)", thousands(b.Count), thousands(b.Runs)), harm}
	}
	if mismatched(s, property) {
		c = cell{c.text + " ✗", harm}
	}
	return c
}

func observed(s results.Strategy, name string, n int) cell {
	c := cell{thousands(n), plain}
	if mismatched(s, name) {
		c = cell{c.text + " ✗", harm}
	}
	return c
}

func mismatched(s results.Strategy, property string) bool {
	for _, m := range s.Mismatches {
		if m.Property == property {
			return true
		}
	}
	return false
}

func (t *terminal) summary(r results.Results) {
	c := verdictCell(r.Verdict)
	t.line(t.s.paint(c.tone, c.text), "  ", size(r), "; ", pace(r))
	if facts := setupFacts(r.Setup); len(facts) > 0 {
		t.line("live     ", strings.Join(facts, ", "))
	}
	if r.Interrupted {
		t.line(t.s.paint(warn, "interrupted"), ": what is here is whole, but it is not all")
	}
	if t.o.Dir != "" {
		t.line("report   ", filepath.Join(t.o.Dir, ReportFile))
		t.line("results  ", filepath.Join(t.o.Dir, ResultsFile))
	}
}
