package reports

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/lockchaos/simrun/internal/results"
	"github.com/lockchaos/simrun/internal/text"
)

// DiffMarkdown writes what changed as Markdown, for a comment: a sentence, and a row
// for each cell that is not as it was, the worse ones first.
func DiffMarkdown(w io.Writer, d results.Diff) error {
	var out strings.Builder
	fmt.Fprintf(&out, "**%s**\n", diffSentence(d))
	for i, c := range changedCells(d) {
		if i == 0 {
			out.WriteString("\n| scenario | strategy | was | is |\n| --- | --- | --- | --- |\n")
		}
		is := standsText(c.Is, code)
		if sign := changeWords[c.Change]; sign != "" {
			is = "**" + sign + ":** " + is
		}
		fmt.Fprintf(&out, "| %s | %s | %s | %s |\n", code(c.Scenario), code(c.Strategy), standsText(c.Was, code), is)
	}
	for i, note := range diffNotes(d, code) {
		if i == 0 {
			out.WriteByte('\n')
		}
		fmt.Fprintf(&out, "- %s\n", note)
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// TerminalDiff writes what changed since a baseline, of that name, as the last lines
// of a run.
func TerminalDiff(w io.Writer, baseline string, d results.Diff, o TerminalOptions) error {
	t := terminal{o: o}
	missing := d.Count(results.Removed)
	d.Cells = slices.DeleteFunc(slices.Clone(d.Cells), func(c results.CellDiff) bool { return c.Change == results.Removed })
	t.line()
	t.line("compared with ", text.OneLine(baseline), ": ", diffSentence(d))
	for _, c := range changedCells(d) {
		t.line(fmt.Sprintf("  %-7s %s %s  %s → %s", changeWords[c.Change], text.OneLine(c.Scenario), text.OneLine(c.Strategy),
			standsText(c.Was, text.OneLine), standsText(c.Is, text.OneLine)))
	}
	notes := diffNotes(d, text.OneLine)
	if missing > 0 { // no news: a run may be of some scenarios only
		notes = append(notes, fmt.Sprintf("cells that are only in the baseline, not in this run: %d", missing))
	}
	for _, note := range notes {
		t.line("  ", note)
	}
	_, err := io.WriteString(w, t.out.String())
	return err
}

// code makes a text of others a code span of a Markdown table: neither markup nor a
// mention of anybody.
func code(s string) string {
	return "`" + strings.NewReplacer("`", "'", "|", `\|`).Replace(text.OneLine(s)) + "`"
}

var changeWords = map[results.Change]string{
	results.Worse: "worse", results.Better: "better", results.Otherwise: "changed", results.Added: "new", results.Removed: "",
}

func changedCells(d results.Diff) []results.CellDiff {
	return slices.DeleteFunc(slices.Clone(d.Cells), func(c results.CellDiff) bool { return c.Change == results.Unchanged })
}

// diffSentence counts the changes: "1 cell got worse, 2 got better, 99 are unchanged".
func diffSentence(d results.Diff) string {
	var parts []string
	for _, p := range []struct {
		change    results.Change
		one, many string
	}{
		{results.Worse, "got worse", "got worse"},
		{results.Better, "got better", "got better"},
		{results.Otherwise, "changed otherwise", "changed otherwise"},
		{results.Added, "is new", "are new"},
		{results.Removed, "is not there any more", "are not there any more"},
		{results.Unchanged, "is unchanged", "are unchanged"},
	} {
		n, verb := d.Count(p.change), p.many
		switch {
		case n == 0:
			continue
		case n == 1:
			verb = p.one
		}
		count := text.Number(n)
		if len(parts) == 0 {
			count = text.Count(n, "cell")
		}
		parts = append(parts, count+" "+verb)
	}
	counts := strings.Join(parts, ", ")
	if d.Comparable() {
		return counts + "."
	}
	if counts != "" {
		counts = ": " + counts
	}
	return "nothing to compare, since no cell is in both" + counts + "."
}

// standsText says how a cell stands; name writes the name of what was breached.
func standsText(s *results.Strategy, name func(string) string) string {
	if s == nil {
		return "–"
	}
	out := guaranteeSign(s.Guarantee).text + " " + string(s.Guarantee)
	var wrongs []string
	for _, w := range s.Wrongs() {
		wrongs = append(wrongs, name(w))
	}
	if len(wrongs) > 0 {
		out += ": " + strings.Join(wrongs, ", ")
	}
	switch s.Expectation {
	case results.AsExpected:
		out += "; as expected"
	case results.Changed:
		out += "; not as expected"
	}
	return out
}

// diffNotes say what else differs, which may be why cells do.
func diffNotes(d results.Diff, name func(string) string) (notes []string) {
	version := func(r Results) string {
		if r.Made == nil {
			return "unknown"
		}
		return r.Made.Simrun
	}
	differ := func(what, was, is string) {
		if was != is {
			notes = append(notes, fmt.Sprintf("%s: %s → %s", what, name(was), name(is)))
		}
	}
	differ("version of simrun", version(d.Old), version(d.New))
	differ("mode", d.Old.Mode, d.New.Mode)
	if fewer := fewerRuns(d); fewer > 0 {
		notes = append(notes, text.Count(fewer, "cell")+" had fewer runs than before, which show less")
	}
	for _, r := range []struct {
		Results
		when string
	}{{d.Old, "earlier"}, {d.New, "later"}} {
		if r.Interrupted {
			notes = append(notes, "the "+r.when+" run was interrupted: it is not complete")
		}
	}
	return notes
}

func fewerRuns(d results.Diff) (n int) {
	for _, c := range d.Cells {
		if c.Was != nil && c.Is != nil && c.Is.Runs < c.Was.Runs {
			n++
		}
	}
	return n
}
