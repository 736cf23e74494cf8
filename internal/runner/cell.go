package runner

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/lockchaos/simrun/internal/check"
	"github.com/lockchaos/simrun/internal/results"
	"github.com/lockchaos/simrun/internal/strategy"
	"github.com/lockchaos/simrun/scenarios"
)

// cell is one scenario under one strategy, over all its seeds.
type cell struct {
	scenario int // index in the plan
	sc       *scenarios.Scenario
	strategy strategy.Strategy
	live     bool
	command  string // runs the cell, once its seeds are added
	oneSeed  bool   // see Plan.Replay

	sum    *aggregate
	next   int           // seeds handed out
	out    int           // of them, not yet in
	count  int           // seeds in all
	stalls int           // runs that cost the whole Options.Stall
	wall   time.Duration // that the runs took, added up
	closed bool
	path   string // of its history, in the result folder
	seed   uint64 // of the history; 0: not recorded yet
	extra  []results.Finding
}

func newCell(scenario int, in Input, name string, p Plan, o Options) *cell {
	st, _ := strategy.Lookup(name)
	st.Name = name // even if it is unknown
	return &cell{
		scenario: scenario, sc: in.Scenario, strategy: st, live: o.Live != nil,
		command: command(o.Program, in, name), oneSeed: p.Replay,
		sum: newAggregate(), count: p.Count,
	}
}

// command returns the command that runs one cell, without its seeds.
func command(program string, in Input, strategy string) string {
	name := in.Scenario.Name
	if in.Source != nil {
		name = in.Scenario.File
	}
	return fmt.Sprintf("%s -scenario %s -strategy %s", program, Quote(name), Quote(strategy))
}

var plain = regexp.MustCompile(`^[A-Za-z0-9_./:@%+=,-]+$`)

