package reports

import (
	"fmt"
	"html/template"
	"regexp"
	"strings"

	"github.com/lockchaos/simrun/sim/results"
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
	Scenarios   []scenarioView
	Style       template.CSS
	Script      template.JS
}

type verdictView struct{ Word, Sign, Text string }

func viewVerdict(v results.Verdict) verdictView {
	return verdictView{v.String(), sign(v).text, strings.ToLower(headline(v))}
}

type matrixRow struct {
	Name, ID string
	Cells    []matrixCell
}

// matrixCell is one strategy under one scenario; Ran is false where it did not run.
type matrixCell struct {
	Ran      bool
	ID       string
	Verdict  verdictView
	Breached []string
	Label    string // the whole cell in words
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
		Facts:       []string{size(r), pace(r), "mode " + r.Mode},
		Interrupted: r.Interrupted,
		Many:        len(r.Scenarios) > 1,
		Strategies:  strategyNames(r),
		Sentence:    sentence(r),
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
			c.Verdict, c.Breached = viewVerdict(s.Verdict), breached(s)
			c.Label = fmt.Sprintf("%s under %s: %s, ", n, sc.Name, headline(s.Verdict))
			if len(c.Breached) > 0 {
				c.Label += "breached " + list(c.Breached)
			} else {
				c.Label += "breached nothing"
			}
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

var notWord = regexp.MustCompile(`[^a-z0-9.]+`)

// anchor makes an id for a fragment of an address.
func anchor(parts ...string) string {
	for i := range parts {
		parts[i] = strings.Trim(notWord.ReplaceAllString(strings.ToLower(parts[i]), "-"), "-")
	}
	return strings.Join(parts, "--")
}

func headline(v results.Verdict) string {
	switch v {
	case results.Pass:
		return "As expected"
	case results.Fail:
		return "Not as expected"
	default:
		return "Too little evidence"
	}
}

// sentence says in one sentence or two what was found.
func sentence(r results.Results) string {
	if len(r.Scenarios) == 1 {
		return scenarioSentence(r.Scenarios[0])
	}
	cells, broken := 0, 0
	var odd []string
	for _, sc := range r.Scenarios {
		for _, s := range sc.Strategies {
			cells++
			if len(breached(s)) > 0 {
				broken++
			}
			if s.Verdict != results.Pass {
				odd = append(odd, s.Name+" under "+sc.Name)
			}
		}
	}
	if cells == 0 {
		return "Nothing ran."
	}
	all := fmt.Sprintf("In %d of %d pairings of a scenario and a strategy the lock breached something", broken, cells)
	switch {
	case len(odd) == 0:
		return all + ", each time as the scenario expects."
	case len(odd) > 4:
		return fmt.Sprintf("%s. %d pairings are not as expected, such as %s.", all, len(odd), list(odd[:3]))
	default:
		return fmt.Sprintf("%s. Not as expected: %s.", all, list(odd))
	}
}

// scenarioSentence groups the strategies by what they breached.
func scenarioSentence(sc results.Scenario) string {
	type group struct {
		what  string
		names []string
		runs  int
	}
	var groups []group
	var odd []string
	for _, s := range sc.Strategies {
		if s.Verdict != results.Pass {
			odd = append(odd, s.Name)
		}
		what := list(breached(s))
		i := 0
		for i < len(groups) && groups[i].what != what {
			i++
		}
		if i == len(groups) {
			groups = append(groups, group{what: what})
		}
		groups[i].names = append(groups[i].names, s.Name)
		groups[i].runs += s.Runs
	}
	if len(groups) == 0 {
		return "Nothing ran."
	}
	var parts []string
	for _, g := range groups {
		if g.what == "" {
			parts = append(parts, fmt.Sprintf("%s breached nothing in %s", list(g.names), plural(g.runs, "run", "runs")))
			continue
		}
		parts = append(parts, fmt.Sprintf("%s breached %s", list(g.names), g.what))
	}
	text := strings.Join(parts, "; ") + "."
	if len(odd) > 0 {
		text += " Not as expected: " + list(odd) + "."
	}
	return text
}
