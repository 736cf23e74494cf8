package reports

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/lockchaos/simrun/internal/check"
	"github.com/lockchaos/simrun/internal/history"
	"github.com/lockchaos/simrun/internal/results"
	"github.com/lockchaos/simrun/internal/timeline"
)

// evidence is one recorded run with what the drawings need of it.
type evidence struct {
	header    history.Header
	events    []history.Event
	violation *check.Violation // nil where the run shows a strategy that held
	steps     []check.Step
	lanes     timeline.Timeline
}

// cellKey names one strategy under one scenario.
type cellKey struct{ scenario, strategy string }

// folder is the histories that results name, by cell.
type folder map[cellKey]*evidence

// load reads the histories of r, whose paths are relative to dir. A history
// that cannot be read whole does not hide the others: what is sound is
// returned beside the error.
func load(dir string, r results.Results) (folder, error) {
	all := folder{}
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
		return nil, fmt.Errorf("%w: history %q is outside of the folder", ErrResults, s.History)
	}
	h, events, err := history.ReadFile(filepath.Join(dir, rel))
	if len(events) == 0 {
		return nil, err
	}
	e := &evidence{header: h, events: events}
	var keep []int
	// A history of another seed than the violation's would be told wrongly.
	if f := s.FirstViolation; f != nil && f.Seed == h.Seed {
		e.violation = &f.Violation
		e.steps = check.Narrate(h, events, f.Violation)
		keep = e.proof()
	}
	e.lanes = timeline.Build(h, events, keep...)
	return e, err
}

// proof lists the events that the steps and the violation point to.
func (e *evidence) proof() []int {
	if e.violation == nil {
		return nil
	}
	seqs := append([]int(nil), e.violation.Events...)
	for _, s := range e.steps {
		if s.Seq != 0 {
			seqs = append(seqs, s.Seq)
		}
	}
	return seqs
}