// Quote makes s one word of a POSIX shell.
func Quote(s string) string {
	if plain.MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// replay returns the command that runs one seed.
func (c *cell) replay(seed uint64) string { return fmt.Sprintf("%s -seed %d", c.command, seed) }

// maxStalls is the number of stalls after which the rest of a cell is not run:
// each costs seconds of real time, and more of them say nothing new.
const maxStalls = 3

func (c *cell) givenUp() bool { return c.stalls >= maxStalls }

// complete reports whether every seed is in.
func (c *cell) complete() bool { return c.sum.runs == c.count }

// finished reports whether no more seeds will come in.
func (c *cell) finished() bool { return c.out == 0 && (c.next == c.count || c.givenUp()) }

// result judges the cell.
func (c *cell) result() results.Strategy {
	a := c.sum
	r := results.Strategy{
		Name: c.strategy.Name, Summary: c.strategy.Summary,
		Runs: a.runs, UnknownRuns: a.unknown, UnknownReason: a.unknownReason, BrokenRuns: a.broken,
		Sections: a.Sections, Aborted: a.Aborted, RejectedWrites: a.Rejected, ObservedRuns: a.ObservedRuns,
		Commands: a.Commands, VirtualSeconds: float64(a.Virtual) / 1e9, WallSeconds: c.wall.Seconds(),
		Violations: make(map[string]results.Breach),
		InsideMS:   ms(a.Inside), LostMS: ms(a.Lost),
	}
	if c.seed != 0 {
		r.History, r.HistorySeed = c.path, c.seed
	}
	for name, sum := range a.breaches {
		b := sum.Breach
		if p, _ := check.Lookup(name); p.Unit == check.Nanoseconds {
			b.Worst, b.WorstMS = 0, ms(b.Worst)
		}
		r.Violations[name] = b
	}
	c.addWaits(&r)
	for _, class := range slices.Sorted(maps.Keys(a.findings)) {
		f := *a.findings[class]
		f.Replay = c.replay(f.Seed)
		r.Findings = append(r.Findings, f)
	}
	r.Findings = append(r.Findings, c.extra...)
	c.judge(&r)
	c.firstViolation(&r)
	return r
}

func (c *cell) addWaits(r *results.Strategy) {
	if c.sum.waits.total == 0 {
		return
	}
	var percents []float64
	for i := range 101 {
		percents = append(percents, float64(i)/100)
	}
	for _, v := range c.sum.waits.quantiles(percents...) {
		r.WaitCDF = append(r.WaitCDF, ms(v))
	}
	r.Wait = results.Quantiles{P50: r.WaitCDF[50], P99: r.WaitCDF[99], Max: r.WaitCDF[100]}
}

// judge sets the guarantee, the verdict, the mismatches, and the reason of an
// unknown verdict.
func (c *cell) judge(r *results.Strategy) {
	terms := c.strategy.Terms(c.sc, c.sum.Fenced > 0)
	misbehaved := slices.ContainsFunc(r.Findings, func(f results.Finding) bool { return holdsAgainst(f, terms) })
	r.JudgeGuarantee(c.complete())
	var unsure []string
	held := 0
	r.HeldTo, r.Expected = terms.HeldTo, make(map[string]string)
	for _, name := range slices.Sorted(maps.Keys(terms.Expected)) {
		want := terms.Expected[name]
		e := c.sum.evidenceFor(name, want)
		r.Expected[name] = string(want)
		switch rule(want, e, c.complete() && !c.oneSeed) {
		case holds:
			held++
		case undecided:
			unsure = append(unsure, undecidedText(e, name, c.oneSeed))
		case broken:
			r.Mismatches = append(r.Mismatches, c.mismatch(name, want, e))
		}
	}
	for _, name := range slices.SortedFunc(maps.Keys(c.sum.breaches), check.Compare) {
		// A real machine shows more than virtual time does.
		if _, judged := terms.Expected[name]; !judged && !c.live && !terms.Tolerate(name) {
			b := c.sum.breaches[name]
			r.Mismatches = append(r.Mismatches, c.mismatch(name, scenarios.None,
				evidence{runs: c.sum.runs, with: b.Runs, total: b.Count, firstWith: b.FirstSeed}))
		}
	}
	unsureOf := ""
	if len(unsure) > 0 && !(c.oneSeed && held > 0) {
		unsureOf = unsure[0]
	}
	r.Verdict, r.Expectation, r.UnknownReason = c.verdict(r, terms.Asked(), misbehaved, unsureOf)
}

func (c *cell) mismatch(name string, want scenarios.Expectation, e evidence) results.Mismatch {
	seed, sentence := brokenBy(e, name, want)
	replay := c.replay(seed)
	if want == scenarios.Some { // no one seed shows what never happens
		replay = fmt.Sprintf("%s -seeds %d", c.command, c.count)
	}
	return results.Mismatch{
		Property: name, Want: string(want), Got: e.got(), Seed: seed, Replay: replay,
		Text: c.strategy.Name + ": " + sentence,
	}
}

// verdict returns the verdict, how the expectation stands, and the reason of an
// unknown verdict. unsure says why an expectation could not be judged.
func (c *cell) verdict(r *results.Strategy, asked, misbehaved bool, unsure string) (results.Verdict, results.Expectation, string) {
	why := r.UnknownReason
	switch {
	case len(r.Mismatches) > 0 || misbehaved:
		return results.Fail, results.Changed, why
	case !asked && r.Guarantee == results.Broken:
		return results.Fail, results.NotAsked, why
	case r.UnknownRuns > 0:
		return results.Unknown, results.NotAsked, why
	case r.Runs == 0:
		return results.Unknown, results.NotAsked, "nothing ran"
	case !c.complete():
		return results.Unknown, results.NotAsked, "not all seeds ran"
	case !asked:
		return results.Pass, results.NotAsked, ""
	case unsure != "":
		return results.Unknown, results.NotAsked, unsure
	default:
		return results.Pass, results.AsExpected, ""
	}
}

// holdsAgainst reports whether a finding fails the cell. One about the
// surroundings does not, and a leak that the scenario expects was judged as a
// property.
func holdsAgainst(f results.Finding, terms strategy.Terms) bool {
	_, judged := terms.Expected[f.Class]
	return !check.OfSurroundings(f.Class) && !judged
}

// firstViolation picks the violation that is reported in full: the first breach of
// the worst property that breaks an expectation, else of the worst property.
func (c *cell) firstViolation(r *results.Strategy) {
	names := slices.SortedFunc(maps.Keys(c.sum.breaches), check.Compare)
	if len(names) == 0 {
		return
	}
	pick := max(0, slices.IndexFunc(names, func(name string) bool {
		return slices.ContainsFunc(r.Mismatches, func(m results.Mismatch) bool {
			return m.Property == name && m.Want == string(scenarios.None)
		})
	}))
	b := c.sum.breaches[names[pick]]
	p, _ := check.Lookup(names[pick])
	r.FirstViolation = &results.FirstViolation{
		Seed: b.FirstSeed, Property: names[pick], Violation: b.first, Unit: p.Unit, Replay: c.replay(b.FirstSeed),
	}
}

// seedToRecord returns the seed whose history is kept; 0 if there is none.
func (c *cell) seedToRecord() uint64 {
	switch r := c.result(); {
	case r.FirstViolation != nil:
		return r.FirstViolation.Seed
	case len(r.Mismatches) > 0:
		return r.Mismatches[0].Seed
	}
	return cmp.Or(c.sum.firstEvidence, c.sum.firstAlive)
}

func ms(ns int64) float64 { return float64(ns) / 1e6 }
