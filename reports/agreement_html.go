package reports

import (
	_ "embed" // the template of agreement.html
	"fmt"
	"html/template"
	"io"

	"github.com/lockchaos/simrun/internal/results"
)

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
