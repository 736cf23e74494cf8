package reports

import (
	"fmt"
	"strings"

	"github.com/lockchaos/simrun/internal/results"
	"github.com/lockchaos/simrun/internal/timeline"
)

// Marks that a timeline of report.html keeps: a report of one scenario stays
// far below 1 MB, one of all scenarios below 5 MB.
const (
	marksAlone  = 900
	marksOfMany = 300
)

// cellView is one strategy under one scenario, told in full.
type cellView struct {
	Scenario, Strategy, ID string
	Summary                string
	Verdict                verdictView
	Notes                  []noteView // what is not as expected
	Violation              *violationView
	Held                   string // where there is nothing to blame: what held
	Misdeeds               string // how it misbehaved as a program
	Asked                  string // what the scenario expects of the violation's property
	Timeline               *timelineView
	Cut                    string // why the timeline does not show the whole run
}

type noteView struct {
	Sign, Text, Replay string
	Top                []frame // of the stack
	Stack              string
}

type violationView struct {
	Property, Broken, Text, Clock, Replay string
	Again                                 string // what the command to replay it does
	Steps                                 []stepView
}

type stepView struct {
	N     int
	Clock string
	Text  string
	Seq   int // 0 where the step is of no event
	Key   bool
}

func viewCell(sc results.Scenario, s results.Strategy, e *evidence, many bool) cellView {
	c := cellView{
		Scenario: sc.Name, Strategy: s.Name, ID: anchor(sc.Name, s.Name), Summary: s.Summary,
		Verdict: viewVerdict(s.Verdict), Notes: viewNotes(s),
	}
	c.Misdeeds = misdeeds(s)
	if f := s.FirstViolation; f != nil {
		c.Asked = askedText(s.Expected[f.Property])
		c.Violation = &violationView{
			Property: f.Property, Broken: brokenText(f.Property), Text: strings.TrimSuffix(f.Violation.Text, "."),
			Clock: timeline.Clock(f.Violation.At), Replay: f.Replay, Again: fmt.Sprintf("Replay seed %d:", f.Seed),
		}
		if e != nil {
			if e.header.Mode == "live" {
				c.Violation.Again = fmt.Sprintf("Run seed %d again, though a live run is never quite the same:", f.Seed)
			}
			for i, st := range e.steps {
				c.Violation.Steps = append(c.Violation.Steps, stepView{i + 1, timeline.Clock(st.At), st.Text, st.Seq, st.Key})
			}
		}
	} else if c.Misdeeds == "" {
		c.Held = fmt.Sprintf("breached nothing in %s", plural(s.Runs, "run", "runs"))
	}
	if e == nil || many && e.violation == nil {
		return c
	}
	limit := marksAlone
	if many {
		limit = marksOfMany
	}
	lanes, cut := e.lanes.Clip(e.proof(), limit)
	if cut {
		c.Cut = fmt.Sprintf("Shown: %s to %s. The whole run is in %s.", timeline.Clock(lanes.Start), timeline.Clock(lanes.End), s.History)
	}
	c.Timeline = viewTimeline(lanes, e)
	return c
}

// askedText is what a scenario expects of a property that was breached.
func askedText(want string) string {
	switch want {
	case "some", "every":
		return "expected"
	case "none":
		return "not expected"
	default:
		return "not asked"
	}
}

func viewNotes(s results.Strategy) []noteView {
	var out []noteView
	for _, m := range s.Mismatches {
		out = append(out, noteView{Sign: "✗", Text: mismatchOf(s, m), Replay: m.Replay})
	}
	for _, f := range s.Findings {
		out = append(out, noteView{Sign: "!", Text: findingText(f), Replay: f.Replay, Top: stackFrames(f.Stack, stackLines), Stack: f.Stack})
	}
	if s.UnknownRuns > 0 || s.Verdict == results.Unknown {
		out = append(out, noteView{Sign: "?", Text: unknownText(s)})
	}
	return out
}
