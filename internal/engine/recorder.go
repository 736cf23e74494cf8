package engine

import (
	"sync"
	"sync/atomic"

	"github.com/lockchaos/simrun/internal/check"
	"github.com/lockchaos/simrun/internal/history"
	"github.com/lockchaos/simrun/internal/strategy"
	"github.com/lockchaos/simrun/scenarios"
)

// Job is one run.
type Job struct {
	Scenario *scenarios.Scenario
	Strategy strategy.Strategy
	Seed     uint64
	Record   bool // keep the events in Outcome.Events
}

// Outcome is what one run gave.
type Outcome struct {
	Header history.Header
	Report check.Report
	Events []history.Event // if Record
}

// Header is what a judge has to know about the run. Mode is "sim" or "live".
func (j Job) Header(mode string) history.Header {
	s := j.Scenario
	h := history.Header{
		Version:     history.FormatVersion,
		Mode:        mode,
		Scenario:    s.Name,
		Strategy:    j.Strategy.Name,
		Seed:        j.Seed,
		Clients:     s.ClientNames(),
		Sections:    s.Sections,
		MinSections: s.MinSections,
		Lease:       int64(s.Lease),
		Stock:       s.Stock,
		Bounds:      map[string]int64{},
	}
	for _, f := range s.Faults {
		h.Faults = append(h.Faults, f.ID)
	}
	for property, bound := range s.Bounds {
		h.Bounds[property] = int64(bound)
	}
	return h
}

var progress atomic.Uint64

// Progress grows with every event of every run in this process. If it stands still
// during a run, virtual time stands still, or a goroutine spins.
func Progress() uint64 { return progress.Load() }

// Recorder records the events of one run, in their order.
type Recorder struct {
	// Notify, if not nil, is called for each event, without a lock. Set it
	// before the first event.
	Notify func(*history.Event)

	clock  Clock
	header history.Header
	keep   bool

	mu        sync.Mutex
	judge     *check.Judge
	events    []history.Event
	seq       int
	closed    bool
	explained bool // see Explained
}

// NewRecorder makes a recorder, which keeps the events themselves if keep is true.
func NewRecorder(c Clock, h history.Header, keep bool) *Recorder {
	return &Recorder{clock: c, header: h, keep: keep, judge: check.NewJudge(h)}
}

// Emit stamps an event and records it. Events after the end are dropped.
func (r *Recorder) Emit(e history.Event) {
	progress.Add(1)
	r.mu.Lock()
	if r.closed {
		r.mu.Unlock()
		return
	}
	r.seq++
	e.Seq = r.seq
	e.At = int64(r.clock.Now())
	r.judge.Event(&e)
	if r.keep {
		r.events = append(r.events, e)
	}
	r.closed = e.Kind == history.End
	switch e.Kind {
	case history.Finding, history.Residue, history.Crashed:
		r.explained = true
	}
	r.mu.Unlock()
	if r.Notify != nil {
		r.Notify(&e)
	}
}

// Outcome judges the history, which must be complete.
func (r *Recorder) Outcome() Outcome {
	r.mu.Lock()
	defer r.mu.Unlock()
	return Outcome{Header: r.header, Report: r.judge.Report(), Events: r.events}
}

// Explained reports whether something recorded accounts for goroutines that
// outlive the run.
func (r *Recorder) Explained() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.explained
}
