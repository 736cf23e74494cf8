package runner

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"

	"github.com/lockchaos/simrun/internal/check"
	"github.com/lockchaos/simrun/internal/engine"
	"github.com/lockchaos/simrun/internal/strategy"
)

// work runs everything in the queue on as many children as there may be. It
// returns nil where ctx ended it.
func (q *queue) work(ctx context.Context) error {
	return q.runParallel(ctx, func(ctx context.Context) error {
		w := &worker{q: q}
		defer w.retire()
		return w.loop(ctx)
	})
}

// runParallel calls f so many times at once as Options.Procs says. The first error
// ends all and is returned; where ctx ended them, that is none.
func (q *queue) runParallel(ctx context.Context, f func(context.Context) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var all sync.WaitGroup
	for range q.opt.Procs {
		all.Go(func() {
			if err := f(ctx); err != nil {
				stop(harnessError{err})
			}
		})
	}
	all.Wait()
	if h := (harnessError{}); errors.As(context.Cause(ctx), &h) {
		return h.error
	}
	return nil
}

// harnessError tells a fault of the harness from an interrupt.
type harnessError struct{ error }

// worker keeps one child busy.
type worker struct {
	q     *queue
	child *process
	again uint64 // the seed of the present task that is repeated, as its child was killed from outside; 0: none
}

func (w *worker) loop(ctx context.Context) error { return w.q.drain(ctx, w.do) }

// drain does one task after the other. It returns nil where ctx ended it.
func (q *queue) drain(ctx context.Context, do func(context.Context, task) error) error {
	for ctx.Err() == nil {
		t, ok := q.take()
		if !ok {
			return nil
		}
		err := do(ctx, t)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// do runs a task, on as many children as it needs.
func (w *worker) do(ctx context.Context, t task) error {
	w.again = 0
	for t.count > 0 {
		if t.record == "" && w.q.gaveUp(t.cell) {
			w.q.skip(t)
			return nil
		}
		if w.child == nil {
			p, err := start(ctx, w.q.opt)
			if errors.Is(err, errKilled) {
				p, err = start(ctx, w.q.opt)
			}
			if err != nil {
				return err
			}
			w.child = p
		}
		if err := w.child.send(w.order(t)); err != nil {
			return err
		}
		n, err := w.collect(ctx, t)
		if err != nil {
			return err
		}
		t.first, t.count = t.first+uint64(n), t.count-n
	}
	return nil
}

func (w *worker) order(t task) order {
	o := order{Scenario: t.cell.scenario, Strategy: t.cell.strategy, First: t.first, Count: t.count}
	if t.record != "" {
		o.Record = filepath.Join(w.q.opt.Dir, filepath.FromSlash(t.record))
	}
	if !w.child.known[o.Scenario] {
		in := w.q.plan.Scenarios[o.Scenario]
		o.Define = &define{Name: in.Scenario.Name, File: in.Scenario.File, Source: in.Source}
		w.child.known[o.Scenario] = true
	}
	return o
}

// collect takes the answers to an order, and says how many seeds are done. It
// ends early where the child does. A seed whose child was killed from outside is
// not done the first time.
func (w *worker) collect(ctx context.Context, t task) (int, error) {
	done := 0
	tainted := false
	for done < t.count {
		r, err := w.child.receive()
		if ctx.Err() != nil {
			return done, ctx.Err()
		}
		switch {
		case err != nil:
			seed := t.first + uint64(done)
			got, err := w.summaryOfDeadChild(err, seed)
			if err != nil {
				return done, fmt.Errorf("%s: %w", t.cell.replay(seed), err)
			}
			if got.outside && w.again != seed {
				w.again = seed
				return done, nil
			}
			w.fold(t, got, true)
			return done + 1, nil
		case r.Error != "":
			return done, fmt.Errorf("child: %s", r.Error)
		case r.Tally == nil:
			continue
		}
		w.fold(t, r.Tally, r.Dying)
		done++
		w.child.seeds++
		tainted = tainted || len(r.Tally.Findings) > 0
		if r.Dying {
			w.child.kill()
			w.child = nil
			return done, nil
		}
	}
	// What a finding left behind must not reach later seeds.
	if tainted || w.child.seeds >= w.q.opt.Recycle {
		w.retire()
	}
	return done, nil
}

func (w *worker) fold(t task, got *runSummary, dead bool) {
	if t.record != "" {
		w.q.recordDone(t, got, dead)
		return
	}
	w.q.add(t.cell, got, dead)
}

const killedText = "the process was killed from outside"

// summaryOfDeadChild ends a child that died or fell silent, and tells of it.
func (w *worker) summaryOfDeadChild(cause error, seed uint64) (*runSummary, error) {
	p := w.child
	w.child = nil
	var f check.Finding
	if errors.Is(cause, errSilent) {
		p.killWithStacks()
		f = silent(p.stderr.String())
	} else {
		exit := p.end() // before its last words are read, which it may still be saying
		if p.child.Terminated() {
			return &runSummary{Seed: seed, Unknown: killedText, outside: true}, nil
		}
		var err error
		if f, err = crash(p.stderr.String(), exit); err != nil {
			return nil, err
		}
	}
	return summarize(seed, check.Report{Findings: []check.Finding{f}, Unknown: f.Detail}), nil
}

func (w *worker) retire() {
	if w.child != nil {
		w.child.end()
		w.child = nil
	}
}

func (q *queue) gaveUp(c *cell) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return c.givenUp()
}

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
