package reports

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lockchaos/simrun/internal/results"
	"github.com/lockchaos/simrun/internal/stack"
	"github.com/lockchaos/simrun/internal/text"
)

func verdictsDiffer(v results.Verdicts) string {
	return fmt.Sprintf("the verdict is %s in virtual time and %s live: see both reports", v.Virtual, v.Live)
}

// findingVerbs say how a lock misbehaved as a program, by the class of the finding.
var findingVerbs = map[string]string{
	"not-deterministic": "ran differently when repeated",
	"panic":             "panicked",
	"blocked":           "blocked forever",
	"spin":              "spun without yielding",
	"stuck-time":        "stopped virtual time",
	"leak":              "leaked goroutines",
	"died":              "died on its own",
	"refused":           "refused to start",
	"rubbish":           "sent invalid answers",
	"standstill":        "was stalled by the machine",
	"unwatched":         "could not be observed",
}

// misbehaviour says how a lock misbehaved as a program, and how often.
func misbehaviour(s results.Strategy) string {
	var out []string
	for _, f := range s.Findings {
		out = append(out, fmt.Sprintf("%s in %s of %s", findingVerb(f.Class), text.Number(f.Count), text.Count(s.Runs, "run")))
	}
	return joinWords(out)
}

func findingVerb(class string) string {
	return cmp.Or(findingVerbs[class], "misbehaved ("+class+")")
}

// wrongs says everything that a lock did wrong; "" if it did nothing wrong.
func wrongs(s results.Strategy) string {
	var out []string
	if v := violated(s); len(v) > 0 {
		out = append(out, "violated "+joinWords(v))
	}
	if m := misbehaviour(s); m != "" {
		out = append(out, m)
	}
	return strings.Join(out, ", and ")
}

// mismatchText does not name the strategy: its name already stands before it.
func mismatchText(s results.Strategy, m results.Mismatch) string {
	mismatch := cmp.Or(m.Text, fmt.Sprintf("%s: expected %s, got %s", m.Property, wantText(m.Want), m.Got))
	return strings.TrimPrefix(mismatch, s.Name+": ")
}

func wantText(want string) string {
	if want == "every" {
		return "it in every run"
	}
	return want
}

func findingText(f results.Finding) string {
	return fmt.Sprintf("%s in %s: %s", f.Class, text.Count(f.Count, "run"), f.Detail)
}

// nothingSeen says of a lock that did nothing wrong how much that means.
func nothingSeen(s results.Strategy) string {
	if s.Guarantee == results.Unclear {
		return "too little evidence"
	}
	return "no violations"
}

// cellText says in one line what a lock did in a scenario.
func cellText(sc results.Scenario, s results.Strategy) string {
	out := fmt.Sprintf("%s in %s: %s, %s", s.Name, sc.Name, s.Guarantee, cmp.Or(wrongs(s), nothingSeen(s)))
	if s.Expectation == results.Changed {
		out += ", not as expected"
	}
	return out
}

// unknownText says why a strategy has too little evidence; "" if it has enough.
func unknownText(s results.Strategy) string {
	if s.UnknownRuns == 0 && s.Verdict != results.Unknown {
		return ""
	}
	why := "too little evidence"
	if s.Guarantee == results.Broken {
		why = "too little evidence to judge what was expected"
	}
	if s.UnknownRuns > 0 {
		why += fmt.Sprintf(" in %d of %s", s.UnknownRuns, text.Count(s.Runs, "run"))
	}
	if s.UnknownRuns > 1 {
		why += "; the first of them"
	}
	if s.UnknownReason != "" {
		why += ": " + s.UnknownReason
	}
	return why
}

// frame is one call of a stack.
type frame struct{ Call, Place string }

// stackLines is how much of a stack a report shows at once.
const stackLines = 6

// stackFrames returns the innermost calls, at most stackLines, of the first
// goroutine that shows the lock's code: the lock's own calls, or all of the first
// goroutine where none shows the lock.
func stackFrames(dump string) []frame {
	var first []stack.Frame
	for block := range strings.SplitSeq(dump, "\n\n") {
		frames := stack.Frames(block)
		own := slices.DeleteFunc(slices.Clone(frames), func(f stack.Frame) bool { return f.Owner() != stack.Lock })
		if len(own) > 0 {
			first = own
			break
		}
		if len(first) == 0 {
			first = frames
		}
	}
	var out []frame
	for _, f := range first[:min(stackLines, len(first))] {
		call := f.Func
		if f.Created {
			call = "started by " + call
		}
		out = append(out, frame{call, f.Place})
	}
	return out
}

