package reports

import (
	"cmp"
	"embed"
	"fmt"
	"html/template"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/lockchaos/simrun/internal/check"
	"github.com/lockchaos/simrun/internal/results"
	"github.com/lockchaos/simrun/internal/text"
	"github.com/lockchaos/simrun/internal/timeline"
)

// assets are the templates, the style and the scripts of the pages.
//
//go:embed assets
var assets embed.FS

// pageFuncs are what the templates of all pages call.
var pageFuncs = template.FuncMap{
	"anchor": anchor, "broken": brokenText, "cellText": cellText, "clock": timeline.Clock, "find": findStrategy, "findingText": findingText,
	"frames": stackFrames, "join": strings.Join, "letters": letters, "lost": lostText,
	"millis": millis, "mismatchText": mismatchText, "misbehaviour": misbehaviour, "outOf": outOf, "plural": text.Count,
	"thousands": text.Number, "quantity": quantity, "violated": violated, "unknownText": unknownText, "verdictsDiffer": verdictsDiffer, "violation": countViolation, "wrongs": wrongs, "observation": countObservation,
	"nothingSeen": nothingSeen,
	"next":        func(i int) int { return i + 1 },
	"sign":        func(g results.Guarantee) string { return guaranteeSign(g).text },
	"expectation": expectationText, "level": level, "remedy": remedyText,
	"trimDot": func(s string) string { return strings.TrimSuffix(s, ".") },
	"width":   barPercent,
}

// pages are the templates report.tmpl and agreement.tmpl.
var pages = template.Must(template.New("").Funcs(pageFuncs).ParseFS(assets, "assets/*"))

// HTML writes report.html: one file that needs no network and no server. The
// histories that r names are read relative to dir.
func HTML(w io.Writer, dir string, r Results) error {
	all, err := load(dir, r)
	if err != nil {
		return err
	}
	return writeHTML(w, dir, r, all)
}

// reportView is what the template shows. Every text in it is plain: the template
// escapes it for its place.
type reportView struct {
	Results
	Title, Headline, Sentence, Outcome, Next string
	Guarantee                                results.Guarantee
	Standings                                []standingView // of each lock; none for a single scenario
	Facts, Lacks                             []string
	Made                                     *madeView // nil if results.json does not say it
	Links                                    []link    // to files about all scenarios
	Agreement                                string    // address of the page that compares this report with others
	Cells                                    int       // one strategy in one scenario each
	Strategies                               []string  // columns of the matrix; none for a single scenario
	MatrixFacts                              []string
	Letters                                  []letterName // that the matrix uses
	Scenarios                                []scenarioView
}

type standingView struct {
	Name, Text, Avoidable string
	Guarantee             results.Guarantee
}

type scenarioView struct {
	results.Scenario
	Headline         string
	Guarantee        results.Guarantee
	Many             bool // it is one of many
	Facts            []string
	Links            []link // to its charts
	Sentence         string // of one of many; alone, it stands at the top of the page
	Safety, Liveness []string
	SoldOut          bool // some strategy has an expectation about it
	Bars             []shareRow
	Times            []timeRow
	Waits            *waitsView
	Cells            []cellView
}

func writeHTML(w io.Writer, dir string, r Results, all evidences) error {
	v := reportView{
		Results: r, Title: "simrun", Sentence: resultsSentence(r), Outcome: outcome(r), Next: nextStep(r), Letters: letterNames(r), Lacks: notRunTexts(r),
		Facts: append([]string{scopeText(r), paceText(r), "mode " + r.Mode}, setupFacts(r.Setup)...),
	}
	v.Guarantee, v.Headline = headline(r)
	many, files := len(r.Scenarios) > 1, newFolder(dir, r, all)
	v.Made, v.Links, v.Agreement, v.MatrixFacts = newMadeView(r.Made), files.ofRun(many), files.agreement(), matrixFacts(r)
	if many {
		v.Strategies = leadNames(r)
		for _, name := range v.Strategies {
			t, _ := standingOf(r, name)
			v.Standings = append(v.Standings, standingView{name, standingText(r, name), avoidableText(r, name), t.guarantee()})
		}
	}
	for _, sc := range r.Scenarios {
		if !many {
			v.Title += ": " + sc.Name
		}
		v.Scenarios = append(v.Scenarios, newScenarioView(sc, all, files, many))
		v.Cells += len(sc.Strategies)
	}
	return pages.ExecuteTemplate(w, "report.tmpl", v)
}

