package runner

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/lockchaos/simrun/internal/check"
	"github.com/lockchaos/simrun/internal/results"
)

// queue hands out seeds in small batches, and collects their results.
type queue struct {
	plan  Plan
	opt   Options
	batch int

	mu       sync.Mutex
	cells    []*cell
	record   []task // histories to record, before more seeds
	progress Progress
}

// task is a batch of seeds of one cell, or the recording of one.
type task struct {
	cell   *cell
	first  uint64
	count  int
	record bool
}

func newQueue(p Plan, o Options) *queue {
	q := &queue{plan: p, opt: o, batch: min(max(p.Count/(4*o.Procs), 1), 25)}
	if o.Live != nil {
		q.batch = 1
	}
	histories := p.histories()
	for i, in := range p.Scenarios {
		for j, name := range p.Strategies(in.Scenario) {
			c := newCell(i, in, name, p, o)
			c.path = histories[i][j]
			q.cells = append(q.cells, c)
		}
	}
	q.progress = Progress{Runs: len(q.cells) * p.Count, Cells: len(q.cells)}
	o.Progress(q.progress)
	return q
}

// take returns the next task, if there is one.
func (q *queue) take() (task, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if n := len(q.record); n > 0 {
		t := q.record[n-1]
		q.record = q.record[:n-1]
		return t, true
	}
	c := q.nextCell()
	if c == nil {
		return task{}, false
	}
	t := task{cell: c, first: q.plan.First + uint64(c.next), count: min(q.batch, c.count-c.next)}
	c.next += t.count
	c.out += t.count
	return t, true
}

// nextCell returns the cell with the fewest seeds handed out in the first scenario
// that has any left: after an interrupt, its strategies can be compared.
func (q *queue) nextCell() *cell {
	var pick *cell
	for _, c := range q.cells {
		switch {
		case c.next == c.count || c.givenUp():
		case pick == nil, c.scenario == pick.scenario && c.next < pick.next:
			pick = c
		}
	}
	return pick
}

// add adds one run, which took wall of real time, to its cell.
func (q *queue) add(c *cell, t *runSummary, dead bool, wall time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	c.sum.add(t, dead)
	c.wall += wall
	if dead && slices.ContainsFunc(t.Findings, func(f check.Finding) bool { return f.Class == classSpin || f.Class == classStuckTime }) {
		c.stalls++
	}
	q.done(c, 1)
}

// skip drops a task if its cell has been given up.
func (q *queue) skip(t task) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if t.record || !t.cell.givenUp() {
		return false
	}
	q.done(t.cell, t.count)
	return true
}

// done counts seeds that were run or dropped. The mutex is held.
func (q *queue) done(c *cell, n int) {
	c.out -= n
	q.progress.Ran += n
	if c.finished() && !c.closed {
		q.closeCell(c)
		q.progress.Ended++
		q.progress.Cell = c.sc.Name + " " + c.strategy.Name
	}
	q.opt.Progress(q.progress)
}

// closeCell queues the recording of a cell, or keeps what a live run recorded. The
// mutex is held.
func (q *queue) closeCell(c *cell) {
	c.closed = true
	seed := c.seedToRecord()
	switch {
	case seed == 0 || q.opt.Dir == "":
	case q.opt.Live != nil:
		q.keepLive(c, seed)
	default:
		q.record = append(q.record, task{cell: c, first: seed, count: 1, record: true})
	}
}

// recordDone accepts a recorded history after checking that it shows the violation
// that it was recorded for.
func (q *queue) recordDone(t task, got *runSummary, dead bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	c := t.cell
	if why := replayMismatch(c.result(), got, dead); why != "" && !got.outside {
		c.extra = append(c.extra, results.Finding{
			Class: "not-deterministic", Seed: t.first, Count: 1, Detail: why, Replay: c.replay(t.first),
		})
	}
	if !dead {
		c.seed = t.first
	}
}

// undeterminedRemedy says what makes a lock's runs repeatable.
const undeterminedRemedy = "a lock that draws from math/rand needs the line godebug randseednop=0 in its go.mod, and one that draws from elsewhere, or dials or reads a clock outside its environment, cannot be repeated"

// replayMismatch says how a recorded run differs from the one that it repeats, or
// returns "".
func replayMismatch(r results.Strategy, got *runSummary, dead bool) string {
	if dead {
		return "the recorded run ended the process, the first run did not: " + got.Unknown
	}
	v := r.FirstViolation
	if v == nil {
		return ""
	}
	b, shown := got.Breaches[v.Property]
	switch {
	case !shown:
		return fmt.Sprintf("the recorded run of seed %d does not show the %s that the first run showed; %s", v.Seed, v.Property, undeterminedRemedy)
	case b.First.Text == v.Violation.Text && b.First.At != v.Violation.At:
		return fmt.Sprintf("the recorded run of seed %d shows the %s at %s, the first run at %s: %q; %s", v.Seed, v.Property,
			time.Duration(b.First.At), time.Duration(v.Violation.At), v.Violation.Text, undeterminedRemedy)
	case b.First.Text == v.Violation.Text && !reflect.DeepEqual(b.First, v.Violation):
		return fmt.Sprintf("the recorded run of seed %d shows the %s by other events than the first run: %q; %s", v.Seed, v.Property, b.First.Text, undeterminedRemedy)
	case !reflect.DeepEqual(b.First, v.Violation):
		return fmt.Sprintf("the recorded run of seed %d shows another %s: %q at %s, the first run %q at %s; %s", v.Seed, v.Property,
			b.First.Text, time.Duration(b.First.At), v.Violation.Text, time.Duration(v.Violation.At), undeterminedRemedy)
	}
	return ""
}

// file is where the history of a cell goes.
func (q *queue) file(c *cell) string { return filepath.Join(q.opt.Dir, filepath.FromSlash(c.path)) }

// liveFile holds the history of one live run until its cell is closed.
func (q *queue) liveFile(c *cell, seed uint64) string { return fmt.Sprintf("%s.%d", q.file(c), seed) }

// keepLive keeps the history of one seed and removes the others. The mutex is held.
func (q *queue) keepLive(c *cell, keep uint64) {
	for i := range c.next {
		seed := q.plan.First + uint64(i)
		if seed != keep {
			_ = os.Remove(q.liveFile(c, seed))
			continue
		}
		if err := os.Rename(q.liveFile(c, seed), q.file(c)); err != nil {
			c.extra = append(c.extra, results.Finding{Class: "broken", Seed: seed, Count: 1, Detail: err.Error(), Replay: c.replay(seed)})
			continue
		}
		c.seed = seed
	}
}
