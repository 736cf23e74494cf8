package reports

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/lockchaos/simrun/internal/check"
	"github.com/lockchaos/simrun/internal/history"
	"github.com/lockchaos/simrun/internal/results"
	"github.com/lockchaos/simrun/internal/timeline"
)

// evidence is one recorded run, with what is drawn from it.
type evidence struct {
	header    history.Header
	events    []history.Event
	violation *check.Violation // nil if the run shows a strategy that held
	steps     []check.Step
	proof     []int // Seq of the events that the violation and the steps point to
	lanes     timeline.Timeline
}

// evidences are the histories that results name.
type evidences map[cellKey]*evidence

// load reads the histories of r, whose paths are relative to dir. A history that
// cannot be read completely does not hide the others: load returns what is sound
// beside the error.
func load(dir string, r Results) (evidences, error) {
	all := evidences{}
	var errs []error
	for _, sc := range r.Scenarios {
		for _, s := range sc.Strategies {
			if s.History == "" {
				continue
			}
			e, err := readEvidence(dir, s)
			if err != nil {
				errs = append(errs, fmt.Errorf("scenario %s, strategy %s: %w", sc.Name, s.Name, err))
			}
			if e != nil {
				all[cellKey{sc.Name, s.Name}] = e
			}
		}
	}
	return all, errors.Join(errs...)
}

func readEvidence(dir string, s results.Strategy) (*evidence, error) {
	rel := filepath.FromSlash(s.History)
	if !filepath.IsLocal(rel) {
		return nil, fmt.Errorf("%w: history %q is outside the folder", ErrResults, s.History)
	}
	h, events, err := history.ReadFile(filepath.Join(dir, rel))
	if len(events) == 0 {
		return nil, err
	}
	// The history may be of another seed than the first violation.
	if f := s.FirstViolation; f != nil && f.Seed == h.Seed {
		return newEvidence(h, events, &f.Violation), err
	}
	return newEvidence(h, events, nil), err
}

func newEvidence(h history.Header, events []history.Event, v *check.Violation) *evidence {
	e := &evidence{header: h, events: events, violation: v}
	if v != nil {
		e.steps = check.Narrate(h, events, *v)
		e.proof = slices.Clone(v.Events)
		for _, s := range e.steps {
			e.proof = append(e.proof, s.Seq)
		}
	}
	e.lanes = timeline.Build(h, events, e.proof...)
	return e
}

// violations are all of the run: first the one that the results tell in full, then
// those that judging the history again shows.
func (e *evidence) violations() (all []check.Violation) {
	if e.violation != nil {
		all = append(all, *e.violation)
	}
	j := check.NewJudge(e.header)
	for i := range e.events {
		j.Event(&e.events[i])
	}
	for _, v := range j.Report().Violations {
		if e.violation == nil || v.Property != e.violation.Property || !slices.Equal(v.Events, e.violation.Events) {
			all = append(all, v)
		}
	}
	return all
}

// firstProof is when the first event that proves the violation happened.
func (e *evidence) firstProof() int64 {
	i := slices.IndexFunc(e.events, func(x history.Event) bool { return slices.Contains(e.violation.Events, x.Seq) })
	if i < 0 {
		return e.violation.At
	}
	return min(e.violation.At, e.events[i].At)
}