func newScenarioView(sc results.Scenario, all evidences, files folder, many bool) scenarioView {
	v := scenarioView{Scenario: sc, Many: many, Links: files.ofScenario(sc, many), Waits: newWaitsView(sc.Strategies)}
	v.Guarantee, v.Headline = headline(Results{Scenarios: []results.Scenario{sc}})
	if many {
		v.Sentence = scenarioSentence(sc)
	}
	if sc.Clients > 0 {
		v.Facts = append(v.Facts, text.Count(sc.Clients, "client"), "lease "+exactMillis(sc.LeaseMS))
	}
	if sc.File != "" {
		v.Facts = append(v.Facts, "from "+sc.File)
	}
	for _, name := range properties(sc.Strategies...) {
		if p, _ := check.Lookup(name); p.Liveness {
			v.Liveness = append(v.Liveness, name)
		} else {
			v.Safety = append(v.Safety, name)
		}
	}
	v.Bars, v.Times = violationRows(sc.Strategies), timeRows(sc.Strategies)
	for _, s := range sc.Strategies {
		v.SoldOut = v.SoldOut || s.Expected["sold-out"] != ""
		c := newCellView(sc.Name, s, all[cellKey{sc.Name, s.Name}], many)
		c.Links = files.ofCell(s)
		v.Cells = append(v.Cells, c)
	}
	return v
}

// Properties are the columns of the table: safety, then liveness.
func (v scenarioView) Properties() []string { return slices.Concat(v.Safety, v.Liveness) }

// cellView is one strategy in one scenario, in full.
type cellView struct {
	results.Strategy
	Scenario string
	Links    []link // to its history and trace
	Live     bool
	Steps    []check.Step // of the first violation
	Timeline *timelineView
	Cut      string // why the timeline does not show the whole run
}

// Marks that a timeline of report.html keeps: a report of one scenario stays
// far below 1 MB, one of all scenarios below 5 MB.
const (
	marksAlone  = 900
	marksOfMany = 300
)

func newCellView(scenario string, s results.Strategy, e *evidence, many bool) cellView {
	c := cellView{Strategy: s, Scenario: scenario}
	if e == nil {
		return c
	}
	c.Live, c.Steps = e.header.Mode == "live", e.steps
	limit := marksAlone
	if many {
		if limit = marksOfMany; e.violation == nil {
			return c
		}
	}
	lanes, cut := e.lanes.Clip(e.proof, limit)
	if cut {
		c.Cut = fmt.Sprintf("This shows %s to %s. The whole run is in %s.", timeline.Clock(lanes.Start), timeline.Clock(lanes.End), s.History)
	}
	c.Timeline = newTimelineView(lanes, e)
	return c
}

// Asked says whether the scenario expects the first violation.
func (c cellView) Asked() string {
	switch c.Expected[c.FirstViolation.Property] {
	case "some", "every":
		return "expected"
	case "none":
		return "not expected"
	default:
		return noExpectation
	}
}

const noExpectation = "no expectation"

// countView is a number in the table with what was expected of it.
type countView struct {
	N           int
	Unknown     bool     // nothing was seen, for want of evidence
	Holds       bool     // the strategy's guarantee: the 0 of a broken one is no praise
	Property    string   // that was violated so often; "" if N counts something else
	Notes       []string // on how many runs, and how badly
	Expectation string   // "" if there is nothing to say
	Mismatch    bool
}

// countObservation says how often a strategy did something that is no violation.
func countObservation(s results.Strategy, name string, n int) countView {
	c := countView{N: n, Unknown: n == 0 && s.Guarantee == results.Unclear, Holds: s.Guarantee == results.Holds}
	want := s.Expected[name]
	switch {
	case want != "" && n > 0:
		c.Expectation = "expected"
	case want != "" && !c.Unknown:
		c.Expectation = "as expected"
	}
	for _, m := range s.Mismatches {
		if m.Property == name {
			c.Mismatch, c.Expectation = true, "expected "+wantText(m.Want)
		}
	}
	return c
}

// quantity writes a measured value; "?" for a 0 that nobody measured.
func quantity(s results.Strategy, ms float64) string {
	if ms == 0 && s.Guarantee == results.Unclear {
		return "?"
	}
	return millis(ms)
}

func countViolation(s results.Strategy, property string) countView {
	b := s.Violations[property]
	c := countObservation(s, property, b.Count)
	c.Property = property
	if b.Count > 0 {
		c.Expectation = cmp.Or(c.Expectation, noExpectation)
		c.Notes = append(c.Notes, text.Number(b.Runs)+" of "+text.Count(s.Runs, "run"))
	}
	switch {
	case b.WorstMS > 0:
		c.Notes = append(c.Notes, "worst "+millis(b.WorstMS))
	case b.Worst > 0:
		c.Notes = append(c.Notes, "worst "+text.Number(int(b.Worst)))
	}
	return c
}

var notWord = regexp.MustCompile(`[^a-z0-9.]+`)

// anchor makes an id for a fragment of an address.
func anchor(parts ...string) string {
	var out []string
	for _, p := range parts {
		out = append(out, strings.Trim(notWord.ReplaceAllString(strings.ToLower(p), "-"), "-"))
	}
	return strings.Join(out, "--")
}
