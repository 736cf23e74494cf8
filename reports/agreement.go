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
// hold the reports that a was made from; the page links to those that exist, by the
// names of their folders, and they are drawn anew to link back. The first is that of
// the virtual runs.
func WriteAgreement(dir string, a Agreement, folders ...string) error {
	var sides []string
	for _, name := range folders {
		if (folder{dir: dir}).exists(path.Join(name, ReportFile)) {
			sides = append(sides, name)
		}
	}
	errs := []error{
		writeFile(filepath.Join(dir, AgreementFile), func(w io.Writer) error { return encode(w, a) }),
		writeFile(filepath.Join(dir, AgreementPage), func(w io.Writer) error { return agreementHTML(w, dir, a, sides) }),
	}
	for _, name := range sides {
		side := filepath.Join(dir, name)
		r, err := Read(side)
		if err == nil {
			err = writeFile(filepath.Join(side, ReportFile), func(w io.Writer) error { return HTML(w, side, r) })
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// agreementView is what the template shows.
type agreementView struct {
	Agreement
	Verdict               results.Verdict
	Headline, Sentence    string
	Facts                 []string
	Made                  *madeView
	Links                 []link // to files beside the page
	Sides                 []sideView
	Scenarios, Strategies []string
	folder                folder
	Differ, Vary, Alike   []results.AgreementCell
}

// sideView is the report of one mode, and the cells that it shows.
type sideView struct {
	Name, Href string
	cells      map[cellKey]bool
}

// newSideViews reads which cells the reports show: a link leads to a cell, or nowhere.
func newSideViews(dir string, names []string) (all []sideView) {
	for _, name := range names {
		v := sideView{name, href(path.Join(name, ReportFile)), map[cellKey]bool{}}
		if r, err := Read(filepath.Join(dir, name)); err == nil {
			for _, sc := range r.Scenarios {
				for _, s := range sc.Strategies {
					v.cells[cellKey{sc.Name, s.Name}] = true
				}
			}
		}
		all = append(all, v)
	}
	return all
}

// Reports lists where the reports show a cell.
func (v agreementView) Reports(scenario, strategy string) (out []link) {
	for _, s := range v.Sides {
		if s.cells[cellKey{scenario, strategy}] {
			out = append(out, link{s.Name, s.Href + "#" + anchor(scenario, strategy)})
		}
	}
	return out
}

// History is the address of a recorded live run; "" if the file is missing.
func (v agreementView) History(c results.AgreementCell) string {
	if c.History == "" || !v.folder.exists(c.History) {
		return ""
	}
	return href(c.History)
}

func agreementHTML(w io.Writer, dir string, a Agreement, sides []string) error {
	v := agreementView{
		Agreement: a, Verdict: results.Pass, Headline: "Virtual and live runs agree", Sentence: shareText(a) + ".",
		Facts: setupFacts(a.Setup), Made: newMadeView(a.Made), Sides: newSideViews(dir, sides), folder: folder{dir: dir},
	}
	if v.folder.exists(AgreementFile) {
		v.Links = append(v.Links, link{AgreementFile, AgreementFile})
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

// lines is a table of cells.
type lines struct {
	View  agreementView
	Cells []results.AgreementCell
}

// Lines puts cells into a table.
func (v agreementView) Lines(cells []results.AgreementCell) lines { return lines{v, cells} }

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
