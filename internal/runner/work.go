package runner

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/lockchaos/simrun/internal/check"
	"github.com/lockchaos/simrun/internal/engine"
)

// work does all tasks, Options.Procs at once. The first error ends all and is
// returned; the end of ctx is not an error.
func (q *queue) work(ctx context.Context) (err error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var all sync.WaitGroup
	var once sync.Once
	for range q.opt.Procs {
		all.Go(func() {
			if e := q.drain(ctx); e != nil {
				once.Do(func() { err = e })
				stop()
			}
		})
	}
	all.Wait()
	return err
}

// drain does one task after the other.
func (q *queue) drain(ctx context.Context) error {
	w := &worker{q: q}
	defer w.retire()
	do := w.do
	if q.opt.Live != nil {
		do = q.playLive
	}
	for ctx.Err() == nil {
		t, ok := q.take()
		if !ok {
			return nil
		}
		if err := do(ctx, t); err != nil && ctx.Err() == nil {
			return err
		}
	}
	return nil
}

// playLive runs the one seed of a task. A live run cannot be repeated, so each
// keeps its history until its cell is closed.
func (q *queue) playLive(ctx context.Context, t task) error {
	if t.cell.strategy.New == nil {
		return fmt.Errorf("strategy %q is not registered", t.cell.strategy.Name)
	}
	began := time.Now()
	out, err := q.opt.Live(ctx, engine.Job{Scenario: t.cell.sc, Strategy: t.cell.strategy, Seed: t.first, Record: true})
	if err != nil {
		return fmt.Errorf("scenario %s, strategy %s: %w", t.cell.sc.Name, t.cell.strategy.Name, err)
	}
	wall := time.Since(began)
	if q.opt.Dir != "" {
		if err := record(q.liveFile(t.cell, t.first), out.Header, out.Events); err != nil {
			return err
		}
	}
	q.add(t.cell, summarize(t.first, out.Report), false, wall)
	return nil
}

// worker keeps one child busy.
type worker struct {
	q     *queue
	child *childProcess // nil: none is running
	began time.Time     // when the child was given the seed that it runs
	again uint64        // the seed of the task that is repeated, as its child was killed from outside; 0: none
}

// do does a task, with as many children as it takes.
func (w *worker) do(ctx context.Context, t task) error {
	w.again = 0
	for t.count > 0 {
		if w.q.skip(t) {
			return nil
		}
		if err := w.order(ctx, t); err != nil {
			return err
		}
		if err := w.collect(ctx, &t); err != nil {
			return err
		}
	}
	return nil
}

// order sends a task to the child, starting one if there is none.
func (w *worker) order(ctx context.Context, t task) (err error) {
	if w.child == nil {
		if w.child, err = start(ctx, w.q.opt); errors.Is(err, errKilled) {
			w.child, err = start(ctx, w.q.opt)
		}
		if err != nil {
			return err
		}
	}
	in := w.q.plan.Scenarios[t.cell.scenario]
	o := order{
		Scenario: definition{Name: in.Scenario.Name, File: in.Scenario.File, Source: in.Source},
		Strategy: t.cell.strategy.Name, First: t.first, Count: t.count,
	}
	if t.record {
		o.Record = w.q.file(t.cell)
	}
	w.began = time.Now()
	return w.child.send(o)
}

// collect takes the answers to an order off the task. It returns early if the
// child ends.
func (w *worker) collect(ctx context.Context, t *task) error {
	tainted := false
	for t.count > 0 {
		r, err := w.child.receive()
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			return w.bury(err, t)
		case r.Error != "":
			return fmt.Errorf("child: %s", r.Error)
		case r.Tally == nil:
			continue
		}
		w.fold(t, r.Tally, r.Dying)
		if r.Dying {
			w.child.kill()
			w.child = nil
			return nil
		}
		w.child.seeds++
		tainted = tainted || len(r.Tally.Findings) > 0
	}
	// What a finding left behind must not reach later seeds.
	if tainted || w.child.seeds >= w.q.opt.Recycle {
		w.retire()
	}
	return nil
}

// fold passes on the run of the task's first seed and takes the seed off the task.
func (w *worker) fold(t *task, got *runSummary, dead bool) {
	now := time.Now()
	if t.record {
		w.q.recordDone(*t, got, dead)
	} else {
		w.q.add(t.cell, got, dead, now.Sub(w.began))
	}
	w.began = now
	t.first++
	t.count--
}

// bury ends a child that died or fell silent, and folds what it did to the seed
// that it was running. A seed whose child was killed from outside is run once more.
func (w *worker) bury(cause error, t *task) error {
	p := w.child
	w.child = nil
	hung := errors.Is(cause, errSilent)
	if hung {
		p.child.Quit(2 * time.Second)
	}
	exit := p.end() // so that its output is complete
	var f check.Finding
	switch {
	case hung:
		f = silent(p.stderr.String())
	case p.child.Terminated() && w.again != t.first:
		w.again = t.first
		return nil
	case p.child.Terminated():
		w.fold(t, &runSummary{Seed: t.first, Unknown: "the process was killed from outside", outside: true}, true)
		return nil
	default:
		var err error
		if f, err = crash(p.stderr.String(), exit); err != nil {
			return fmt.Errorf("%s: %w", t.cell.replay(t.first), err)
		}
	}
	w.fold(t, summarize(t.first, check.Report{Findings: []check.Finding{f}, Unknown: f.Detail}), true)
	return nil
}

// retire ends the child, if there is one.
func (w *worker) retire() {
	if w.child != nil {
		w.child.end()
		w.child = nil
	}
}
