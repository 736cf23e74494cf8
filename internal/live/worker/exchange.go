package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"
)

// ask sends a request and waits for its answer. The lock may take so long that
// the request itself asks for takes.
func (p *Process) ask(ctx context.Context, r request, takes time.Duration) (Answer, error) {
	select {
	case p.turn <- struct{}{}:
	case <-ctx.Done():
		return Answer{}, context.Cause(ctx)
	}
	defer func() { <-p.turn }()
	if p.fault != nil {
		return Answer{}, p.fault
	}
	p.id++
	r.ID = p.id
	a, err := p.exchange(ctx, r, takes+p.opts.Bound)
	if err != nil {
		p.fault = fmt.Errorf("%s: %w", r.Do, err)
		p.end()
		<-p.reaped // its log is whole
	}
	return a, p.fault
}

// exchange sends a request and takes what is said next for its answer. Only what
// was said after the request can be one.
func (p *Process) exchange(ctx context.Context, r request, bound time.Duration) (Answer, error) {
	text, err := json.Marshal(r)
	if err != nil {
		return Answer{}, err
	}
	select {
	case l, ok := <-p.lines:
		if !ok {
			return Answer{}, p.ended()
		}
		return Answer{}, rubbish(l.text, "a line before request %d was sent", r.ID)
	default:
	}
	begun := time.Now()
	if err := p.send(ctx, append(text, '\n'), bound); err != nil {
		return Answer{}, err
	}
	ticks := time.NewTicker(every(bound))
	defer ticks.Stop()
	patience := newPatience(p.paused.Load)
	for {
		select {
		case l, ok := <-p.lines:
			if !ok {
				return Answer{}, p.ended()
			}
			return l.answer(r, time.Since(begun))
		case <-ctx.Done():
			return Answer{}, context.Cause(ctx)
		case <-ticks.C:
			if patience.out() {
				return Answer{}, p.silent(bound, "")
			}
		}
	}
}

// send writes a request. A process that does not read fills its pipe in time; it
// is given as long as for an answer. The end of ctx kills it.
func (p *Process) send(ctx context.Context, text []byte, bound time.Duration) error {
	defer context.AfterFunc(ctx, p.end)()
	patience := newPatience(p.paused.Load)
	for {
		_ = p.in.SetWriteDeadline(time.Now().Add(every(bound))) // fails only once it is closed
		n, err := p.in.Write(text)
		text = text[n:]
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case !errors.Is(err, os.ErrDeadlineExceeded):
			return nil // where the process is dead, the end of its output tells
		case patience.out():
			return p.silent(bound, ": it does not read")
		}
	}
}

// silent is an [ErrSilent].
func (p *Process) silent(bound time.Duration, why string) error {
	return fmt.Errorf("%w within %v%s; pid %d is in state %s", ErrSilent, bound, why, p.Pid(), p.State())
}

// answer reads the line as the answer to r, which came after took.
func (l line) answer(r request, took time.Duration) (Answer, error) {
	switch {
	case l.long:
		return Answer{}, rubbish(l.text, "a line of more than %d bytes", maxLine)
	case l.more:
		return Answer{}, rubbish(l.text, "more than one line in answer to request %d", r.ID)
	}
	a, err := parseAnswer(l.text, r)
	if err == nil && a.OK && r.Do == doWork && took < leastOf(duration(r.MS)) {
		return Answer{}, rubbish(l.text, "work of %v was answered after %v", duration(r.MS), took.Round(time.Millisecond))
	}
	return a, err
}

// leastOf is how long work of d must take. A worker may count its slices
// roughly.
func leastOf(d time.Duration) time.Duration { return d - d/10 - 20*time.Millisecond }