// resultsSentence sums up the results of a single scenario; of many, each has its
// own sentence.
func resultsSentence(r Results) string {
	if len(r.Scenarios) != 1 {
		return ""
	}
	return scenarioSentence(r.Scenarios[0])
}

// scenarioSentence groups the strategies by what they did wrong.
func scenarioSentence(sc results.Scenario) string {
	type group struct {
		what  string
		names []string
		runs  int
	}
	var groups []group
	var odd []string
	for _, s := range sc.Strategies {
		if s.Expectation == results.Changed {
			odd = append(odd, s.Name)
		}
		what := wrongs(s)
		if what == "" && s.Guarantee == results.Unclear {
			what = "showed too little to tell"
		}
		// The text of a finding counts the runs of its strategy alone.
		i := slices.IndexFunc(groups, func(g group) bool { return g.what == what && len(s.Findings) == 0 })
		if i < 0 {
			i, groups = len(groups), append(groups, group{what: what})
		}
		groups[i].names = append(groups[i].names, s.Name)
		groups[i].runs += s.Runs
	}
	if len(groups) == 0 {
		return "Nothing ran."
	}
	var parts []string
	for _, g := range groups {
		what := cmp.Or(g.what, "had no violations in "+text.Count(g.runs, "run"))
		parts = append(parts, joinWords(g.names)+" "+what)
	}
	text := strings.Join(parts, "; ") + "."
	if len(odd) > 0 {
		text += " Not as expected: " + joinWords(odd) + "."
	}
	return text
}

// scopeText says how much was run.
func scopeText(r Results) string {
	runs := 0
	for _, sc := range r.Scenarios {
		for _, s := range sc.Strategies {
			runs += s.Runs
		}
	}
	return fmt.Sprintf("%s, %s, %s", text.Count(len(r.Scenarios), "scenario"), text.Count(len(strategyNames(r)), "strategy"), text.Count(runs, "run"))
}

// paceText compares the scenarios' time with real time.
func paceText(r Results) string {
	kind := "virtual time"
	if r.Setup != nil {
		kind = "scenario time"
	}
	s := fmt.Sprintf("%s of %s in %s", text.MeasuredSeconds(r.VirtualSeconds), kind, text.MeasuredSeconds(r.WallSeconds))
	if r.WallSeconds > 0 {
		s += fmt.Sprintf(" (%s times real time)", text.Number(int(r.VirtualSeconds/r.WallSeconds)))
	}
	return s
}

// setupFacts describe what live runs used.
func setupFacts(s *results.Setup) []string {
	if s == nil {
		return nil
	}
	facts := []string{s.Redis, "Toxiproxy " + s.Toxiproxy, fmt.Sprintf("%g times faster than the scenario", s.Scale)}
	if s.Worker != "" {
		facts = append(facts, "workers: "+text.OneLine(s.Worker))
	}
	return facts
}

// millis writes a measured duration given in milliseconds.
func millis(v float64) string { return text.MeasuredSeconds(v / 1000) }

// exactMillis writes a configured duration, or one of an axis, given in milliseconds.
func exactMillis(v float64) string {
	return text.Duration(time.Duration(v * float64(time.Millisecond)))
}

// lostText is the share of the time in the critical section without the lease.
func lostText(s results.Strategy) string {
	switch share := s.LostMS / s.InsideMS; {
	case s.LostMS <= 0 && s.Guarantee == results.Unclear:
		return "?"
	case s.LostMS <= 0 || s.InsideMS <= 0:
		return "0 %"
	case share < 0.001:
		return "< 0.1 %"
	default:
		return fmt.Sprintf("%.1f %%", 100*share)
	}
}

// barPercent is the width of a bar for CSS, in percent of the longest.
func barPercent(part, longest float64) string {
	if longest <= 0 || part <= 0 {
		return "0"
	}
	return fmt.Sprintf("%.2f", 100*part/longest)
}

// outOf writes a number of runs: "23 of 30".
func outOf(n, runs int) string { return fmt.Sprintf("%s of %s", text.Number(n), text.Number(runs)) }

// joinWords joins words for a sentence: "a, b and c".
func joinWords(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}
