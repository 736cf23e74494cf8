package reports

import (
	"cmp"
	_ "embed"
	"fmt"
	"html/template"

	"github.com/lockchaos/simrun/internal/results"
)

// page is what the template shows. Every text in it is plain: the template
// escapes it for its place.
type page struct {
	Title       string
	Verdict     verdictView
	Headline    string
	Sentence    string
	Facts       []string
	Interrupted bool
	Many        bool
	Strategies  []string // columns of the matrix
	Matrix      []matrixRow
	Letters     []markName // of properties, that the matrix uses
	Misbehaved  string     // what "!" means; empty where the matrix has none
	Scenarios   []scenarioView
	Style       template.CSS
	Script      template.JS
}

type matrixRow struct {
	Name, ID string
	Cells    []matrixCell
}

// matrixCell is one strategy under one scenario; Ran is false where it did not run.
type matrixCell struct {
	Ran     bool
	ID      string
	Verdict verdictView
	Marks   string
	Label   string // the whole cell in words
}

type scenarioView struct {
	Name, ID, Summary, Source string
	Facts                     []string
	Faults                    []string
	Verdict                   verdictView
	Sentence                  string
	Open                      bool
	Table                     tableView
	Charts                    chartsView
	Cells                     []cellView
}

func newPage(r results.Results, f folder) page {
	p := page{
		Title:       "simrun",
		Verdict:     viewVerdict(r.Verdict),
		Headline:    headline(r.Verdict),
		Facts:       append([]string{size(r), pace(r), "mode " + r.Mode}, setupFacts(r.Setup)...),
		Interrupted: r.Interrupted,
		Many:        len(r.Scenarios) > 1,
		Strategies:  strategyNames(r),
		Sentence:    sentence(r),
		Letters:     markNames(r),
	}
	if misbehaved(r) {
		p.Misbehaved = misbehavedText
	}
	for _, sc := range r.Scenarios {
		if p.Many {
			p.Matrix = append(p.Matrix, viewMatrixRow(sc, p.Strategies))
		} else {
			p.Title = "simrun: " + sc.Name
		}
		p.Scenarios = append(p.Scenarios, viewScenario(sc, f, p.Many))
	}
	return p
}

func viewMatrixRow(sc results.Scenario, names []string) matrixRow {
	row := matrixRow{Name: sc.Name, ID: anchor(sc.Name)}
	for _, n := range names {
		s, ok := findStrategy(sc, n)
		c := matrixCell{Ran: ok, ID: anchor(sc.Name, n)}
		if ok {
			c.Verdict, c.Marks = viewVerdict(s.Verdict), marks(s)
			c.Label = fmt.Sprintf("%s under %s: %s, ", n, sc.Name, headline(s.Verdict))
			c.Label += cmp.Or(did(s), "breached nothing")
		}
		row.Cells = append(row.Cells, c)
	}
	return row
}

func viewScenario(sc results.Scenario, f folder, many bool) scenarioView {
	v := scenarioView{
		Name: sc.Name, ID: anchor(sc.Name), Summary: sc.Summary, Source: sc.Source, Faults: sc.Faults,
		Verdict: viewVerdict(sc.Verdict),
		Open:    !many || sc.Verdict != results.Pass,
		Table:   viewTable(sc),
		Charts:  viewCharts(sc),
	}
	if many { // alone, it stands at the top of the page
		v.Sentence = scenarioSentence(sc)
	}
	if sc.Clients > 0 {
		v.Facts = append(v.Facts, plural(sc.Clients, "client", "clients"), "lease "+lease(sc.LeaseMS))
	}
	if sc.File != "" {
		v.Facts = append(v.Facts, "from "+sc.File)
	}
	for _, s := range sc.Strategies {
		v.Cells = append(v.Cells, viewCell(sc, s, f[cellKey{sc.Name, s.Name}], many))
	}
	return v
}
