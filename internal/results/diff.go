package results

import (
	"cmp"
	"slices"

	"github.com/lockchaos/simrun/internal/check"
)

// Change says how a cell differs between two results.
type Change uint8

// The changes, in the order in which they are shown. Otherwise: neither worse nor
// better, or it cannot be told, since a run less or too little evidence hides what was
// broken before.
const (
	Worse Change = iota
	Otherwise
	Better
	Added
	Removed
	Unchanged
)

// Diff is what changed from one result to a later one.
type Diff struct {
	Old, New Results
	Cells    []CellDiff // those that are unchanged, too; in the order of Change, then of New
}

// CellDiff compares one cell.
type CellDiff struct {
	Scenario, Strategy string
	Change             Change
	Was, Is            *Strategy // nil if the cell was added, or removed
}

// Compare compares two results, cell by cell.
func Compare(older, newer Results) Diff {
	d := Diff{Old: older, New: newer}
	before := older.cells()
	for _, c := range newer.cells() {
		if i := slices.IndexFunc(before, c.names); i >= 0 {
			c.Was = before[i].Is
			before = slices.Delete(before, i, i+1)
		}
		c.Change = c.change()
		d.Cells = append(d.Cells, c)
	}
	for _, c := range before {
		c.Was, c.Is, c.Change = c.Is, nil, Removed
		d.Cells = append(d.Cells, c)
	}
	slices.SortStableFunc(d.Cells, func(a, b CellDiff) int { return cmp.Compare(a.Change, b.Change) })
	return d
}

// cells lists the cells of r, each in Is.
func (r Results) cells() (all []CellDiff) {
	for _, sc := range r.Scenarios {
		for i := range sc.Strategies {
			s := &sc.Strategies[i]
			all = append(all, CellDiff{Scenario: sc.Name, Strategy: s.Name, Is: s})
		}
	}
	return all
}

func (c CellDiff) names(o CellDiff) bool { return c.Scenario == o.Scenario && c.Strategy == o.Strategy }

func (c CellDiff) change() Change {
	was, is := c.Was, c.Is
	if was == nil {
		return Added
	}
	rank := func(s *Strategy) int { return slices.Index([]Guarantee{Holds, Unclear, Broken}, s.Guarantee) }
	more := slices.ContainsFunc(is.Wrongs(), func(w string) bool { return !slices.Contains(was.Wrongs(), w) })
	fewer := slices.ContainsFunc(was.Wrongs(), func(w string) bool { return !slices.Contains(is.Wrongs(), w) })
	hidden := is.Guarantee == Unclear && is.Runs < was.Runs
	switch {
	case rank(is) > rank(was) && !hidden, more,
		was.Expectation == AsExpected && is.Expectation == Changed,
		was.Harm != "" && is.Harm != "" && check.Compare(is.Harm, was.Harm) < 0:
		return Worse
	case !hidden && rank(is) == rank(was) && !fewer && is.Expectation == was.Expectation:
		return Unchanged
	case is.Guarantee == Unclear, is.UnknownRuns > 0, is.Runs < was.Runs:
		return Otherwise
	case rank(is) < rank(was), fewer, was.Expectation == Changed && is.Expectation == AsExpected:
		return Better
	default:
		return Otherwise
	}
}

// Wrongs lists everything that the lock did wrong: the properties that it breached,
// the worst first, then the classes of findings that are held against it.
func (s *Strategy) Wrongs() []string {
	var names []string
	for name, b := range s.Violations {
		if b.Count > 0 {
			names = append(names, name)
		}
	}
	for _, f := range s.Findings {
		if !check.OfSurroundings(f.Class) && !slices.Contains(names, f.Class) {
			names = append(names, f.Class)
		}
	}
	slices.SortFunc(names, check.Compare)
	return names
}

// Count is how many cells changed so.
func (d Diff) Count(c Change) (n int) {
	for _, cell := range d.Cells {
		if cell.Change == c {
			n++
		}
	}
	return n
}

// Comparable reports whether any cell is in both results.
func (d Diff) Comparable() bool { return d.Count(Added)+d.Count(Removed) < len(d.Cells) }

// Verdict is about change alone: fail if something got worse, unknown if that cannot
// be told. A cell that was not there before is judged as usual, and one that is not
// there any more does not count.
func (d Diff) Verdict() Verdict {
	v := Pass
	for _, c := range d.Cells {
		switch {
		case c.Change == Worse, c.Change == Added && c.Is.Verdict == Fail:
			return Fail
		case c.Is != nil && (c.Is.Verdict == Unknown || c.Is.Guarantee == Unclear):
			v = Unknown
		}
	}
	if d.New.Interrupted || len(d.New.Scenarios) == 0 {
		return Unknown
	}
	return v
}
