package reports

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/lockchaos/simrun/internal/results"
	"github.com/lockchaos/simrun/internal/text"
)

// junitSuites is the whole file: its counts are those of a suite, and its own Cases stay empty.
type junitSuites struct {
	XMLName xml.Name `xml:"testsuites"`
	junitSuite
	Suites []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Time     string      `xml:"time,attr"` // real seconds; runs of one suite may overlap
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Name     string       `xml:"name,attr"`
	Class    string       `xml:"classname,attr"`
	Time     string       `xml:"time,attr"` // real seconds that its runs took
	Failures []junitFault `xml:"failure"`
	Errors   []junitFault `xml:"error"`
	Out      string       `xml:"system-out,omitempty"`
}

type junitFault struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
}

// JUnit writes results as JUnit XML: a suite for each scenario, a case for each
// strategy, a failure for each expectation that did not hold. A lock that misbehaved as a
// program, too little evidence, and what was not run are errors: none may read as a pass.
// Suites count cases, as JUnit does, not failures.
func JUnit(w io.Writer, r Results) error { return writeJUnit(w, r, nil) }

// writeJUnit is JUnit with the steps of each first violation whose history is at hand.
func writeJUnit(w io.Writer, r Results, evs evidences) error {
	all := junitSuites{junitSuite: junitSuite{Name: "simrun", Time: wallTime(r.WallSeconds)}}
	add := func(suite junitSuite) {
		for _, c := range suite.Cases {
			suite.Tests++
			switch {
			case len(c.Failures) > 0:
				suite.Failures++
			case len(c.Errors) > 0:
				suite.Errors++
			}
		}
		all.Tests += suite.Tests
		all.Failures += suite.Failures
		all.Errors += suite.Errors
		all.Suites = append(all.Suites, suite)
	}
	for _, sc := range r.Scenarios {
		suite, wall := junitSuite{Name: sc.Name}, 0.0
		for _, s := range sc.Strategies {
			c := junitCell(sc, s, evs[cellKey{sc.Name, s.Name}])
			if lacks := notRunText(r, sc.Name, s.Name); lacks != "" {
				c.Out += lacks + "\n"
			}
			suite.Cases = append(suite.Cases, c)
			wall += s.WallSeconds
		}
		suite.Time = wallTime(wall)
		add(suite)
	}
	for _, suite := range notBegun(r) {
		add(suite)
	}
	b, err := xml.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, b)
	return err
}

// notBegun are the suites of the scenarios that an early end left out.
func notBegun(r Results) (suites []junitSuite) {
	for _, n := range r.NotRun {
		if slices.ContainsFunc(r.Scenarios, func(sc results.Scenario) bool { return sc.Name == n.Scenario }) {
			continue
		}
		i := slices.IndexFunc(suites, func(s junitSuite) bool { return s.Name == n.Scenario })
		if i < 0 {
			i, suites = len(suites), append(suites, junitSuite{Name: n.Scenario, Time: wallTime(0)})
		}
		suites[i].Cases = append(suites[i].Cases, junitCase{Name: n.Strategy, Class: n.Scenario, Time: wallTime(0), Errors: []junitFault{{
			Message: "not run: the run ended before any of " + text.Count(n.PlannedRuns, "planned run"), Type: "not-run",
		}}})
	}
	return suites
}

func wallTime(s float64) string { return fmt.Sprintf("%.3f", s) }

// stepsText tells the first violation of a cell step by step.
func stepsText(s results.Strategy, e *evidence) string {
	if e == nil || len(e.steps) == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\nseed %d: %s: %s\n", s.FirstViolation.Seed, s.FirstViolation.Property, s.FirstViolation.Violation.Text)
	for i, step := range e.steps {
		fmt.Fprintln(&b, step.Line(i+1))
	}
	return b.String()
}

func junitCell(sc results.Scenario, s results.Strategy, e *evidence) junitCase {
	c := junitCase{Name: s.Name, Class: sc.Name, Time: wallTime(s.WallSeconds), Out: junitOut(s)}
	steps := stepsText(s, e)
	for _, m := range s.Mismatches {
		c.Failures = append(c.Failures, junitFault{
			Message: cmp.Or(m.Text, mismatchText(s, m)), Type: m.Property,
			Text: fmt.Sprintf("expected %s, got %s\nreplay: %s\n", m.Want, m.Got, m.Replay) + steps,
		})
	}
	for _, f := range s.Findings {
		c.Errors = append(c.Errors, junitFault{
			Message: findingText(f), Type: f.Class,
			Text: fmt.Sprintf("seed %d\nreplay: %s\n%s\n", f.Seed, f.Replay, f.Stack),
		})
	}
	if s.Verdict == results.Unknown {
		c.Errors = append(c.Errors, junitFault{Message: unknownText(s), Type: "unknown"})
	}
	if s.Verdict == results.Fail && len(c.Failures)+len(c.Errors) == 0 {
		c.Failures = append(c.Failures, junitFault{
			Message: cmp.Or(wrongs(s), "the guarantee is broken"), Type: "guarantee", Text: remedyText(s) + steps,
		})
	}
	return c
}

// junitOut is what a case measured, which is of interest even if it passed.
func junitOut(s results.Strategy) string {
	var b strings.Builder
	fmt.Fprintf(&b, "guarantee %s; as expected: %s\n", s.Guarantee, expectationText(s))
	if remedy := remedyText(s); remedy != "" {
		fmt.Fprintln(&b, remedy)
	}
	fmt.Fprintf(&b, "runs %d, sections %d, aborted %d, rejected writes %d, commands %d\n",
		s.Runs, s.Sections, s.Aborted, s.RejectedWrites, s.Commands)
	for _, p := range violated(s) {
		v := s.Violations[p]
		fmt.Fprintf(&b, "%s %d in %d runs, first with seed %d\n", p, v.Count, v.Runs, v.FirstSeed)
	}
	return b.String()
}
