package runner

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/lockchaos/simrun/internal/engine"
	"github.com/lockchaos/simrun/internal/results"
	"github.com/lockchaos/simrun/internal/strategy"
)

// workLive runs everything in the queue through Options.Live, so many runs at
// once. A live run cannot be repeated, so each keeps its history until its cell
// has ended. It returns nil where ctx ended it.
func (q *queue) workLive(ctx context.Context) error {
	return q.runParallel(ctx, func(ctx context.Context) error { return q.drain(ctx, q.playLive) })
}

// playLive runs the one seed of a task.
func (q *queue) playLive(ctx context.Context, t task) error {
	st, ok := strategy.Lookup(t.cell.strategy)
	if !ok {
		return fmt.Errorf("strategy %q is not registered", t.cell.strategy)
	}
	job := engine.Job{Scenario: t.cell.sc, Strategy: st, Seed: t.first, Record: true}
	out, err := q.opt.Live(ctx, job)
	if err != nil {
		return fmt.Errorf("scenario %s, strategy %s: %w", t.cell.sc.Name, st.Name, err)
	}
	if q.opt.Dir != "" {
		if err := record(q.livePath(t.cell, t.first), out.Header, out.Events); err != nil {
			return err
		}
	}
	q.add(t.cell, summarize(t.first, out.Report), false)
	return nil
}

// livePath is where the history of one live run waits for its cell's end.
func (q *queue) livePath(c *cell, seed uint64) string {
	return fmt.Sprintf("%s.%d", filepath.Join(q.opt.Dir, filepath.FromSlash(c.path)), seed)
}

// keepUnfinished keeps, of cells that an interrupt has cut short, the history
// that the report tells of.
func (q *queue) keepUnfinished() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, c := range q.cells {
		if c.recorded {
			continue
		}
		c.recorded = true
		if seed, ok := c.seedToRecord(); ok && q.opt.Dir != "" {
			q.keepLive(c, seed)
		}
	}
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
