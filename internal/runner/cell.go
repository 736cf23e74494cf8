package runner

import (
	"maps"
	"slices"

	"github.com/lockchaos/simrun/internal/check"
	"github.com/lockchaos/simrun/internal/results"
	"github.com/lockchaos/simrun/internal/strategy"
	"github.com/lockchaos/simrun/scenarios"
)

// cell is one scenario under one strategy, over all its seeds.
type cell struct {
	scenario int // index in the plan
	sc       *scenarios.Scenario
	strategy string
	summary  string
	replay   func(seed uint64) string // the command that runs one seed
	again    func() string            // the command that runs all seeds
	oneSeed  bool                     // somebody asked for this very seed

	sum      *aggregate
	next     int // seeds handed out
	out      int // of them, not yet folded
	count    int // seeds in all
	stalls   int // runs that cost the whole bound of the stall monitor
	recorded bool
	path     string // where its history goes, in the result folder
	history  string // the same, once it is there
	seed     uint64 // of the history
	extra    []results.Finding
}

// stallsAtMost is after how many stalls the rest of a cell is not run: each
// costs seconds of real time, and more of them say nothing new.
const stallsAtMost = 3

func (c *cell) givenUp() bool { return c.stalls >= stallsAtMost }

// complete reports whether every seed is in.
func (c *cell) complete() bool { return c.sum.runs == c.count }

// finished reports that nothing more will come.
func (c *cell) finished() bool { return c.out == 0 && (c.next == c.count || c.givenUp()) }

func (c *cell) expect() map[string]scenarios.Expectation {
	st, _ := strategy.Lookup(c.strategy)
	st.Name = c.strategy
	return st.Expected(c.sc)
}

// result judges the cell.
func (c *cell) result() results.Strategy {
	f := c.sum
	r := results.Strategy{
		Name: c.strategy, Summary: c.summary,
		Runs: f.runs, UnknownRuns: f.unknown, UnknownReason: f.unknownWhy.value,
		Sections: f.Sections, Aborted: f.Aborted, RejectedWrites: f.Rejected, ObservedRuns: f.ObservedRuns,
		Commands: f.Commands, VirtualSeconds: float64(f.Virtual) / 1e9,
		Violations: make(map[string]results.Breach),
		InsideMS:   ms(f.Inside), LostMS: ms(f.Lost),
		History: c.history, HistorySeed: c.seed,
	}
	for name, b := range f.breaches {
		x := results.Breach{Count: b.Count, Runs: b.runs, FirstSeed: b.seed}
		if p, _ := check.Lookup(name); p.Unit == check.Nanoseconds {
			x.WorstMS = ms(b.Worst)
		} else {
			x.Worst = b.Worst
		}
		r.Violations[name] = x
	}
	c.addWaits(&r)
	c.listFindings(&r)
	c.judge(&r)
	c.firstViolation(&r)
	return r
}

func (c *cell) addWaits(r *results.Strategy) {
	if c.sum.waits.total == 0 {
		return
	}
	q := c.sum.waits.quantiles(0.5, 0.99, 1)
	r.Wait = results.Quantiles{P50: ms(q[0]), P99: ms(q[1]), Max: ms(q[2])}
	percents := make([]float64, 101)
	for i := range percents {
		percents[i] = float64(i) / 100
	}
	for _, v := range c.sum.waits.quantiles(percents...) {
		r.WaitCDF = append(r.WaitCDF, ms(v))
	}
}

func (c *cell) listFindings(r *results.Strategy) {
	for _, class := range slices.Sorted(maps.Keys(c.sum.findings)) {
		f := c.sum.findings[class]
		r.Findings = append(r.Findings, results.Finding{
			Class: class, Seed: f.first.seed, Count: f.runs,
			Detail: f.first.value.Detail, Stack: f.first.value.Stack, Replay: c.replay(f.first.seed),
		})
	}
	r.Findings = append(r.Findings, c.extra...)
}

// judge sets the verdict, the mismatches, and the reason of an unknown.
func (c *cell) judge(r *results.Strategy) {
	var unsure []string
	held := 0
	r.Expected = make(map[string]string)
	for _, name := range slices.Sorted(maps.Keys(c.expect())) {
		want := c.expect()[name]
		e := c.sum.evidenceFor(name, want)
		r.Expected[name] = string(want)
		switch rule(want, e, c.complete() && !c.oneSeed) {
		case holds:
			held++
		case undecided:
			unsure = append(unsure, undecidedText(name, want, e, c.oneSeed))
		case broken:
			seed := culprit(want, e)
			replay := c.replay(seed)
			if want == scenarios.Some {
				replay = c.again() // no one seed shows that a thing never happens
			}
			r.Mismatches = append(r.Mismatches, results.Mismatch{
				Property: name, Want: string(want), Got: got(e), Seed: seed, Replay: replay,
				Text: brokenText(c.strategy, name, want, e),
			})
		}
	}
	r.Verdict, r.UnknownReason = c.verdict(r, unsure, held)
}

func (c *cell) verdict(r *results.Strategy, unsure []string, held int) (results.Verdict, string) {
	why := r.UnknownReason
	misbehaved := slices.ContainsFunc(r.Findings, c.holdsAgainst)
	switch {
	case len(r.Mismatches) > 0 || misbehaved:
		return results.Fail, why
	case r.UnknownRuns > 0:
		return results.Unknown, why
	case r.Runs == 0:
		return results.Unknown, "nothing ran"
	case !c.complete():
		return results.Unknown, "not all seeds ran"
	case len(c.expect()) == 0:
		return results.Unknown, "the scenario expects nothing of this strategy: name it under expect: in the scenario file, or say which one it is Like where it is registered"
	case len(unsure) > 0 && !(c.oneSeed && held > 0):
		return results.Unknown, unsure[0]
	default:
		return results.Pass, ""
	}
}

// holdsAgainst says whether a finding fails the cell. One about the
// surroundings does not, and a leak that the scenario expects was judged as a
// property.
func (c *cell) holdsAgainst(f results.Finding) bool {
	_, judged := c.expect()[f.Class]
	return !check.OfSurroundings(f.Class) && !judged
}

// firstViolation picks what to tell in full: the first breach that breaks an
// expectation, else the worst property's first breach.
func (c *cell) firstViolation(r *results.Strategy) {
	var pick string
	for _, name := range slices.SortedFunc(maps.Keys(c.sum.breaches), check.Compare) {
		breaks := slices.ContainsFunc(r.Mismatches, func(m results.Mismatch) bool {
			return m.Property == name && m.Want == string(scenarios.None)
		})
		if breaks {
			pick = name
			break
		}
		if pick == "" {
			pick = name
		}
	}
	if pick == "" {
		return
	}
	b := c.sum.breaches[pick]
	r.FirstViolation = &results.FirstViolation{Seed: b.seed, Property: pick, Violation: b.First, Replay: c.replay(b.seed)}
}

// seedToRecord is the seed whose history is kept.
func (c *cell) seedToRecord() (uint64, bool) {
	r := c.result()
	switch {
	case r.FirstViolation != nil:
		return r.FirstViolation.Seed, true
	case len(r.Mismatches) > 0:
		return r.Mismatches[0].Seed, true
	case c.sum.firstEvidence.seed != 0:
		return c.sum.firstEvidence.seed, true
	default:
		return c.sum.firstAlive.seed, c.sum.firstAlive.seed != 0
	}
}

func ms(ns int64) float64 { return float64(ns) / 1e6 }
