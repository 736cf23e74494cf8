// Package worker runs the clients of live mode as processes: it contains the
// harness's side of each process, and the worker that simrun itself can be.
//
// The harness drives the sections and is the only judge; the process owns the
// lock and spends the time. They exchange JSON Lines over the standard input and
// output, as docs/worker-protocol.md describes, so that a worker may be written
// in any language.
//
// Goals: a pause really stops the process and a crash really kills it, each with
// a proof from the system; a worker that dies, breaks the protocol or falls
// silent is distinguished from a lock that fails; nothing outlives
// [Process.Close].
// Non-goals: the order of sections and events (the harness), network faults, and
// judging.
package worker

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/lockchaos/simrun/internal/proc"
)

// The errors of requests, beside [ErrProtocol] and [proc.ErrDied]. After any of
// them but [ErrRefused], the process is dead or about to be, and can only be
// closed.
var (
	// ErrRefused: the worker would not start; the error's text has its reason.
	ErrRefused = errors.New("worker refused to start")
	// ErrSilent: it did not answer in time.
	ErrSilent = errors.New("worker did not answer")
)

// Options bound how long the harness waits.
type Options struct {
	// Bound is how long an answer may take beyond what the request itself asks
	// for. It does not run while the process is paused. Default 30 s.
	Bound time.Duration
	// Grace is how long Close lets the process end by itself. Default 1 s.
	Grace time.Duration
	// Reaper kills the process's group if this program is killed. It may be nil.
	Reaper *proc.Reaper
}

// Process is a worker's process seen from the harness. Requests wait for each
// other; Close and the methods of the Child may be called beside them.
type Process struct {
	*proc.Child
	opts Options

	lines     chan outputLine // what it prints; closed at its end
	closing   chan struct{}   // closed once nobody will receive lines
	reading   sync.WaitGroup
	closeOnce sync.Once

	turn chan struct{} // a semaphore: held by the request in flight
	id   int64         // of the last request; under turn
	err  error         // ends all requests; under turn
}

// outputLine is one line of a worker, or the beginning of one that is too long.
type outputLine struct {
	text []byte
	long bool
	more bool // the same read brought more than this line
}

// Start starts a worker in a process group of its own. The end of ctx kills it.
// It fails with [ErrCommand] or [proc.ErrUnsupported].
func Start(ctx context.Context, c Command, o Options) (*Process, error) {
	o.Bound = cmp.Or(o.Bound, 30*time.Second)
	o.Grace = cmp.Or(o.Grace, time.Second)
	child, err := c.launch(ctx, proc.Options{Piped: true, Reaper: o.Reaper})
	if err != nil {
		return nil, err
	}
	p := &Process{
		Child: child, opts: o,
		lines: make(chan outputLine), closing: make(chan struct{}), turn: make(chan struct{}, 1),
	}
	p.reading.Go(p.read)
	return p, nil
}

// read passes lines on until the process closes its output.
func (p *Process) read() {
	defer func() { _ = p.Out.Close() }()
	defer close(p.lines)
	lines := bufio.NewReaderSize(p.Out, maxLine)
	for {
		text, err := lines.ReadSlice('\n')
		long := errors.Is(err, bufio.ErrBufferFull)
		if err != nil && !long {
			return
		}
		select {
		case p.lines <- outputLine{append([]byte(nil), text...), long, lines.Buffered() > 0}:
		case <-p.closing:
			return
		}
		if long {
			return
		}
	}
}

// ends waits for the process to end by itself, for at most the grace.
func (p *Process) ends() bool {
	grace := time.NewTimer(p.opts.Grace)
	defer grace.Stop()
	select {
	case <-p.Done():
		return true
	case <-grace.C:
		return false
	}
}

// died reports how a process ended that has closed its output.
func (p *Process) died() error {
	alive := !p.ends()
	p.End()
	e := p.Exit()
	if alive {
		e.Killed = false // not before it had given up
		e.Status = "closed its output and went on"
	}
	return fmt.Errorf("worker died: %w", e)
}

// Close ends the process: by closing its input, or by force after the grace. It
// waits for the process and for what reads from it.
func (p *Process) Close() {
	p.closeOnce.Do(func() {
		_ = p.In.Close()
		if !p.Paused() {
			p.ends()
		}
		p.End()
		close(p.closing)
	})
	p.reading.Wait()
	<-p.Done()
}
