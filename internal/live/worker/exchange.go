package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"
)

// Start makes the worker's lock. It fails with [ErrRefused] if the worker will
// not; the process then goes on.
func (p *Process) Start(ctx context.Context, c Config) error {
	c.Version = Version
	a, err := p.ask(ctx, request{Do: doStart, Config: &c}, 0)
	if err != nil {
		return err
	}
	if !a.OK {
		return fmt.Errorf("%w: %.200s", ErrRefused, a.Error)
	}
	return nil
}

// Acquire tries to take the lock for at most wait. All times are rounded to whole
// milliseconds. A refusal is an answer, not an error.
func (p *Process) Acquire(ctx context.Context, wait time.Duration) (Answer, error) {
	return p.ask(ctx, request{Do: doAcquire, WaitMS: millis(wait)}, wait)
}

// Work spends d in the process, or less if the lease is lost. Without a lease it
// just spends d.
func (p *Process) Work(ctx context.Context, d time.Duration) (Answer, error) {
	return p.ask(ctx, request{Do: doWork, MS: millis(d)}, d)
}

// RollBack spends d in the process although the lease is lost.
func (p *Process) RollBack(ctx context.Context, d time.Duration) (Answer, error) {
	return p.ask(ctx, request{Do: doWork, MS: millis(d), Anyway: true}, d)
}

// Check asks what the lock believes about its lease now.
func (p *Process) Check(ctx context.Context) (Answer, error) {
	return p.ask(ctx, request{Do: doCheck}, 0)
}

// Send returns once the process runs and sends its write.
func (p *Process) Send(ctx context.Context) error {
	_, err := p.ask(ctx, request{Do: doSend}, 0)
	return err
}

// Release releases the lock. If that fails, the answer is not OK.
func (p *Process) Release(ctx context.Context) (Answer, error) {
	return p.ask(ctx, request{Do: doRelease}, 0)
}

// Stop asks the process to end. It does not wait for that: Close does.
func (p *Process) Stop(ctx context.Context) error {
	_, err := p.ask(ctx, request{Do: doStop}, 0)
	return err
}

// ask sends a request and waits for its answer, for p.opts.Bound beyond what the
// request itself takes.
func (p *Process) ask(ctx context.Context, r request, takes time.Duration) (Answer, error) {
	select {
	case p.turn <- struct{}{}:
	case <-ctx.Done():
		return Answer{}, context.Cause(ctx)
	}
	defer func() { <-p.turn }()
	if p.err != nil {
		return Answer{}, p.err
	}
	p.id++
	r.ID = p.id
	a, err := p.exchange(ctx, r, takes+p.opts.Bound)
	if err != nil {
		p.err = fmt.Errorf("%s: %w", r.Do, err)
		p.End()
		<-p.Done() // so that its log is complete
	}
	return a, p.err
}

// exchange sends a request and takes the next line as its answer. A line that was
// printed before the request cannot be one.
func (p *Process) exchange(ctx context.Context, r request, bound time.Duration) (Answer, error) {
	text, err := json.Marshal(r)
	if err != nil {
		return Answer{}, err
	}
	select {
	case l, ok := <-p.lines:
		if !ok {
			return Answer{}, p.died()
		}
		return Answer{}, protocolError(l.text, "a line before request %d was sent", r.ID)
	default:
	}
	begun := time.Now()
	if err := p.send(ctx, append(text, '\n'), bound); err != nil {
		return Answer{}, err
	}
	timeout := pausableTimeout{paused: p.Paused}
	ticks := time.NewTicker(timeout.interval(bound))
	defer ticks.Stop()
	for {
		select {
		case l, ok := <-p.lines:
			if !ok {
				return Answer{}, p.died()
			}
			return l.answer(r, time.Since(begun))
		case <-ctx.Done():
			return Answer{}, context.Cause(ctx)
		case <-ticks.C:
			if timeout.expired() {
				return Answer{}, p.silent(bound, "")
			}
		}
	}
}

// send writes a request. A process that does not read fills its pipe eventually;
// it gets as long as for an answer. The end of ctx kills it.
func (p *Process) send(ctx context.Context, text []byte, bound time.Duration) error {
	defer context.AfterFunc(ctx, p.End)()
	timeout := pausableTimeout{paused: p.Paused}
	for {
		_ = p.In.SetWriteDeadline(time.Now().Add(timeout.interval(bound))) // fails only once it is closed
		n, err := p.In.Write(text)
		text = text[n:]
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case !errors.Is(err, os.ErrDeadlineExceeded):
			return nil // if the process has died, so has its output
		case timeout.expired():
			return p.silent(bound, ": it does not read")
		}
	}
}

func (p *Process) silent(bound time.Duration, why string) error {
	return fmt.Errorf("%w within %v%s; pid %d is in state %s", ErrSilent, bound, why, p.Pid(), p.State())
}

// answer parses the line as the answer to r, which took that long.
func (l line) answer(r request, took time.Duration) (Answer, error) {
	switch {
	case l.long:
		return Answer{}, protocolError(l.text, "a line of more than %d bytes", maxLine)
	case l.more:
		return Answer{}, protocolError(l.text, "more than one line in answer to request %d", r.ID)
	}
	a, err := parseAnswer(l.text, r)
	if err == nil && a.OK && r.Do == doWork && took < leastWork(duration(r.MS)) {
		return Answer{}, protocolError(l.text, "work of %v was answered after %v", duration(r.MS), took.Round(time.Millisecond))
	}
	return a, err
}

// leastWork is the shortest that work of d may take: a worker counts its slices
// roughly.
func leastWork(d time.Duration) time.Duration { return d - d/10 - 20*time.Millisecond }

// pausableTimeout bounds a wait. It counts ticks rather than reading the clock, so
// that it does not run while the worker, or this program, is paused.
type pausableTimeout struct {
	ticks  int
	paused func() bool
}

// ticksPerTimeout is how often a timeout looks whether the worker is paused. It
// grants one tick more, since the first may come right after a pause.
const ticksPerTimeout = 20

// interval is the time between ticks of a wait with that bound.
func (t *pausableTimeout) interval(bound time.Duration) time.Duration {
	return max(bound/ticksPerTimeout, time.Millisecond)
}

// expired counts a tick and reports whether the wait is over.
func (t *pausableTimeout) expired() bool {
	if !t.paused() {
		t.ticks++
	}
	return t.ticks > ticksPerTimeout
}
