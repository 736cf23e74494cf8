package sim

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/lockchaos/simrun/sim/check"
	"github.com/lockchaos/simrun/sim/history"
)

var progress atomic.Uint64

// Progress grows with every event of every run in this process. Where it stands
// still while a run goes on, virtual time stands still, or a goroutine spins.
func Progress() uint64 { return progress.Load() }

// recorder takes the events of one run in their order.
type recorder struct {
	start  time.Time
	keep   bool
	notify func(*history.Event) // called for each event, without a lock

	mu     sync.Mutex
	judge  *check.Judge
	events []history.Event
	seq    int
	closed bool
	why    bool // something recorded explains goroutines that outlive the run
}

func newRecorder(h history.Header, keep bool) *recorder {
	return &recorder{start: time.Now(), keep: keep, judge: check.NewJudge(h)}
}

// emit stamps an event and records it. What comes after the end is not part of
// the run.
func (r *recorder) emit(e history.Event) {
	progress.Add(1)
	r.mu.Lock()
	if r.closed {
		r.mu.Unlock()
		return
	}
	r.seq++
	e.Seq = r.seq
	e.At = int64(time.Since(r.start))
	r.judge.Event(&e)
	if r.keep {
		r.events = append(r.events, e)
	}
	r.closed = e.Kind == history.End
	switch e.Kind {
	case history.Finding, history.Residue, history.Crashed:
		r.why = true
	}
	r.mu.Unlock()
	if r.notify != nil {
		r.notify(&e)
	}
}

// report says that the history is complete.
func (r *recorder) report() check.Report {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.judge.Report()
}

// explained reports whether something recorded accounts for goroutines that
// outlive the run.
func (r *recorder) explained() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.why
}
