package runner

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"sync"

	"github.com/lockchaos/simrun/internal/results"
	"github.com/lockchaos/simrun/internal/strategy"
)

// queue hands out seeds in small batches, and folds what comes back.
type queue struct {
	plan  Plan
	opt   Options
	batch int

	mu     sync.Mutex
	cells  []*cell
	record []task // histories to record, before more seeds
}

// task is a batch of seeds of one cell, or the recording of one.
type task struct {
	cell   *cell
	first  uint64
	count  int
	record string // the history's file, in the result folder
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
	return q
}

func newCell(i int, in Input, name string, p Plan, o Options) *cell {
	st, _ := strategy.Lookup(name)
	c := &cell{
		scenario: i, sc: in.Scenario, strategy: name, summary: st.Summary,
		count: p.Count, oneSeed: p.Replay,
		replay: func(seed uint64) string {
			return fmt.Sprintf("%s -seed %d", command(o.Program, in, name), seed)
		},
		again: func() string {
			return fmt.Sprintf("%s -seeds %d", command(o.Program, in, name), p.Count)
		},
	}
	var names []string
	for name := range c.expect() {
		names = append(names, name)
	}
	c.sum = newAggregate(names)
	return c
}

// command runs one cell.
func command(program string, in Input, strategy string) string {
	name := in.Scenario.Name
	if in.Source != nil {
		name = in.Scenario.File
	}
	return fmt.Sprintf("%s -scenario %s -strategy %s", program, Quote(name), Quote(strategy))
}

var plain = regexp.MustCompile(`^[A-Za-z0-9_./:@%+=,-]+$`)

// Quote makes one word of s for a POSIX shell.
func Quote(s string) string {
	if plain.MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// take gives the next task.
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

// nextCell is the cell that got the fewest seeds of the first scenario that is
// not through: an interrupt then leaves strategies that can be compared.
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

// add folds one run in.
func (q *queue) add(c *cell, t *runSummary, dead bool) {
	q.mu.Lock()
	c.out--
	c.sum.add(t, dead)
	if dead && stalled(t) {
		c.stalls++
	}
	done := q.closeCell(c)
	q.mu.Unlock()
	q.report(c, 1, done)
}

// skip leaves seeds out that a cell which was given up does not need.
func (q *queue) skip(t task) {
	q.mu.Lock()
	t.cell.out -= t.count
	done := q.closeCell(t.cell)
	q.mu.Unlock()
	q.report(t.cell, t.count, done)
}

func (q *queue) report(c *cell, n int, done bool) {
	q.opt.Progress.Ran(n)
	if done {
		q.opt.Progress.Cell(c.sc.Name + " " + c.strategy)
	}
}

func stalled(t *runSummary) bool {
	for _, f := range t.Findings {
		if f.Class == classSpin || f.Class == classStuckTime {
			return true
		}
	}
	return false
}

// closeCell queues the recording of a cell that has ended.
func (q *queue) closeCell(c *cell) bool {
	if !c.finished() || c.recorded {
		return false
	}
	c.recorded = true
	seed, ok := c.seedToRecord()
	switch {
	case !ok || q.opt.Dir == "":
	case q.opt.Live != nil:
		q.keepLive(c, seed)
	default:
		q.record = append(q.record, task{cell: c, first: seed, count: 1, record: c.path})
	}
	return true
}

// recordDone takes a recorded history in, and checks that it shows the very
// violation that it was recorded for.
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
		c.history, c.seed = t.record, t.first
	}
}

// replayMismatch says how a recorded run differs from the one it repeats; empty if it
// shows the same.
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
		return fmt.Sprintf("the recorded run of seed %d does not show the %s that the first run showed", v.Seed, v.Property)
	case !reflect.DeepEqual(b.First, v.Violation):
		return fmt.Sprintf("the recorded run of seed %d shows another %s: %q, the first run %q", v.Seed, v.Property, b.First.Text, v.Violation.Text)
	}
	return ""
}

// livePath is where the history of one live run waits for its cell's end.
func (q *queue) livePath(c *cell, seed uint64) string {
	return fmt.Sprintf("%s.%d", filepath.Join(q.opt.Dir, filepath.FromSlash(c.path)), seed)
}

// keepLive keeps the history of the seed that the report tells of. The mutex is
// held.
func (q *queue) keepLive(c *cell, keep uint64) {
	for i := range c.next {
		seed := q.plan.First + uint64(i)
		if seed != keep {
			_ = os.Remove(q.livePath(c, seed))
			continue
		}
		if err := os.Rename(q.livePath(c, seed), filepath.Join(q.opt.Dir, filepath.FromSlash(c.path))); err != nil {
			c.extra = append(c.extra, results.Finding{Class: "broken", Seed: seed, Count: 1, Detail: err.Error(), Replay: c.replay(seed)})
			continue
		}
		c.history, c.seed = c.path, seed
	}
}
