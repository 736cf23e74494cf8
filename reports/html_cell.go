package reports

import (
	_ "embed"
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
				name := s.Name + " under " + sc.Name
				if m := misdeeds(s); m != "" {
					name += " (" + m + ")"
				}
				odd = append(odd, name)
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
		// A count of runs is of one strategy alone.
		what, i := did(s), 0
		for i < len(groups) && (groups[i].what != what || len(s.Findings) > 0) {
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
		parts = append(parts, fmt.Sprintf("%s %s", list(g.names), g.what))
	}
	text := strings.Join(parts, "; ") + "."
	if len(odd) > 0 {
		text += " Not as expected: " + list(odd) + "."
	}
	return text
}
