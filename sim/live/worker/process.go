package worker

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// Options say how patient the harness is.
type Options struct {
	// Bound is how long an answer may take beyond what the request itself asks
	// for. It does not run while the process is paused. Default 30 s.
	Bound time.Duration
	// Grace is what Close grants the process to end by itself. Default 1 s.
	Grace time.Duration
}

// Process is a worker's process seen from the harness. Requests wait for each
// other; Pause, Resume, Kill, State and Close may be called beside them.
type Process struct {
	opts Options
	cmd  *exec.Cmd
	in   io.WriteCloser
	log  tail

	lines   chan line     // what it says; closed at its end
	closing chan struct{} // closed once nobody will read lines
	reaped  chan struct{} // closed once the process is no more
	status  string        // how it ended; set before reaped is closed
	wait    sync.WaitGroup

	turn  chan struct{} // held by the request that is under way
	id    int64         // of the last request; whoever has the turn
	fault error         // ends all requests; whoever has the turn

	signals sync.Mutex // held while signals are sent, one after the other
	pauses  int        // that have not ended; under signals
	paused  atomic.Bool
	killed  atomic.Bool
	closed  sync.Once
}

// line is one line of a worker, or the beginning of one that is too long.
type line struct {
	text []byte
	long bool
}

// Start starts a worker in a process group of its own. The end of ctx kills it.
// It fails with [ErrCommand] or [ErrUnsupported].
func Start(ctx context.Context, c Command, o Options) (*Process, error) {
	if o.Bound <= 0 {
		o.Bound = 30 * time.Second
	}
	if o.Grace <= 0 {
		o.Grace = time.Second
	}
	p := &Process{
		opts: o, cmd: exec.Command(c.Path, c.Args...),
		lines: make(chan line), closing: make(chan struct{}), reaped: make(chan struct{}),
		turn: make(chan struct{}, 1),
	}
	if err := ownGroup(p.cmd); err != nil {
		return nil, err
	}
	p.cmd.Env = append(os.Environ(), c.Env...)
	p.cmd.Stderr = &p.log
	p.cmd.WaitDelay = lastWords
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCommand, err)
	}
	p.in = in
	out, far, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCommand, err)
	}
	p.cmd.Stdout = far
	started := make(chan error)
	p.wait.Go(func() { p.live(out, started) })
	err = <-started
	far.Close()
	if err != nil {
		in.Close()
		out.Close()
		return nil, fmt.Errorf("%w: %w", ErrCommand, err)
	}
	p.wait.Go(func() { p.read(out) })
	p.wait.Go(func() {
		select {
		case <-ctx.Done():
			p.end()
		case <-p.reaped:
		}
	})
	return p, nil
}

// lastWords is how long the pipes of a process that ended are read on, where
// another process that it started keeps them open.
const lastWords = 500 * time.Millisecond

// live starts the process and waits for its end, on one thread: Linux kills the
// process when the thread that started it ends, and so none of Go's own will do.
func (p *Process) live(out *os.File, started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := p.cmd.Start()
	started <- err
	if err != nil {
		return
	}
	_ = p.cmd.Wait() // the status tells
	p.status = statusOf(p.cmd.ProcessState)
	p.sweep()
	_ = out.SetReadDeadline(time.Now().Add(lastWords))
	close(p.reaped)
}

// sweep kills what the process started and left behind in its group.
func (p *Process) sweep() {
	for nap := time.Millisecond; nap < lastWords; nap *= 2 {
		if signalGroup(p.Pid(), sigKill) != nil || !peopled(p.Pid()) {
			return
		}
		time.Sleep(nap) // the system tells of the end of children alone
	}
}

// read passes lines on until the process closes its side.
func (p *Process) read(out *os.File) {
	defer out.Close()
	defer close(p.lines)
	lines := bufio.NewReaderSize(out, maxLine)
	for {
		text, err := lines.ReadSlice('\n')
		long := errors.Is(err, bufio.ErrBufferFull)
		if err != nil && !long {
			return
		}
		select {
		case p.lines <- line{append([]byte(nil), text...), long}:
		case <-p.closing:
			return
		}
		if long {
			return
		}
	}
}

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

func (p *Process) exchange(ctx context.Context, r request, bound time.Duration) (Answer, error) {
	text, err := json.Marshal(r)
	if err != nil {
		return Answer{}, err
	}
	// Where the process is dead, the end of its output tells.
	_, _ = p.in.Write(append(text, '\n'))
	ticks := time.NewTicker(every(bound))
	defer ticks.Stop()
	patience := newPatience(p.paused.Load)
	for {
		select {
		case l, ok := <-p.lines:
			if !ok {
				return Answer{}, p.ended()
			}
			if l.long {
				return Answer{}, rubbish(l.text, "a line of more than %d bytes", maxLine)
			}
			return parseAnswer(l.text, r)
		case <-ctx.Done():
			return Answer{}, context.Cause(ctx)
		case <-ticks.C:
			if patience.out() {
				return Answer{}, fmt.Errorf("%w within %v; pid %d is in state %s", ErrSilent, bound, p.Pid(), p.State())
			}
		}
	}
}

// ended tells how the process ended that has closed its output.
func (p *Process) ended() error {
	select {
	case <-p.reaped:
	case <-time.After(p.opts.Grace):
		p.end()
		<-p.reaped
		d := p.death()
		d.Killed = false // not before it had given up
		d.Status = "closed its output and went on"
		return d
	}
	return p.death()
}

// death may be asked for once the process is reaped. A process that ended just
// before it was killed was not.
func (p *Process) death() *Death {
	killed := p.killed.Load() && p.status == killedStatus
	return &Death{Pid: p.Pid(), Status: p.status, Killed: killed, Log: p.log.String()}
}
