package engine

import (
	"sync"
	"sync/atomic"

	"github.com/lockchaos/simrun/internal/check"
	"github.com/lockchaos/simrun/internal/history"
)

var progress atomic.Uint64

// Progress grows with every event of every run in this process. If it stands still
// during a run, virtual time stands still, or a goroutine spins.
func Progress() uint64 { return progress.Load() }

// Recorder records the events of one run, in their order.
type Recorder struct {
	// Notify, if not nil, is called for each event, without a lock. Set it
	// before the first event.
	Notify func(*history.Event)

	clock Clock
	keep  bool

	mu        sync.Mutex
	judge     *check.Judge
	events    []history.Event
	seq       int
	closed    bool
	explained bool // see Explained
}

// NewRecorder makes a recorder, which keeps the events themselves if keep is true.
func NewRecorder(c Clock, h history.Header, keep bool) *Recorder {
	return &Recorder{clock: c, keep: keep, judge: check.NewJudge(h)}
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

// Report returns the judgement. The history must be complete.
func (r *Recorder) Report() check.Report {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.judge.Report()
}

// Explained reports whether something recorded accounts for goroutines that
// outlive the run.
func (r *Recorder) Explained() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.explained
}

// Events are the events that were kept.
func (r *Recorder) Events() []history.Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.events
}
