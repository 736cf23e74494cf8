package reports

import (
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lockchaos/simrun/internal/results"
	"github.com/lockchaos/simrun/internal/text"
)

// TerminalAgreement prints where virtual and live runs agree: every cell that does
// not, and every one in which runs differ, with the reason. Dir is the result
// folder, as the commands that show a history name it.
func TerminalAgreement(w io.Writer, dir string, a Agreement) error {
	rows := [][]cell{row(plain, "scenario", "strategy", "property", "virtual", "live", "", "why it may differ")}
	for _, c := range a.Cells {
		sign := "≈"
		switch {
		case !c.Agree:
			sign = "✗"
		case c.Why == "":
			continue
		}
		rows = append(rows, row(plain, c.Scenario, c.Strategy, c.Property,
			outOf(c.Virtual, c.VirtualRuns), outOf(c.Live, c.LiveRuns), sign, c.Why))
	}
	var out strings.Builder
	if len(rows) > 1 {
		out.WriteString(table{rows: rows}.layout(0, style{}) + "\n")
	}
	for _, c := range a.Cells {
		if !c.Agree && c.History != "" {
			fmt.Fprintf(&out, "✗ %s %s %s  → simrun check %s\n", c.Scenario, c.Strategy, c.Property, path.Join(filepath.ToSlash(dir), c.History))
		}
	}
	for _, v := range a.Verdicts {
		fmt.Fprintf(&out, "✗ %s %s  %s\n", v.Scenario, v.Strategy, verdictsDiffer(v))
	}
	out.WriteString(shareText(a))
	if a.Interrupted {
		out.WriteString(" (interrupted: some cells were not run)")
	}
	if facts := setupFacts(a.Setup); len(facts) > 0 {
		out.WriteString("; live: " + strings.Join(facts, ", "))
	}
	if a.Setup != nil && a.Setup.Worker != "" {
		out.WriteString("; " + ownLocks)
	}
	_, err := fmt.Fprintln(w, out.String())
	return err
}

// ownLocks says what the user's own worker is compared with.
const ownLocks = "virtual runs: simrun's own locks of the same names"

func shareText(a Agreement) string {
	s := fmt.Sprintf("%.1f %% of %s agree", 100*a.Share(), text.Count(len(a.Cells), "cell"))
	if n := a.Varying(); n > 0 {
		s += fmt.Sprintf(" (in %d of them, runs differ)", n)
	}
	return s
}

// WriteAgreement writes agreement.json and agreement.html into dir. The folders
// hold the reports that a was made from; the page links to them by their names.
func WriteAgreement(dir string, a Agreement, folders ...string) error {
	return errors.Join(
		writeFile(filepath.Join(dir, AgreementFile), func(w io.Writer) error { return encode(w, a) }),
		writeFile(filepath.Join(dir, AgreementPage), func(w io.Writer) error { return agreementHTML(w, a, folders) }),
	)
}

// agreementView is what the template shows.
type agreementView struct {
	Agreement
	Verdict               results.Verdict
	Headline, Sentence    string
	Facts, Folders        []string
	Scenarios, Strategies []string
	Differ, Vary, Alike   []results.AgreementCell
}

func agreementHTML(w io.Writer, a Agreement, folders []string) error {
	v := agreementView{
		Agreement: a, Verdict: results.Pass, Headline: "Virtual and live runs agree", Sentence: shareText(a) + ".",
		Facts: setupFacts(a.Setup), Folders: folders,
	}
	if a.Setup != nil && a.Setup.Worker != "" {
		v.Facts = append(v.Facts, ownLocks)
	}
	for _, c := range a.Cells {
		if !slices.Contains(v.Scenarios, c.Scenario) {
			v.Scenarios = append(v.Scenarios, c.Scenario)
		}
		if !slices.Contains(v.Strategies, c.Strategy) {
			v.Strategies = append(v.Strategies, c.Strategy)
		}
		switch {
		case !c.Agree:
			v.Differ = append(v.Differ, c)
		case c.Why != "":
			v.Vary = append(v.Vary, c)
		default:
			v.Alike = append(v.Alike, c)
		}
	}
	switch agree := len(v.Differ)+len(a.Verdicts) == 0; {
	case len(a.Cells) == 0 || a.Interrupted && agree:
		v.Verdict, v.Headline, v.Sentence = results.Unknown, "Too little evidence", "Some cells were not run in both modes."
	case !agree:
		v.Verdict, v.Headline = results.Unknown, "Virtual and live runs do not fully agree"
		v.Sentence += " The differences are listed below."
	}
	return pages.ExecuteTemplate(w, "agreement.tmpl", v)
}

// Count counts the cells of one strategy in one scenario, and those that agree.
func (v agreementView) Count(scenario, strategy string) (n struct{ Agree, Cells int }) {
	for _, c := range v.Cells {
		if c.Scenario == scenario && c.Strategy == strategy {
			if n.Cells++; c.Agree {
				n.Agree++
			}
		}
	}
	return n
}
