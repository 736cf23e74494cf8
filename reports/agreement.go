package reports

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"path"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/lockchaos/simrun/internal/results"
)

// The files of [WriteAgreement].
const (
	AgreementFile = "agreement.json"
	AgreementPage = "agreement.html"
)

// Agreement prints where virtual and live runs agree: every cell that does not,
// and every one that not all runs showed alike, with its reason. Dir is the
// result folder, as the commands that show a history name it.
func Agreement(w io.Writer, dir string, a results.Agreement) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	rows := 0
	for _, c := range a.Cells {
		if c.Agree && c.Why == "" {
			continue
		}
		if rows++; rows == 1 {
			fmt.Fprintln(t, "scenario\tstrategy\tproperty\tvirtual\tlive\t\twhy it may differ")
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", c.Scenario, c.Strategy, c.Property,
			of(c.Virtual, c.VirtualRuns), of(c.Live, c.LiveRuns), agreementMark(c), c.Why)
	}
	if rows > 0 {
		fmt.Fprintln(t)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, c := range a.Cells {
		if show := showCommand(dir, c); show != "" {
			fmt.Fprintf(w, "✗ %s %s %s  → %s\n", c.Scenario, c.Strategy, c.Property, show)
		}
	}
	for _, v := range a.Verdicts {
		fmt.Fprintf(w, "✗ %s %s  %s\n", v.Scenario, v.Strategy, verdictsDiffer(v))
	}
	_, err := fmt.Fprintf(w, "%s\n", agreementSentence(a))
	return err
}

func of(n, runs int) string { return fmt.Sprintf("%s of %s", thousands(n), thousands(runs)) }

// agreementMark is a cell in one character: it agrees in all runs, in some, or not.
func agreementMark(c results.AgreementCell) string {
	switch {
	case !c.Agree:
		return "✗"
	case c.Why != "":
		return "≈"
	default:
		return "✓"
	}
}

// showCommand shows a live history of a cell that does not agree.
func showCommand(dir string, c results.AgreementCell) string {
	if c.Agree || c.History == "" {
		return ""
	}
	return "simrun check " + path.Join(filepath.ToSlash(dir), c.History)
}

func agreementSentence(a results.Agreement) string {
	s := shareOf(a)
	if a.Interrupted {
		s += " (interrupted: not all were run)"
	}
	if facts := setupFacts(a.Setup); len(facts) > 0 {
		s += "; live: " + strings.Join(facts, ", ")
	}
	if a.Setup != nil && a.Setup.Worker != "" {
		s += "; in virtual time: simrun's own locks of these names"
	}
	return s
}

// Report is a report that an agreement was drawn from.
type Report struct {
	Name   string // in words
	Folder string // in the result folder
}

func shareOf(a results.Agreement) string {
	s := fmt.Sprintf("%.1f %% of %s agree", 100*a.Share(), plural(len(a.Cells), "cell", "cells"))
	if n := a.Varying(); n > 0 {
		s += fmt.Sprintf(" (%d of them not alike in all runs)", n)
	}
	return s
}

func verdictsDiffer(v results.Verdicts) string {
	return fmt.Sprintf("the verdict is %s in virtual time and %s live: see both reports", v.Virtual, v.Live)
}

// WriteAgreement writes agreement.json and agreement.html into dir and returns
// their paths.
func WriteAgreement(dir string, a results.Agreement, from ...Report) (file, page string, err error) {
	file, page = filepath.Join(dir, AgreementFile), filepath.Join(dir, AgreementPage)
	b, err := json.MarshalIndent(a, "", " ")
	if err != nil {
		return "", "", fmt.Errorf("agreement: %w", err)
	}
	err = writeFile(file, func(w io.Writer) error {
		_, err := w.Write(append(b, '\n'))
		return err
	})
	if err != nil {
		return "", "", err
	}
	return file, page, writeFile(page, func(w io.Writer) error { return agreementHTML(w, a, from) })
}

//go:embed assets/agreement.tmpl
var agreementTemplate string

var agreementPage = template.Must(template.New("agreement").Parse(agreementTemplate))

// agreementView is what the template shows.
type agreementView struct {
	Verdict     verdictView
	Headline    string
	Sentence    string
	Interrupted bool
	Facts       []string
	Reports     []Report
	Strategies  []string
	Rows        []agreementRow
	Verdicts    []string        // that differ
	Differ      []agreementLine // do not agree
	Vary        []agreementLine // not in every run
	Alike       []agreementLine
	Style       template.CSS
}

// agreementRow is one scenario.
type agreementRow struct {
	Name  string
	Cells []agreementCount
}

// agreementCount is one strategy in one scenario.
type agreementCount struct {
	Verdict      verdictView
	Agree, Cells int
}

type agreementLine struct {
	results.AgreementCell
	VirtualText, LiveText string
}

func agreementHTML(w io.Writer, a results.Agreement, pages []Report) error {
	v := agreementView{
		Verdict: viewVerdict(results.Pass), Headline: "Both worlds agree",
		Sentence: shareOf(a) + ".",
		Facts:    setupFacts(a.Setup), Reports: pages, Style: template.CSS(reportStyle),
	}
	place := map[string]int{}
	for _, c := range a.Cells {
		if _, known := place["strategy "+c.Strategy]; !known {
			place["strategy "+c.Strategy] = len(v.Strategies)
			v.Strategies = append(v.Strategies, c.Strategy)
		}
	}
	for _, c := range a.Cells {
		at, known := place["scenario "+c.Scenario]
		if !known {
			at = len(v.Rows)
			place["scenario "+c.Scenario] = at
			v.Rows = append(v.Rows, agreementRow{c.Scenario, make([]agreementCount, len(v.Strategies))})
		}
		v.Rows[at].Cells[place["strategy "+c.Strategy]].count(c)
		line := agreementLine{c, of(c.Virtual, c.VirtualRuns), of(c.Live, c.LiveRuns)}
		switch {
		case !c.Agree:
			v.Differ = append(v.Differ, line)
		case c.Why != "":
			v.Vary = append(v.Vary, line)
		default:
			v.Alike = append(v.Alike, line)
		}
	}
	if a.Setup != nil && a.Setup.Worker != "" {
		v.Facts = append(v.Facts, "in virtual time: simrun's own locks of these names")
	}
	for _, d := range a.Verdicts {
		v.Verdicts = append(v.Verdicts, fmt.Sprintf("%s, %s: %s.", d.Scenario, d.Strategy, verdictsDiffer(d)))
	}
	if len(v.Differ)+len(v.Verdicts) > 0 {
		v.Verdict, v.Headline = viewVerdict(results.Unknown), "The two worlds do not agree everywhere"
		v.Sentence = shareOf(a) + ". Where they do not is told below."
	}
	v.Interrupted = a.Interrupted
	if len(a.Cells) == 0 || a.Interrupted && len(v.Differ)+len(v.Verdicts) == 0 {
		v.Verdict, v.Headline, v.Sentence = viewVerdict(results.Unknown), headline(results.Unknown), "Not all was run in both worlds."
	}
	return agreementPage.Execute(w, v)
}

func (n *agreementCount) count(c results.AgreementCell) {
	n.Cells++
	if c.Agree {
		n.Agree++
	}
	n.Verdict = viewVerdict(results.Pass)
	if n.Agree < n.Cells {
		n.Verdict = viewVerdict(results.Unknown)
	}
}
