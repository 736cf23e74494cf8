package reports

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/lockchaos/simrun/internal/results"
)

// junitSuites is the whole file: its counts are those of a suite, and its own Cases stay empty.
type junitSuites struct {
	XMLName xml.Name `xml:"testsuites"`
	junitSuite
	Time   string       `xml:"time,attr"` // real seconds
	Suites []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Name     string       `xml:"name,attr"`
	Class    string       `xml:"classname,attr"`
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
// program, and too little evidence, are errors: neither may read as a pass.
// Suites count cases, as JUnit does, not failures.
func JUnit(w io.Writer, r Results) error {
	all := junitSuites{junitSuite: junitSuite{Name: "simrun"}, Time: fmt.Sprintf("%.3f", r.WallSeconds)}
	for _, sc := range r.Scenarios {
		suite := junitSuite{Name: sc.Name}
		for _, s := range sc.Strategies {
			c := junitCell(sc, s)
			suite.Tests++
			switch {
			case len(c.Failures) > 0:
				suite.Failures++
			case len(c.Errors) > 0:
				suite.Errors++
			}
			suite.Cases = append(suite.Cases, c)
		}
		all.Tests += suite.Tests
		all.Failures += suite.Failures
		all.Errors += suite.Errors
		all.Suites = append(all.Suites, suite)
	}
	b, err := xml.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, b)
	return err
}

func junitCell(sc results.Scenario, s results.Strategy) junitCase {
	c := junitCase{Name: s.Name, Class: sc.Name, Out: junitOut(s)}
	for _, m := range s.Mismatches {
		c.Failures = append(c.Failures, junitFault{
			Message: cmp.Or(m.Text, mismatchText(s, m)), Type: m.Property,
			Text: fmt.Sprintf("expected %s, got %s\nreplay: %s\n", m.Want, m.Got, m.Replay),
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
			Message: cmp.Or(wrongs(s), "the guarantee is broken"), Type: "guarantee", Text: remedyText(s),
		})
	}
	return c
}

// junitOut is what a case measured, which is of interest even if it passed.
func junitOut(s results.Strategy) string {
	var b strings.Builder
	fmt.Fprintf(&b, "guarantee %s; as expected: %s\n", s.Guarantee, expectationText(s.Expectation))
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
