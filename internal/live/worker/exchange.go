package worker

import (
	"context"
	"encoding/json"
	"fmt"
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

// ticksPerBound is how often a request's wait checks whether the worker is paused.
const ticksPerBound = 20

// exchange sends a request and takes the next line as its answer. A line that was
// printed before the request cannot be one. It waits for at most bound, counting
// ticks rather than reading the clock, so that pauses of the worker, and of this
// program, do not count.
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
	// The pipe has room: it holds this request alone. A failure shows in lines.
	_, _ = p.In.Write(append(text, '\n'))
	tick := time.NewTicker(max(bound/ticksPerBound, time.Millisecond))
	defer tick.Stop()
	for left := ticksPerBound; left >= 0; { // one more, as the first may come right after a pause
		select {
		case l, ok := <-p.lines:
			if !ok {
				return Answer{}, p.died()
			}
			return l.answer(r, time.Since(begun))
		case <-ctx.Done():
			return Answer{}, context.Cause(ctx)
		case <-tick.C:
			if !p.Paused() {
				left--
			}
		}
	}
	return Answer{}, fmt.Errorf("%w within %v; pid %d is in state %s", ErrSilent, bound, p.Pid(), p.State())
}

// answer parses the line as the answer to r, which took that long.
func (l outputLine) answer(r request, took time.Duration) (Answer, error) {
	switch {
	case l.long:
		return Answer{}, protocolError(l.text, "a line of more than %d bytes", maxLine)
	case l.more:
		return Answer{}, protocolError(l.text, "more than one line in answer to request %d", r.ID)
	}
	a, err := parseAnswer(l.text, r)
	work := duration(r.MS)
	// A worker may count its slices roughly.
	if err == nil && a.OK && r.Do == doWork && took < work-work/10-20*time.Millisecond {
		return Answer{}, protocolError(l.text, "work of %v was answered after %v", work, took.Round(time.Millisecond))
	}
	return a, err
}
